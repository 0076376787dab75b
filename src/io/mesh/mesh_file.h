#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/image/picture_format.h"
#include "p2mpp/export.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A length in metres: "1.2mm", "12 cm", "0.5in", "3m", and "mm" alone for 1 mm. Empty for other texts, and unless the
/// length is above zero and finite.
[[nodiscard]] std::optional<double> parse_length(std::string_view text);

/// The shortest such text of a length: "mm", "57.3mm".
[[nodiscard]] std::string length_text(double metres);

/// The comment by which a mesh's file says the length of its unit: "unit: mm".
[[nodiscard]] std::string unit_comment(double metres_per_unit);

/// The length in metres that unit_comment() says in the first line of an OBJ. Empty if it says none.
[[nodiscard]] std::optional<double> unit_of_obj(std::string_view text);

/// The formats that meshes are written in.
enum class MeshFormat {
  kObj,   ///< Wavefront OBJ: text; vertices and triangles
  kXyz,   ///< the vertices alone, "x y z" a line
  kPly,   ///< binary, little-endian
  kGlb,   ///< binary glTF 2.0 with normals
  kStl,   ///< binary: triangles with three corners each
  k3mf,   ///< for printers: a ZIP archive with XML and the texture; written only
  kUsdz,  ///< for Apple's devices and USD: a ZIP archive with the mesh as text and the texture; written only
};
inline constexpr std::array kMeshFormats = {MeshFormat::kObj, MeshFormat::kXyz, MeshFormat::kPly, MeshFormat::kGlb,
                                            MeshFormat::kStl, MeshFormat::k3mf, MeshFormat::kUsdz};

/// "obj", "xyz", ...: the format's name and its files' extension.
[[nodiscard]] std::string_view to_string(MeshFormat format);

/// The format of a name. Throws UsageError if there is none.
[[nodiscard]] MeshFormat mesh_format(std::string_view name);

struct MeshEncoding {
  std::string comment = {};                     ///< the origin of the mesh, for formats that can store a comment
  bool normals = false;                         ///< of the vertices, in OBJ and PLY; GLB always has them
  PictureFormat picture = PictureFormat::kPng;  ///< of a texture
  bool alone = false;                           ///< an OBJ has colours of its vertices instead of a texture's files
  /// The length of the mesh's unit. GLB and USDZ are then written in metres, 3MF and STL in millimetres; OBJ and PLY
  /// keep the unit and name it in their first comment; XYZ keeps it. Empty if unknown: the numbers stay.
  std::optional<double> metres_per_unit = {};
};

struct MeshFile {
  std::filesystem::path path;
  std::string bytes;
};

/// Encodes a mesh as the file `path`, the last of the result. Before it stand the files that it names: the picture and
/// the materials of an OBJ with a texture, beside it, unless it is to be alone. GLB, 3MF and USDZ have their texture in
/// them; PLY has colours of the vertices, of the texture if need be; XYZ and STL have none. Missing normals are
/// area-weighted means of the triangles' normals. Throws InputError if the format needs triangles (GLB, STL, 3MF, USDZ)
/// and the mesh has none.
[[nodiscard]] std::vector<MeshFile> encode_mesh_files(const TriangleMesh& mesh, MeshFormat format,
                                                      const MeshEncoding& encoding, const std::filesystem::path& path);

/// Writes the files of a mesh, so that each appears complete or not at all, and the mesh's own last. Precondition: all
/// are in one folder. Throws Error as write_file_atomically() does.
void write_mesh_files(std::span<const MeshFile> files);

/// What a file of a format holds of a mesh's colours, at most.
enum class HeldColours { kNone, kOfVertices, kTexture, kTextureAndNormalMap };
[[nodiscard]] HeldColours held_colours(MeshFormat format);

/// The mesh's file alone: an OBJ is without its texture.
[[nodiscard]] std::string encode_mesh(const TriangleMesh& mesh, MeshFormat format, const MeshEncoding& encoding);

/// The format in which a mesh like a file is written, by the extension, in capitals or not: GLB for .gltf, PLY for
/// .off. Empty if there is none.
[[nodiscard]] std::optional<MeshFormat> format_of(const std::filesystem::path& path);

/// A mesh, and what its reader has to say, one line each: that polygons are cut into triangles, that a picture is
/// missing.
struct NotedMesh {
  TriangleMesh mesh;
  std::vector<std::string> notes;
  std::optional<double> metres_per_unit = {};  ///< glTF is in metres; an OBJ may name its unit; others have none
};

/// Reads a mesh's vertices and, if the file has them, its triangles (.obj, .ply, .glb, .gltf, .stl, .off), vertex
/// normals (.ply, .glb, .gltf, .off, .xyz, .dat), texture (.obj, .ply, .glb, .gltf) and colours (all but .stl, .xyz and
/// .dat). The
/// format is that of the extension; see mesh_formats.h. Files that a mesh names are read from its folder. Throws
/// InputError naming the file and the problem.
[[nodiscard]] NotedMesh read_noted_mesh(const std::filesystem::path& path);

/// The same without the notes.
[[nodiscard]] P2MPP_EXPORT TriangleMesh read_mesh(const std::filesystem::path& path);

/// The same from memory; the format is that of the path's extension, and the path stands in messages.
[[nodiscard]] NotedMesh parse_noted_mesh(std::string_view bytes, const std::filesystem::path& path);

}  // namespace p2mpp
