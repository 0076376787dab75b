#include "render/silhouette.h"

#include <algorithm>
#include <numeric>

#include "render/mesh_frame.h"
#include "render/pixel_samples.h"
#include "render/resample.h"

namespace p2mpp {
namespace {

constexpr std::uint8_t kNearlyWhite = 245;  ///< in every channel; a JPEG's white is not quite 255

bool has_transparency(const Image& image) {
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) {
    if (image.rgba[i] != 255) return true;
  }
  return false;
}

}  // namespace

double Silhouette::area() const {
  return std::accumulate(cover.begin(), cover.end(), 0.0) / static_cast<double>(cover.size());
}

Silhouette project_silhouette(const RayScene& scene, const TriangleMesh& mesh, const PictureCamera& camera,
                              std::size_t side, int samples) {
  const int pixels = static_cast<int>(side);
  const PixelSamples pixel_samples(pixels, pixels, samples, mesh.vertices, point_radius(mesh), camera);
  Silhouette silhouette{side, std::vector<float>(side * side)};
  std::vector<Ray> rays;
  std::vector<RayHit> hits;
  for (int row = 0; row < pixels; ++row) {
    pixel_samples.cast_row(row, rays);
    hits.resize(rays.size());
    scene.intersect(rays, hits);
    for (int column = 0; column < pixels; ++column) {
      const auto [first, count] = pixel_samples.rays_of(row, column);
      const auto begin = hits.begin() + static_cast<std::ptrdiff_t>(first);
      const auto covered =
          std::count_if(begin, begin + static_cast<std::ptrdiff_t>(count), [](const RayHit& hit) { return hit.hit(); });
      silhouette.cover[static_cast<std::size_t>(row) * side + static_cast<std::size_t>(column)] =
          static_cast<float>(covered) / static_cast<float>(samples);
    }
  }
  return silhouette;
}

Silhouette image_silhouette(const Image& image, std::size_t side) {
  Image mask{image.width, image.height, std::vector<std::uint8_t>(image.rgba.size())};
  const bool by_alpha = has_transparency(image);
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    const bool is_white = std::min({image.rgba[i], image.rgba[i + 1], image.rgba[i + 2]}) >= kNearlyWhite;
    mask.rgba[i + 3] = by_alpha ? image.rgba[i + 3] : is_white ? 0 : 255;
  }
  const Image square = resampled(mask, static_cast<int>(side), static_cast<int>(side));
  Silhouette silhouette{side, {}};
  for (std::size_t i = 3; i < square.rgba.size(); i += 4) {
    silhouette.cover.push_back(static_cast<float>(square.rgba[i]) / 255);
  }
  return silhouette;
}

double intersection_over_union(const Silhouette& a, const Silhouette& b) {
  std::size_t both = 0, either = 0;
  for (std::size_t i = 0; i < a.cover.size(); ++i) {
    const bool in_a = a.cover[i] >= 0.5F, in_b = b.cover[i] >= 0.5F;
    both += in_a && in_b;
    either += in_a || in_b;
  }
  return either == 0 ? 1 : static_cast<double>(both) / static_cast<double>(either);
}

}  // namespace p2mpp
