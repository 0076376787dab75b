#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/image/picture_format.h"
#include "io/mesh/mesh_reading.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// What p2mpp reads of a material.
struct ObjMaterial {
  std::string picture;           ///< the name in map_Kd; empty: none
  std::optional<Colour> colour;  ///< Kd
};

/// Parses a material library (MTL). Lines of other kinds are ignored.
[[nodiscard]] std::map<std::string, ObjMaterial, std::less<>> parse_obj_materials(std::string_view text);

/// The name of the only material that format_obj() uses.
inline constexpr std::string_view kTexturedMaterial = "textured";

/// A library of one material with a picture.
[[nodiscard]] std::string format_obj_materials(std::string_view picture, std::string_view comment);

// All readers: vertices whose floats would lose digits are around an origin (placed()). Polygons are cut into
// triangles, and faces with fewer than three corners left out, with a note. `reading`: see MeshReading; null: the file
// is taken alone, and without notes. `name` stands in messages.

/// Encodes a binary glTF 2.0: one mesh with positions, normals and indices, a plain material, and the mesh's texture or
/// colours. Vertices are split where the texture has seams. A node's translation is the origin. `generator` is a field
/// of the file's asset. Precondition: triangles, and a normal for each vertex. Source:
/// https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
[[nodiscard]] std::string format_glb(const TriangleMesh& mesh, const std::string& generator,
                                     PictureFormat picture = PictureFormat::kPng);

/// The same without colours, with a morph target, the vertices and normals of `to`, and an animation of `seconds` to it
/// and `seconds` back. Precondition: both meshes have the same triangles and the same origin.
[[nodiscard]] std::string format_morphing_glb(const TriangleMesh& from, const TriangleMesh& to, float seconds,
                                              const std::string& generator);

/// Decodes a GLB or a glTF file: the meshes of its scene, joined, with the transforms of their nodes. Reads positions
/// and normals, colours of vertices, and the base colours of materials as one texture. Vertices that format_glb() split
/// are joined again. Geometry that is compressed with Draco or meshopt is unpacked. Throws InputError naming the file
/// and the problem: no triangle, an array outside of the file, compressed geometry in a build without that library.
[[nodiscard]] TriangleMesh parse_gltf(std::string_view bytes, const std::string& name, MeshReading* reading = nullptr);

/// Parses a Wavefront OBJ. Faces may be missing. Reads v with colours after the coordinates, f, and vt with the
/// pictures and colours of the materials; all else is ignored. Throws InputError naming the file and the problem (no
/// vertex, an index out of range).
[[nodiscard]] TriangleMesh parse_obj(std::string_view text, const std::string& name, MeshReading* reading = nullptr);

/// Encodes an OBJ: v x y z with 9 significant digits, or all digits of a double if there is an origin; vn if the mesh
/// has normals; f counted from 1. Each line of `comment` becomes a comment. `library`: the file name of the materials
/// (format_obj_materials()) if the texture is to be used; otherwise colours follow the coordinates.
[[nodiscard]] std::string format_obj(const TriangleMesh& mesh, const std::string& comment,
                                     std::string_view library = {});

/// Parses a PLY (ASCII or binary, either byte order) with normals and colours. Faces may be missing; other elements and
/// properties are skipped. Throws InputError naming the file and the problem: no vertex, truncated, an index out of
/// range, a coordinate that is not finite.
[[nodiscard]] TriangleMesh parse_ply(std::string_view bytes, const std::string& name, MeshReading* reading = nullptr);

/// Parses an OFF as text: "OFF" may be missing or stand on the line of the counts; with normals and colours of vertices
/// and colours of faces. Throws InputError naming the file and the line.
[[nodiscard]] TriangleMesh parse_off(std::string_view text, const std::string& name, MeshReading* reading = nullptr);

/// Encodes a 3MF, compressed: one object in millimetres, with the mesh's texture or the colours of its vertices
/// (materials extension). Triangles that name a vertex twice are left out. Source: 3MF Core Specification 1.3,
/// Materials and Properties Extension 1.2.
[[nodiscard]] std::string format_3mf(const TriangleMesh& mesh, const std::string& comment,
                                     PictureFormat picture = PictureFormat::kPng);

/// Encodes a USDZ: a layer as text with one mesh in metres, its normals and a UsdPreviewSurface of its texture or its
/// vertices' colours, and the picture. A translation is the origin. Precondition: a normal for each vertex. Source:
/// https://openusd.org/release/spec_usdz.html
[[nodiscard]] std::string format_usdz(const TriangleMesh& mesh, const std::string& comment,
                                      PictureFormat picture = PictureFormat::kPng);

/// Parses only the vertices of a PLY. Faces are ignored.
[[nodiscard]] std::vector<Eigen::Vector3d> parse_ply_points(std::string_view bytes, const std::string& name);

/// Encodes a binary, little-endian PLY: x y z in float, or in double if there is an origin; nx ny nz if the mesh has
/// normals; red green blue if it has colours; vertex_indices if it has triangles. Precondition: `comment` is one line.
[[nodiscard]] std::string format_ply(const TriangleMesh& mesh, const std::string& comment);

/// Encodes a binary STL: the unit normal (zero for a triangle without area) and the three corners of each triangle. Its
/// header of 80 bytes has room for the end of `comment` only, from ", frame " on. Far from zero, its floats lose
/// digits.
[[nodiscard]] std::string format_stl(const TriangleMesh& mesh, const std::string& comment = {});

/// Parses an STL, binary or text. Corners at the same position become one vertex, in the order of their first
/// occurrence. Bytes after a binary STL are ignored. Throws InputError naming the file and the problem: truncated, no
/// triangle, a coordinate that is not finite.
[[nodiscard]] TriangleMesh parse_stl(std::string_view bytes, const std::string& name, MeshReading* reading = nullptr);

/// Parses a text with columns of numbers: columns 1 to 3 are points; columns 4 to 6 are normals if they are unit
/// vectors in every line. The columns' names may stand in the first line. Throws InputError naming the file and the
/// line.
[[nodiscard]] TriangleMesh parse_xyz(std::string_view text, const std::string& name, MeshReading* reading = nullptr);

/// Parses a pickled array [N,>=3], or the second of a pair of arrays (see pickle.h), as points and, if present,
/// normals. Throws InputError naming the file.
[[nodiscard]] TriangleMesh parse_dat(std::string_view bytes, const std::string& name, MeshReading* reading = nullptr);

/// Encodes an XYZ file, which numpy.loadtxt reads: x y z per line.
[[nodiscard]] std::string format_xyz(const TriangleMesh& mesh);

/// Appends "x y z" with 9 significant digits, so that reading gives the same floats.
void append_coordinates(std::string& text, const Eigen::Vector3f& point);

/// The same of a vertex; with all digits of a double if the mesh has an origin.
void append_vertex(std::string& text, const TriangleMesh& mesh, std::size_t i);

}  // namespace p2mpp
