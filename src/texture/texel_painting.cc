#include "texture/texel_painting.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "image/srgb.h"
#include "texture/chart_packing.h"

namespace p2mpp {
namespace {

constexpr int kBandRows = 32;  ///< of a texture, drawn by one thread
constexpr std::int32_t kNobody = -1;
constexpr std::size_t kFacesATask = 512;

std::pair<int, int> to_rows(const Texels& at, int size) {
  const auto [top, bottom] = std::minmax({at[0].y(), at[1].y(), at[2].y()});
  return {std::clamp(static_cast<int>(std::floor(top - 0.5F)), 0, size - 1),
          std::clamp(static_cast<int>(std::ceil(bottom + 0.5F)), 0, size - 1)};
}

/// The triangle of each texel, the first of several: [size, size].
std::vector<std::int32_t> find_owners(const PaintedSurface& surface, int size, int threads) {
  const int bands = (size + kBandRows - 1) / kBandRows;
  std::vector<std::vector<std::uint32_t>> faces_in(static_cast<std::size_t>(bands));
  for (std::uint32_t face = 0; face < surface.triangles.size(); ++face) {
    const auto [first, last] = to_rows(surface.texels[face], size);
    for (int band = first / kBandRows; band <= last / kBandRows; ++band) {
      faces_in[static_cast<std::size_t>(band)].push_back(face);
    }
  }
  std::vector<std::int32_t> owners(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), kNobody);
  for_each_task(faces_in.size(), threads, [&](std::size_t band) {
    const int top = static_cast<int>(band) * kBandRows, bottom = std::min(size, top + kBandRows);
    for (const std::uint32_t face : faces_in[band]) {
      for_each_texel(
          surface.texels[face],
          [&](int x, int y, const Eigen::Vector3f& /*weights*/) {
            if (x < 0 || x >= size) return;
            std::int32_t& owner =
                owners[static_cast<std::size_t>(y) * static_cast<std::size_t>(size) + static_cast<std::size_t>(x)];
            if (owner == kNobody) owner = static_cast<std::int32_t>(face);
          },
          {top, bottom});
    }
  });
  return owners;
}

void put(const Eigen::Vector3f& colour, std::uint8_t* rgba) {
  for (int channel = 0; channel < 3; ++channel) rgba[channel] = srgb_from_linear(colour[channel]);
  rgba[3] = 255;
}

/// The four places of a texel, as weights of the triangle's corners.
struct TexelPlaces {
  std::array<Eigen::Vector3f, 4> offsets{};

  explicit TexelPlaces(const Texels& at) {
    const Eigen::Vector2d b = (at[1] - at[0]).cast<double>(), c = (at[2] - at[0]).cast<double>();
    const double twice = b.x() * c.y() - b.y() * c.x();
    if (!(std::abs(twice) > 0)) return;
    std::size_t count = 0;
    for (const double y : {-0.25, 0.25}) {
      for (const double x : {-0.25, 0.25}) {
        const double u = (x * c.y() - y * c.x()) / twice, v = (b.x() * y - b.y() * x) / twice;
        offsets[count++] = Eigen::Vector3d(-u - v, u, v).cast<float>();
      }
    }
  }
};

void paint_face(const SurfacePaint& paint, const std::vector<std::int32_t>& owners, std::size_t face, int size,
                Image& texture) {
  const PaintedSurface& surface = paint.surface;
  const std::vector<BlendedView> blended = blended_views(paint, face);
  const TexelPlaces places(surface.texels[face]);
  for_each_texel(surface.texels[face], [&](int x, int y, const Eigen::Vector3f& weights) {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    const std::size_t texel =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(size) + static_cast<std::size_t>(x);
    if (owners[texel] != static_cast<std::int32_t>(face)) return;
    if (blended.empty()) {
      Eigen::Array3f colour = Eigen::Array3f::Zero();
      for (std::size_t i = 0; i < 3; ++i) {
        colour +=
            weights[static_cast<int>(i)] * paint.vertex_colours[static_cast<std::size_t>(surface.triangles[face][i])];
      }
      return put(colour.matrix(), &texture.rgba[4 * texel]);
    }
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    float count = 0;
    for (const Eigen::Vector3f& offset : places.offsets) {
      const SeenColour seen = blended_colour(paint, blended, weights + offset);
      if (!seen.is_valid) continue;
      sum += seen.colour;
      ++count;
    }
    if (count > 0) put(sum / count, &texture.rgba[4 * texel]);
  });
}

/// Half the size; a pixel is the mean of those with alpha.
Image halved(const Image& image) {
  Image half{std::max(1, image.width / 2), std::max(1, image.height / 2), {}};
  half.rgba.assign(4 * static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height), 0);
  for (int y = 0; y < half.height; ++y) {
    for (int x = 0; x < half.width; ++x) {
      std::array<int, 3> sum{};
      int count = 0;
      for (int k = 0; k < 4; ++k) {
        const int row = std::min(2 * y + k / 2, image.height - 1), column = std::min(2 * x + k % 2, image.width - 1);
        const std::uint8_t* rgba =
            &image.rgba[4 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                             static_cast<std::size_t>(column))];
        if (rgba[3] == 0) continue;
        for (std::size_t c = 0; c < 3; ++c) sum[c] += rgba[c];
        ++count;
      }
      if (count == 0) continue;
      std::uint8_t* out = &half.rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(half.width) +
                                          static_cast<std::size_t>(x))];
      for (std::size_t c = 0; c < 3; ++c) out[c] = static_cast<std::uint8_t>((sum[c] + count / 2) / count);
      out[3] = 255;
    }
  }
  return half;
}

/// Fills what has no alpha from an opaque image of half the size, bilinearly.
void fill_from(const Image& half, Image& image) {
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      std::uint8_t* out = &image.rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                                           static_cast<std::size_t>(x))];
      if (out[3] != 0) continue;
      // The nearest pixel of the smaller image counts three quarters each way, the next one a quarter.
      const int row = std::min(y / 2, half.height - 1), column = std::min(x / 2, half.width - 1);
      const int row2 = std::clamp(row + (y % 2 == 0 ? -1 : 1), 0, half.height - 1);
      const int column2 = std::clamp(column + (x % 2 == 0 ? -1 : 1), 0, half.width - 1);
      const auto at = [&](int r, int c) {
        return &half.rgba[4 * (static_cast<std::size_t>(r) * static_cast<std::size_t>(half.width) +
                               static_cast<std::size_t>(c))];
      };
      for (std::size_t c = 0; c < 3; ++c) {
        const int value =
            9 * at(row, column)[c] + 3 * at(row, column2)[c] + 3 * at(row2, column)[c] + at(row2, column2)[c];
        out[c] = static_cast<std::uint8_t>((value + 8) / 16);
      }
      out[3] = 255;
    }
  }
}

}  // namespace

std::vector<BlendedView> blended_views(const SurfacePaint& paint, std::size_t face) {
  std::vector<BlendedView> blended;
  const Triangle& triangle = paint.surface.triangles[face];
  for (const FaceView& seen : paint.face_views.of(face)) {
    if (!(seen.quality > 0)) continue;
    BlendedView view{.view = seen.view};
    float sum = 0;
    Eigen::Array3f mean = Eigen::Array3f::Zero();
    std::array<bool, 3> has_correction{};
    for (std::size_t i = 0; i < 3; ++i) {
      const VertexView* at = paint.blend.find(static_cast<std::size_t>(triangle[i]), seen.view);
      if (at == nullptr) continue;
      view.weights[i] = at->weight;
      view.corrections[i] = at->correction;
      has_correction[i] = true;
      mean += at->weight * at->correction;
      sum += at->weight;
    }
    if (!(sum > 0)) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!has_correction[i]) view.corrections[i] = mean / sum;
      const auto pixel = paint.views[seen.view].pixel_of(paint.surface.corner(face, i).cast<double>());
      view.pixels[i] = pixel.value_or(Eigen::Vector2f::Constant(-1));
    }
    blended.push_back(view);
  }
  if (!blended.empty()) return blended;
  // No view of its corners shows the triangle: the best one that does.
  for (const FaceView& seen : paint.face_views.of(face)) {
    if (!(seen.quality > 0)) continue;
    BlendedView view{.view = seen.view, .weights = {1, 1, 1}};
    for (std::size_t i = 0; i < 3; ++i) {
      view.corrections[i].setZero();
      const auto pixel = paint.views[seen.view].pixel_of(paint.surface.corner(face, i).cast<double>());
      view.pixels[i] = pixel.value_or(Eigen::Vector2f::Constant(-1));
    }
    return {view};
  }
  return {};
}

SeenColour blended_colour(const SurfacePaint& paint, const std::vector<BlendedView>& blended,
                          const Eigen::Vector3f& weights) {
  constexpr float kLeast = 1e-4F;  // a place at the edge of a triangle where its only view has no weight
  SeenColour result;
  float sum = 0;
  for (const BlendedView& view : blended) {
    float weight = 0;
    Eigen::Vector2f pixel = Eigen::Vector2f::Zero();
    Eigen::Array3f correction = Eigen::Array3f::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      const float share = weights[static_cast<int>(i)];
      weight += share * view.weights[i];
      pixel += share * view.pixels[i];
      correction += share * view.corrections[i];
    }
    weight = std::max(weight, kLeast);
    const SeenColour seen = paint.views[view.view].at(pixel);
    if (!seen.is_valid) continue;
    result.colour += weight * (paint.balances[view.view].applied(seen.colour) + correction.matrix());
    sum += weight;
  }
  if (!(sum > 0)) return {};
  result.colour /= sum;
  result.is_valid = true;
  return result;
}

Image paint_texels(const SurfacePaint& paint, int size, int threads) {
  Image texture{size, size, {}};
  texture.rgba.assign(4 * static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0);
  const std::vector<std::int32_t> owners = find_owners(paint.surface, size, threads);
  const std::size_t faces = paint.surface.triangles.size();
  for_each_task((faces + kFacesATask - 1) / kFacesATask, threads, [&](std::size_t task) {
    for (std::size_t face = task * kFacesATask; face < std::min(faces, (task + 1) * kFacesATask); ++face) {
      paint_face(paint, owners, face, size, texture);
    }
  });
  return texture;
}

void fill_gaps(Image& texture) {
  std::vector<Image> smaller = {halved(texture)};
  while (smaller.back().width > 1) smaller.push_back(halved(smaller.back()));
  for (std::size_t level = smaller.size() - 1; level > 0; --level) fill_from(smaller[level], smaller[level - 1]);
  fill_from(smaller.front(), texture);
}

}  // namespace p2mpp
