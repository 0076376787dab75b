#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace p2mpp {

/// A document as text that ends in a newline, indented by two. Bytes that are not UTF-8 (a file's name may hold any)
/// become U+FFFD; a number that is not finite becomes null.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document);

}  // namespace p2mpp
