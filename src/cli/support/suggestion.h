#pragma once

#include <span>
#include <string>
#include <string_view>

namespace p2mpp::cli {

/// The word that was probably meant. This is the nearest one within one change, plus one more change per four typed
/// characters, and the first of several equally near words. Empty if there is none.
[[nodiscard]] std::string suggest(std::string_view typed, std::span<const std::string> words);

/// "; did you mean 'WORD'?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string> words);

}  // namespace p2mpp::cli
