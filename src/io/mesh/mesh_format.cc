#include "io/mesh/mesh_format.h"

#include <fmt/format.h>

#include "io/mesh/glb_file.h"
#include "io/mesh/mesh_file.h"
#include "io/mesh/ply_file.h"
#include "io/mesh/stl_file.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"

namespace p2mpp {
namespace {

TriangleMesh with_normals(const TriangleMesh& mesh) {
  TriangleMesh result = mesh;
  result.normals = vertex_cloud(mesh).normals;
  return result;
}

TriangleMesh without_normals(const TriangleMesh& mesh) { return {mesh.vertices, mesh.triangles}; }

void require_triangles(const TriangleMesh& mesh, MeshFormat format) {
  if (!mesh.triangles.empty()) return;
  throw InputError(fmt::format("a mesh without triangles; expected some to be written as {}", to_string(format)));
}

}  // namespace

std::string_view to_string(MeshFormat format) {
  switch (format) {
    case MeshFormat::kObj:
      return "obj";
    case MeshFormat::kXyz:
      return "xyz";
    case MeshFormat::kPly:
      return "ply";
    case MeshFormat::kGlb:
      return "glb";
    case MeshFormat::kStl:
      break;
  }
  return "stl";
}

MeshFormat mesh_format(std::string_view name) {
  for (const MeshFormat format : kMeshFormats) {
    if (to_string(format) == name) return format;
  }
  throw UsageError(fmt::format("'{}' is not a mesh format; expected obj, xyz, ply, glb or stl", name));
}

std::string encode_mesh(const TriangleMesh& mesh, MeshFormat format, const MeshEncoding& encoding) {
  switch (format) {
    case MeshFormat::kObj:
      return format_obj(encoding.normals ? with_normals(mesh) : without_normals(mesh), encoding.comment);
    case MeshFormat::kXyz:
      return format_xyz(mesh.vertices);
    case MeshFormat::kPly:
      return format_ply(encoding.normals ? with_normals(mesh) : without_normals(mesh), encoding.comment);
    case MeshFormat::kGlb:
      require_triangles(mesh, format);
      return format_glb(with_normals(mesh), encoding.comment);
    case MeshFormat::kStl:
      break;
  }
  require_triangles(mesh, format);
  return format_stl(mesh);
}

}  // namespace p2mpp
