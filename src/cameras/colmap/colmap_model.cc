#include "cameras/colmap/colmap_model.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {

int checked_side(std::uint64_t pixels, const std::string& where) {
  constexpr std::uint64_t kMaxSide = 1'000'000;
  if (pixels >= 1 && pixels <= kMaxSide) return static_cast<int>(pixels);
  throw InputError(fmt::format("{}: the image has {} pixels a side; expected 1 to {}", where, pixels, kMaxSide));
}

void check_names(const std::vector<ColmapImage>& images) {
  std::set<std::string_view> names;
  for (const ColmapImage& image : images) {
    if (names.insert(image.name).second) continue;
    throw InputError(
        fmt::format("{}: image '{}' appears twice; expected each once", image.where, printable(image.name)));
  }
}

}  // namespace p2mpp
