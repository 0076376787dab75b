#include "io/mesh/texture_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "image/srgb.h"
#include "io/image/image_file.h"
#include "io/mesh/mesh_reading.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kPadding = 4;     ///< pixels around a part that repeat its edge, so that filters do not mix parts
constexpr int kLeastSide = 1;   ///< pixels of a picture: one is a plain colour
constexpr int kColourSide = 4;  ///< pixels of a plain colour
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

void multiply(Image& image, const LinearColour& factors) {
  if (factors == kWhite) return;
  std::array<std::array<std::uint8_t, 256>, 3> multiplied{};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t value = 0; value < 256; ++value) {
      const auto linear = static_cast<double>(linear_from_srgb(static_cast<std::uint8_t>(value)));
      multiplied[channel][value] = nearest_srgb(linear * factors[channel]);
    }
  }
  for (std::size_t i = 0; i < image.rgba.size(); ++i) {
    if (i % 4 != 3) image.rgba[i] = multiplied[i % 4][image.rgba[i]];
  }
}

}  // namespace

std::uint8_t nearest_srgb(double linear) {
  static const std::array<float, 255> borders = [] {
    std::array<float, 255> between{};
    for (std::size_t i = 0; i < between.size(); ++i) {
      const auto channel = static_cast<std::uint8_t>(i), next = static_cast<std::uint8_t>(i + 1);
      between[i] = (linear_from_srgb(channel) + linear_from_srgb(next)) / 2;
    }
    return between;
  }();
  return static_cast<std::uint8_t>(std::ranges::upper_bound(borders, static_cast<float>(linear)) - borders.begin());
}

Colour nearest_srgb(const LinearColour& linear) {
  return {nearest_srgb(linear[0]), nearest_srgb(linear[1]), nearest_srgb(linear[2])};
}

std::optional<std::size_t> TextureAssembly::add_picture(std::string_view bytes, const std::string& name,
                                                        const LinearColour& factors) {
  try {
    const ImageSize size = image_size(bytes, name, kLeastSide);
    pixels_ += std::int64_t{size.width} * size.height;
    is_full_ = pixels_ > kMaxImagePixels;
    if (is_full_) throw InputError(fmt::format("{}: is too large beside the others", name));
    parts_.push_back({decode_image(bytes, name, Orientation::kAsStored, kMaxImageSide, kLeastSide), true});
  } catch (const InputError& error) {
    notes_.push_back(fmt::format("a picture is not used: {}", error.what()));
    return std::nullopt;
  }
  multiply(parts_.back().image, factors);
  has_picture_ = true;
  return parts_.size() - 1;
}

std::size_t TextureAssembly::add_colour(const Colour& colour) {
  const auto [known, is_new] = colours_.try_emplace(colour, parts_.size());
  if (is_new) parts_.push_back({plain_image(colour), false});
  return known->second;
}

void TextureAssembly::add_triangle(std::optional<std::size_t> part, const std::array<Eigen::Vector2f, 3>& corners) {
  has_material_ |= part.has_value();
  part_of_.push_back(part ? *part : add_colour(kNoMaterial));
  corners_.push_back(corners);
  move_into_first_copy(corners_.back());
}

void TextureAssembly::add_triangle(const std::optional<Colour>& colour) {
  const Eigen::Vector2f anywhere = Eigen::Vector2f::Zero();
  add_triangle(colour ? std::optional(add_colour(*colour)) : std::nullopt, {anywhere, anywhere, anywhere});
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
  for (const TexturedPart& part : parts_) {
    area += (part.image.width + 2.0 * kPadding) * (part.image.height + 2.0 * kPadding);
    width = std::max(width, part.image.width + 2 * kPadding);
  }
  width = std::max(width, static_cast<int>(std::ceil(std::sqrt(area))));
  std::int64_t left = 0, top = 0, row_height = 0;
  for (const std::size_t i : order) {
    TexturedPart& part = parts_[i];
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
  for (const TexturedPart& part : parts_) {
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

std::optional<Colour> TextureAssembly::only_colour() const {
  const auto is_first = [&](std::size_t part) { return part == part_of_.front(); };
  if (part_of_.empty() || parts_[part_of_.front()].is_picture || !std::ranges::all_of(part_of_, is_first)) {
    return std::nullopt;
  }
  const std::vector<std::uint8_t>& rgba = parts_[part_of_.front()].image.rgba;
  return Colour{rgba[0], rgba[1], rgba[2]};
}

void TextureAssembly::finish(TriangleMesh& mesh) {
  if (!has_material_) return;
  const bool is_plain = std::ranges::none_of(part_of_, [&](std::size_t part) { return parts_[part].is_picture; });
  if (is_plain && !mesh.colours.empty()) return;
  if (const std::optional<Colour> only = only_colour()) {
    mesh.colours.assign(mesh.vertices.size(), *only);
    return;
  }
  mesh.texture = joined();
  if (!mesh.texture || mesh.colours.empty()) return;
  mesh.colours.clear();
  notes_.emplace_back("the colours of its vertices are not used beside its texture");
}

std::shared_ptr<const MeshTexture> TextureAssembly::joined() {
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
    const TexturedPart& part = parts_[part_of_[t]];
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
