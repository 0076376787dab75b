#include "cli/coarse_meshes.h"

#include <fmt/format.h>

#include "io/atomic_file.h"
#include "io/mesh_file.h"

namespace p2mpp::cli {
namespace {

TriangleMesh level_mesh(const Points& vertices, const TemplateLevel& level, const Sample& sample, Frame frame) {
  TriangleMesh mesh{vertices, level.oriented_triangles};
  if (signed_volume(mesh) < 0) {
    for (Triangle& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  }
  if (frame == Frame::kWorld) {
    const Camera camera = camera_from_row(sample.views.front().camera);
    for (Eigen::Vector3f& vertex : mesh.vertices) vertex = camera.world_from_cam(vertex.cast<double>()).cast<float>();
  }
  return mesh;
}

}  // namespace

std::vector<std::filesystem::path> write_coarse_meshes(const std::filesystem::path& folder, const Sample& sample,
                                                       const Reconstruction& reconstruction,
                                                       const MeshTemplate& mesh_template, Frame frame,
                                                       const std::string& comment) {
  std::vector<std::filesystem::path> paths;
  for (std::size_t level = 0; level < reconstruction.coarse.size(); ++level) {
    const TriangleMesh mesh = level_mesh(reconstruction.coarse[level], mesh_template.levels[level], sample, frame);
    paths.push_back(folder / fmt::format("{}_coarse{}.obj", sample.id, level + 1));
    write_file_atomically(paths.back(), format_obj(mesh, comment));
  }
  return paths;
}

}  // namespace p2mpp::cli
