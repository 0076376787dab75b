#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "p2mpp/export.h"
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

/// The format of a name. Throws UsageError if there is none.
[[nodiscard]] MeshFormat mesh_format(std::string_view name);

struct MeshEncoding {
  std::string comment;   ///< the origin of the mesh, for formats that can store a comment
  bool normals = false;  ///< of the vertices, in OBJ and PLY; GLB always has them
};

/// Encodes a mesh as a file. Missing normals are area-weighted means of the triangles' normals. Throws InputError if
/// the format needs triangles (GLB, STL) and the mesh has none.
[[nodiscard]] std::string encode_mesh(const TriangleMesh& mesh, MeshFormat format, const MeshEncoding& encoding);

/// The format of a file by its extension, in capitals or not; empty if meshes are not written with it.
[[nodiscard]] std::optional<MeshFormat> format_of(const std::filesystem::path& path);

/// Reads a mesh's vertices and, if the file has them, its triangles (.obj, .ply, .glb, .stl) and vertex normals (.ply,
/// .glb, .xyz, .dat). The format is that of the extension; see the formats' headers. Throws InputError naming the file
/// and the problem.
[[nodiscard]] P2MPP_EXPORT TriangleMesh read_mesh(const std::filesystem::path& path);

/// The same from memory; the format is that of the path's extension, and the path stands in messages.
[[nodiscard]] TriangleMesh parse_mesh(std::string_view bytes, const std::filesystem::path& path);

/// Reads only the vertices of any of these files. Unlike in read_mesh(), a .ply may have any polygons.
[[nodiscard]] Points read_points(const std::filesystem::path& path);

}  // namespace p2mpp
