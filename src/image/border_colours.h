#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "image/object_mask.h"

namespace p2mpp {

/// The colours at the borders of the photographs of one object. What most of them show there is background, even if it
/// is not of one colour: a cloth, a stand, a table.
class BorderColours {
 public:
  /// Thread-safe.
  void add(const Image& image);

  /// Whether the photographs together say more than each alone: most of them share border colours that differ from
  /// their median. Otherwise object_mask() of each alone is exact to fractions of a pixel.
  [[nodiscard]] bool help() const;

  /// Whether a pixel's colour, or one next to it, is at the border of most photographs.
  [[nodiscard]] bool contain(const std::uint8_t* pixel) const;

 private:
  static constexpr int kSteps = 16;  ///< of each channel
  [[nodiscard]] bool is_shared(int red, int green, int blue) const;

  std::array<std::atomic<std::uint32_t>, kSteps * kSteps * kSteps> photographs_{};  ///< that have a colour
  std::atomic<std::uint32_t> count_ = 0, uneven_ = 0;
};

/// As the other object_mask(). If shared.help(), what has shared colours and is joined to the border is background,
/// too.
[[nodiscard]] ObjectMask object_mask(const Image& image, const std::string& name, const BackgroundColour& background,
                                     const BorderColours& shared);

}  // namespace p2mpp
