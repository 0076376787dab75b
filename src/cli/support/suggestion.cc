#include "cli/support/suggestion.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace p2mpp::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of distances between prefixes: the last but one, the last and the current one.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(current);
  }
  return last[b.size()];
}

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
