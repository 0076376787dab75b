#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

/// The views whose masks a sample's mesh is fitted to.
struct FitViews {
  enum class Kind {
    kNone,
    kAutomatic,  ///< all photographs of a capture that has more than the network takes; else none
    kSame,       ///< the views that enter the network
    kAll,        ///< every view of the folder or the capture
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
