#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

/// A fit to "all" of more views takes this many, evenly spread over their order. Its time and memory grow with them.
inline constexpr std::size_t kMostFittedViews = 150;

/// All, or kMostFittedViews of them, evenly spread.
template <typename View>
[[nodiscard]] std::vector<View> select_fitted(const std::vector<View>& all) {
  if (all.size() <= kMostFittedViews) return all;
  std::vector<View> fitted;
  for (std::size_t i = 0; i < kMostFittedViews; ++i) fitted.push_back(all[i * all.size() / kMostFittedViews]);
  return fitted;
}

/// The views whose masks a sample's mesh is fitted to.
struct FitViews {
  enum class Kind {
    kNone,
    kAutomatic,  ///< as kAll for a capture that has more photographs than the network takes; else none
    kSame,       ///< the views that enter the network
    kAll,        ///< every view of the folder or the capture: see kMostFittedViews
    kListed,     ///< those with these numbers
  };
  Kind kind = Kind::kNone;
  std::vector<std::size_t> listed = {};

  [[nodiscard]] bool operator==(const FitViews&) const = default;
};

/// Reads "none", "same", "all" or "0,3,5". Throws UsageError.
[[nodiscard]] FitViews parse_fit_views(std::string_view text);

/// The text that parse_fit_views() reads; "auto" for kAutomatic.
[[nodiscard]] std::string to_string(const FitViews& views);

}  // namespace p2mpp
