#pragma once

#include <cstddef>
#include <string_view>

namespace p2mpp {

/// The smallest number of insertions, deletions, replacements and swaps of neighbours that turns one word into the
/// other. Source: optimal string alignment, after Damerau (1964).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace p2mpp
