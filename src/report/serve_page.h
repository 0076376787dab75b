#pragma once

#include <string>

namespace p2mpp {

/// The page of `p2mpp serve`: images and cameras in, their check, a viewer and a file out. It names no other host.
/// `has_token`: requests need one, so the page asks for it.
[[nodiscard]] std::string serve_page(bool has_token);

}  // namespace p2mpp
