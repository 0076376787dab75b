#pragma once

#include <span>
#include <string>
#include <string_view>

namespace p2mpp::cli {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
/// Source: optimal string alignment, after Damerau (1964).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word that was probably meant: the nearest one, if it is near enough for the length of what was typed (one
/// change, and one more for every four characters). Empty if none is; the first of equally near ones.
[[nodiscard]] std::string suggest(std::string_view typed, std::span<const std::string> words);

/// "; did you mean 'WORD'?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string> words);

}  // namespace p2mpp::cli
