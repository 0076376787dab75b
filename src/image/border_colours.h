#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "image/object_mask.h"
#include "p2mpp/image.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The pixels of a frame along the border, a hundredth of the image's shorter side wide.
[[nodiscard]] std::vector<const std::uint8_t*> border_pixels(const Image& image);

/// Of each channel.
[[nodiscard]] Colour median_colour(const std::vector<const std::uint8_t*>& pixels);

/// The largest of the channels'.
[[nodiscard]] inline int colour_difference(const std::uint8_t* pixel, const Colour& colour) {
  const int red = std::abs(pixel[0] - colour[0]), green = std::abs(pixel[1] - colour[1]);
  return std::max(std::max(red, green), std::abs(pixel[2] - colour[2]));
}

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
