#include "fit/mask_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/with_prefix.h"
#include "p2mpp/error.h"

namespace p2mpp {

std::string mask_label(const FitMask& mask, std::size_t index) {
  return mask.name.empty() ? fmt::format("mask {}", index + 1) : mask.name;
}

void check_mask(const FitMask& mask, std::size_t index) {
  if (mask.width != mask.height) {
    throw InputError(
        fmt::format("{}: a mask of {}x{} pixels; expected a square", mask_label(mask, index), mask.width, mask.height));
  }
  if (mask.width < kMinFitMask || mask.width > kMaxFitMask) {
    throw InputError(fmt::format("{}: a mask of {} pixels; expected {} to {}", mask_label(mask, index), mask.width,
                                 kMinFitMask, kMaxFitMask));
  }
  const auto side = static_cast<std::size_t>(mask.width);
  if (mask.coverage.size() != side * side) {
    throw InputError(
        fmt::format("{}: has {} values; expected {}x{}", mask_label(mask, index), mask.coverage.size(), side, side));
  }
  if (!mask.unknown.empty() && mask.unknown.size() != side * side) {
    throw InputError(fmt::format("{}: has {} values of what is unknown; expected {}x{}", mask_label(mask, index),
                                 mask.unknown.size(), side, side));
  }
  if (!mask.brightness.empty() && mask.brightness.size() != side * side) {
    throw InputError(fmt::format("{}: has {} values of brightness; expected {}x{}", mask_label(mask, index),
                                 mask.brightness.size(), side, side));
  }
  with_prefix(mask_label(mask, index) + ": ", [&] { check_camera(mask.camera); });
}

void check_shows_object(const FitMask& mask) {
  constexpr std::size_t kFewestPixels = 16;  // less shows no shape
  const auto object =
      static_cast<std::size_t>(std::ranges::count_if(mask.coverage, [](std::uint8_t value) { return value >= 128; }));
  if (object == 0) throw InputError("the mask is empty");
  const auto unknown =
      static_cast<std::size_t>(std::ranges::count_if(mask.unknown, [](auto value) { return value != 0; }));
  if (object == mask.coverage.size() - unknown) throw InputError("the mask is full");
  if (object < kFewestPixels) throw InputError(fmt::format("the mask has {} pixels of the object", object));
}

}  // namespace p2mpp
