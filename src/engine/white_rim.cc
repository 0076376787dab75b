#include "engine/white_rim.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "backends/common/resize.h"

namespace p2mpp {
namespace {

constexpr double kWidest = 0.03;               // of a rim, as a share of the image's width
constexpr double kLeastWhiteAtBoundary = 0.8;  // share of pixels
constexpr double kMostWhiteInside = 0.25;      // just inside the widest rim

/// The object's pixels in layers: those beside the background, those beside these, ...
class Layers {
 public:
  explicit Layers(const Image& image) : image_(image), widest_(std::max(2, static_cast<int>(kWidest * image.width))) {
    depth_.assign(image.rgba.size() / 4, 0);
    std::vector<std::size_t> layer = boundary();
    for (int depth = 1; depth <= widest_ + 1 && !layer.empty(); ++depth) {
      std::vector<std::size_t> next;
      for (const std::size_t pixel : layer) depth_[pixel] = depth;
      for (const std::size_t pixel : layer) {
        for_each_neighbour(pixel, [&](std::size_t other) {
          if (!is_object(other) || depth_[other] != 0) return;
          depth_[other] = depth + 1;
          next.push_back(other);
        });
      }
      if (depth == 1) at_boundary_ = {.pixels = layer.size(), .white = white_of(layer)};
      if (depth == widest_ + 1) inside_ = {.pixels = layer.size(), .white = white_of(layer)};
      layer = std::move(next);
    }
  }

  struct Count {
    std::size_t pixels = 0, white = 0;
  };
  [[nodiscard]] Count at_boundary() const { return at_boundary_; }
  /// The layer just inside the widest rim.
  [[nodiscard]] Count inside() const { return inside_; }

  /// White pixels that are connected to the background by others, not deeper than the widest rim.
  [[nodiscard]] std::vector<std::uint8_t> rim() const {
    std::vector<std::uint8_t> is_rim(depth_.size(), 0);
    std::vector<std::size_t> open;
    const auto add = [&](std::size_t pixel) {
      if (is_rim[pixel] != 0 || depth_[pixel] == 0 || depth_[pixel] > widest_ || !is_white(pixel)) return;
      is_rim[pixel] = 1;
      open.push_back(pixel);
    };
    for (std::size_t pixel = 0; pixel < depth_.size(); ++pixel) {
      if (depth_[pixel] == 1) add(pixel);
    }
    while (!open.empty()) {
      const std::size_t pixel = open.back();
      open.pop_back();
      for_each_neighbour(pixel, add);
    }
    return is_rim;
  }

 private:
  [[nodiscard]] bool is_object(std::size_t pixel) const { return image_.rgba[4 * pixel + 3] >= kObjectAlpha; }
  [[nodiscard]] bool is_white(std::size_t pixel) const {
    const std::uint8_t* rgba = &image_.rgba[4 * pixel];
    return std::min({rgba[0], rgba[1], rgba[2]}) >= kNotWhite;
  }
  [[nodiscard]] std::size_t white_of(const std::vector<std::size_t>& layer) const {
    return static_cast<std::size_t>(std::ranges::count_if(layer, [&](std::size_t pixel) { return is_white(pixel); }));
  }

  template <class Visit>
  void for_each_neighbour(std::size_t pixel, const Visit& visit) const {
    const auto width = static_cast<std::size_t>(image_.width);
    const std::size_t column = pixel % width;
    if (column > 0) visit(pixel - 1);
    if (column + 1 < width) visit(pixel + 1);
    if (pixel >= width) visit(pixel - width);
    if (pixel + width < depth_.size()) visit(pixel + width);
  }

  [[nodiscard]] std::vector<std::size_t> boundary() const {
    std::vector<std::size_t> found;
    for (std::size_t pixel = 0; pixel < depth_.size(); ++pixel) {
      if (!is_object(pixel)) continue;
      bool is_beside = false;
      for_each_neighbour(pixel, [&](std::size_t other) { is_beside |= !is_object(other); });
      if (is_beside) found.push_back(pixel);
    }
    return found;
  }

  const Image& image_;
  int widest_;
  std::vector<int> depth_;  // 1 beside the background; 0 outside the object and deep inside
  Count at_boundary_, inside_;
};

}  // namespace

std::vector<std::vector<std::uint8_t>> white_rims(std::span<const View> views) {
  std::vector<Layers> layers;
  Layers::Count boundary, inside;
  for (const View& view : views) {
    const Layers& of_view = layers.emplace_back(view.image);
    boundary.pixels += of_view.at_boundary().pixels;
    boundary.white += of_view.at_boundary().white;
    inside.pixels += of_view.inside().pixels;
    inside.white += of_view.inside().white;
  }
  const auto share = [](const Layers::Count& count) {
    return static_cast<double>(count.white) / static_cast<double>(count.pixels);
  };
  if (boundary.pixels == 0 || inside.pixels == 0) return {};
  if (share(boundary) < kLeastWhiteAtBoundary || share(inside) > kMostWhiteInside) return {};
  std::vector<std::vector<std::uint8_t>> rims;
  for (const Layers& of_view : layers) rims.push_back(of_view.rim());
  return rims;
}

}  // namespace p2mpp
