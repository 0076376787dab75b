#include "surface/surface_raster.h"

#include <array>
#include <cstddef>

namespace p2mpp {

SurfaceRaster rasterise(std::span<const Eigen::Vector3f> vertices, std::span<const Triangle> triangles,
                        const Pinhole<float>& camera, int size) {
  const auto pixels = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  SurfaceRaster raster{size, std::vector<float>(pixels, 0), std::vector<std::int32_t>(pixels, -1),
                       project_vertices(vertices, camera)};
  const ProjectedVertices& projected = raster.projected;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    std::array<Eigen::Vector2f, 3> corners;
    std::array<float, 3> nearness{};
    bool is_in_front = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto vertex = static_cast<std::size_t>(triangles[i][k]);
      corners[k] = projected.pixels[vertex];
      nearness[k] = 1 / projected.in_camera[vertex].z();
      is_in_front = is_in_front && nearness[k] > 0;
    }
    if (!is_in_front) continue;
    // 1 / depth of a plane is linear in the pixels.
    for_each_pixel(corners, nearness, size, [&](std::size_t pixel, float here) {
      if (here <= raster.nearness[pixel]) return;
      raster.nearness[pixel] = here;
      raster.faces[pixel] = static_cast<std::int32_t>(i);
    });
  }
  return raster;
}

}  // namespace p2mpp
