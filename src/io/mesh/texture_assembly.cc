#include "io/mesh/texture_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "io/image/image_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kPadding = 4;     ///< pixels around a part that repeat its edge, so that filters do not mix parts
constexpr int kLeastSide = 1;   ///< pixels of a picture: one is a plain colour
constexpr int kColourSide = 4;  ///< pixels of a plain colour
constexpr Colour kNoMaterial = {200, 200, 200};

/// Moves a triangle that lies in one copy of a repeated picture into the first one.
void move_into_first_copy(std::array<Eigen::Vector2f, 3>& corners) {
  Eigen::Vector2f low = corners[0], high = corners[0];
  for (Eigen::Vector2f& corner : corners) {
    if (!corner.allFinite()) corner.setZero();
    low = low.cwiseMin(corner);
    high = high.cwiseMax(corner);
  }
  for (int axis = 0; axis < 2; ++axis) {
    if (low[axis] >= 0 && high[axis] <= 1) continue;
    const float copy = std::floor(low[axis]);
    for (Eigen::Vector2f& corner : corners) corner[axis] -= copy;
  }
}

Image plain_image(const Colour& colour) {
  Image image{kColourSide, kColourSide, {}};
  for (int i = 0; i < kColourSide * kColourSide; ++i) {
    image.rgba.insert(image.rgba.end(), {colour[0], colour[1], colour[2], 255});
  }
  return image;
}

}  // namespace

std::optional<std::size_t> TextureAssembly::add_picture(std::string_view bytes, const std::string& name) {
  try {
    const ImageSize size = image_size(bytes, name, kLeastSide);
    pixels_ += std::int64_t{size.width} * size.height;
    if (pixels_ > kMaxImagePixels) throw InputError(fmt::format("{}: is too large beside the others", name));
    parts_.push_back({decode_image(bytes, name, Orientation::kAsStored, kMaxImageSide, kLeastSide), true});
  } catch (const InputError& error) {
    notes_.push_back(fmt::format("a picture is not used: {}", error.what()));
    return std::nullopt;
  }
  return parts_.size() - 1;
}

std::size_t TextureAssembly::add_colour(const Colour& colour) {
  Image image = plain_image(colour);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].is_picture && parts_[i].image.rgba == image.rgba) return i;
  }
  parts_.push_back({std::move(image), false});
  return parts_.size() - 1;
}

void TextureAssembly::add_triangle(std::optional<std::size_t> part, const std::array<Eigen::Vector2f, 3>& corners) {
  part_of_.push_back(part ? *part : add_colour(kNoMaterial));
  corners_.push_back(corners);
  move_into_first_copy(corners_.back());
}

bool TextureAssembly::has_repeats() const {
  constexpr float kRounding = 1e-4F;
  for (std::size_t t = 0; t < corners_.size(); ++t) {
    if (!parts_[part_of_[t]].is_picture) continue;
    for (const Eigen::Vector2f& corner : corners_[t]) {
      if (corner.minCoeff() < -kRounding || corner.maxCoeff() > 1 + kRounding) return true;
    }
  }
  return false;
}

/// In rows, the highest first. Returns false if they do not fit into an image.
bool TextureAssembly::place_parts(Image& image) {
  std::vector<std::size_t> order(parts_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return parts_[i].image.height; });
  double area = 0;
  int width = 0;
  for (const Part& part : parts_) {
    area += (part.image.width + 2.0 * kPadding) * (part.image.height + 2.0 * kPadding);
    width = std::max(width, part.image.width + 2 * kPadding);
  }
  width = std::max(width, static_cast<int>(std::ceil(std::sqrt(area))));
  std::int64_t left = 0, top = 0, row_height = 0;
  for (const std::size_t i : order) {
    Part& part = parts_[i];
    if (left + part.image.width + 2 * kPadding > width) {
      top += std::exchange(row_height, 0);
      left = 0;
    }
    if (top + part.image.height + 2 * kPadding > kMaxImageSide) return false;
    part.left = static_cast<int>(left) + kPadding;
    part.top = static_cast<int>(top) + kPadding;
    left += part.image.width + 2 * kPadding;
    row_height = std::max(row_height, std::int64_t{part.image.height} + 2 * kPadding);
  }
  image.width = width;
  image.height = static_cast<int>(top + row_height);
  return width <= kMaxImageSide && std::int64_t{image.width} * image.height <= kMaxImagePixels;
}

void TextureAssembly::copy_parts(Image& image) const {
  image.rgba.assign(4 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height), 255);
  for (const Part& part : parts_) {
    for (int row = -kPadding; row < part.image.height + kPadding; ++row) {
      const int from_row = std::clamp(row, 0, part.image.height - 1);
      for (int column = -kPadding; column < part.image.width + kPadding; ++column) {
        const int from_column = std::clamp(column, 0, part.image.width - 1);
        const std::size_t from = 4 * (static_cast<std::size_t>(from_row) * static_cast<std::size_t>(part.image.width) +
                                      static_cast<std::size_t>(from_column));
        const std::size_t to = 4 * (static_cast<std::size_t>(part.top + row) * static_cast<std::size_t>(image.width) +
                                    static_cast<std::size_t>(part.left + column));
        std::copy_n(part.image.rgba.begin() + static_cast<std::ptrdiff_t>(from), 4,
                    image.rgba.begin() + static_cast<std::ptrdiff_t>(to));
      }
    }
  }
}

std::shared_ptr<const MeshTexture> TextureAssembly::finish() {
  if (std::ranges::none_of(part_of_, [&](std::size_t part) { return parts_[part].is_picture; })) return nullptr;
  auto texture = std::make_shared<MeshTexture>();
  if (parts_.size() == 1) {
    texture->image = std::move(parts_.front().image);
    texture->corners = std::move(corners_);
    return texture;
  }
  if (has_repeats() || !place_parts(texture->image)) {
    notes_.push_back(fmt::format("its {} materials cannot be joined to one texture: the mesh is read without colours",
                                 parts_.size()));
    return nullptr;
  }
  copy_parts(texture->image);
  const Eigen::Vector2f size(static_cast<float>(texture->image.width), static_cast<float>(texture->image.height));
  for (std::size_t t = 0; t < corners_.size(); ++t) {
    const Part& part = parts_[part_of_[t]];
    const Eigen::Vector2f corner(static_cast<float>(part.left), static_cast<float>(part.top));
    const Eigen::Vector2f extent(static_cast<float>(part.image.width), static_cast<float>(part.image.height));
    for (Eigen::Vector2f& uv : corners_[t]) {
      const Eigen::Vector2f inside = part.is_picture ? uv : Eigen::Vector2f(0.5F, 0.5F);
      uv = (corner + inside.cwiseProduct(extent)).cwiseQuotient(size);
    }
  }
  texture->corners = std::move(corners_);
  return texture;
}

}  // namespace p2mpp
