#include "cli/support/suggestion.h"

#include <limits>

#include "base/edit_distance.h"

namespace p2mpp::cli {

std::string suggest(std::string_view typed, std::span<const std::string> words) {
  std::size_t nearest = std::numeric_limits<std::size_t>::max();
  std::string suggestion;
  for (const std::string& word : words) {
    const std::size_t distance = edit_distance(typed, word);
    if (distance < nearest) {
      nearest = distance;
      suggestion = word;
    }
  }
  return nearest <= 1 + typed.size() / 4 ? suggestion : std::string();
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> words) {
  const std::string suggestion = suggest(typed, words);
  return suggestion.empty() ? std::string() : "; did you mean '" + suggestion + "'?";
}

}  // namespace p2mpp::cli
