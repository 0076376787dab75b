#include "cli/commands/coarse_meshes.h"

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "io/mesh/obj_file.h"
#include "render/mesh_frame.h"

namespace p2mpp::cli {
namespace {

TriangleMesh level_mesh(const Points& vertices, const TemplateLevel& level, const Sample& sample, Frame frame) {
  TriangleMesh mesh{vertices, level.oriented_triangles};
  if (signed_volume(mesh) < 0) {
    for (Triangle& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  }
  if (frame == Frame::kWorld) mesh.vertices = world_from_camera(vertices, sample.views.front().camera);
  return mesh;
}

}  // namespace

std::vector<TriangleMesh> coarse_meshes(const Sample& sample, const Reconstruction& reconstruction,
                                        const MeshTemplate& mesh_template, Frame frame) {
  std::vector<TriangleMesh> meshes;
  for (std::size_t level = 0; level < reconstruction.coarse.size(); ++level) {
    meshes.push_back(level_mesh(reconstruction.coarse[level], mesh_template.levels[level], sample, frame));
  }
  return meshes;
}

std::vector<std::filesystem::path> write_coarse_meshes(const std::filesystem::path& folder, const std::string& id,
                                                       const std::vector<TriangleMesh>& meshes,
                                                       const std::string& comment) {
  std::vector<std::filesystem::path> paths;
  for (const TriangleMesh& mesh : meshes) {
    paths.push_back(folder / fmt::format("{}_coarse{}.obj", id, paths.size() + 1));
    write_file_atomically(paths.back(), format_obj(mesh, comment));
  }
  return paths;
}

}  // namespace p2mpp::cli
