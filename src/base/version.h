#pragma once

#include <string_view>

namespace p2mpp {

/// "0.2.0"
[[nodiscard]] std::string_view p2mpp_version();

/// The commit that the program was built from, with "-dirty" where files differed from it; "unknown" outside of git.
[[nodiscard]] std::string_view p2mpp_commit();

}  // namespace p2mpp
