#include "refinement/surface_raster.h"

#include <array>
#include <cmath>
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
    const Eigen::Vector2f a = corners[1] - corners[0], b = corners[2] - corners[0];
    const float area = a.x() * b.y() - a.y() * b.x();
    if (!is_in_front || !(std::fabs(area) > 1e-9F)) continue;
    // 1 / depth of a plane is linear in the pixels.
    const float across = ((nearness[1] - nearness[0]) * b.y() - (nearness[2] - nearness[0]) * a.y()) / area;
    const float down = ((nearness[2] - nearness[0]) * a.x() - (nearness[1] - nearness[0]) * b.x()) / area;
    for_each_span(corners[0], corners[1], corners[2], size, [&](int row, int begin, int end) {
      const std::size_t line = static_cast<std::size_t>(row) * static_cast<std::size_t>(size);
      const float y = static_cast<float>(row) + 0.5F - corners[0].y();
      for (int column = begin; column < end; ++column) {
        const float x = static_cast<float>(column) + 0.5F - corners[0].x();
        const float here = nearness[0] + x * across + y * down;
        float& nearest = raster.nearness[line + static_cast<std::size_t>(column)];
        if (here <= nearest) continue;
        nearest = here;
        raster.faces[line + static_cast<std::size_t>(column)] = static_cast<std::int32_t>(i);
      }
    });
  }
  return raster;
}

}  // namespace p2mpp
