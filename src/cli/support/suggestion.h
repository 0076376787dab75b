#pragma once

#include <span>
#include <string>
#include <string_view>

namespace p2mpp::cli {

/// The smallest number of insertions, deletions, replacements and swaps of neighbours that turns one word into the
/// other. Source: optimal string alignment, after Damerau (1964).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word that was probably meant. This is the nearest one within one change, plus one more change per four typed
/// characters, and the first of several equally near words. Empty if there is none.
[[nodiscard]] std::string suggest(std::string_view typed, std::span<const std::string> words);

/// "; did you mean 'WORD'?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string> words);

}  // namespace p2mpp::cli
