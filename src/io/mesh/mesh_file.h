#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The formats that meshes are written in.
enum class MeshFormat {
  kObj,  ///< Wavefront OBJ: text; vertices and triangles
  kXyz,  ///< the vertices alone, "x y z" a line
  kPly,  ///< binary, little-endian
  kGlb,  ///< binary glTF 2.0 with normals
  kStl,  ///< binary: triangles with three corners each
};
inline constexpr std::array kMeshFormats = {MeshFormat::kObj, MeshFormat::kXyz, MeshFormat::kPly, MeshFormat::kGlb,
                                            MeshFormat::kStl};

/// "obj", "xyz", ...: the format's name and its files' extension.
[[nodiscard]] std::string_view to_string(MeshFormat format);

/// Expects one of those names.
[[nodiscard]] MeshFormat mesh_format(std::string_view name);

struct MeshEncoding {
  std::string comment;   ///< what made the mesh, for the formats that have a place for it
  bool normals = false;  ///< of the vertices, in OBJ and PLY; GLB always has them
};

/// A mesh as a file's bytes. Normals that it does not have are the mean of their triangles' by area.
/// Throws InputError for a format whose files cannot do without triangles (GLB, STL) where there are none.
[[nodiscard]] std::string encode_mesh(const TriangleMesh& mesh, MeshFormat format, const MeshEncoding& encoding);

/// A mesh's vertices and, where the file has any, its triangles (.obj, .ply, .glb, .stl) and its vertices' normals
/// (.ply, .glb, .xyz, .dat), by the file's extension; see the formats' headers. Throws InputError naming the file and
/// the problem.
[[nodiscard]] TriangleMesh read_mesh(const std::filesystem::path& path);

/// The vertices of any of these files. Unlike read_mesh(), a .ply may have any polygons.
[[nodiscard]] Points read_points(const std::filesystem::path& path);

}  // namespace p2mpp
