#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Encodes a binary glTF 2.0: one mesh with positions, normals and indices, and a plain material. `generator` is a
/// field of the file's asset. Precondition: triangles, and a normal for each vertex. Source:
/// https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
[[nodiscard]] std::string format_glb(const TriangleMesh& mesh, const std::string& generator);

/// The same with a morph target, the vertices and normals of `to`, and an animation of `seconds` to it and `seconds`
/// back. Precondition: both meshes have the same triangles.
[[nodiscard]] std::string format_morphing_glb(const TriangleMesh& from, const TriangleMesh& to, float seconds,
                                              const std::string& generator);

/// Decodes a GLB with one primitive of triangles, with positions, indices and optionally normals, under nodes without a
/// transform, as the functions above write it. Throws InputError naming the file for anything else.
[[nodiscard]] TriangleMesh parse_glb(std::string_view bytes, const std::string& name);

/// Parses a Wavefront OBJ with tinyobjloader. Faces must be triangles and may be missing; everything except v and f is
/// ignored. Throws InputError naming the file and the problem (no vertex, a face with four corners, an index out of
/// range).
[[nodiscard]] TriangleMesh parse_obj(std::string_view text, const std::string& name);

/// Encodes an OBJ: v x y z with 9 significant digits, vn if the mesh has normals, f counted from 1. Each line of
/// `comment` becomes a comment.
[[nodiscard]] std::string format_obj(const TriangleMesh& mesh, const std::string& comment);

/// Parses a PLY (ASCII or binary, either byte order). Faces must be triangles and may be missing; other elements and
/// properties are skipped. Throws InputError naming the file and the problem: no vertex, truncated, a face that is not
/// a triangle, an index out of range, a coordinate that is not finite.
[[nodiscard]] TriangleMesh parse_ply(std::string_view bytes, const std::string& name);

/// Parses only the vertices of a PLY. Faces may be any polygons and are ignored.
[[nodiscard]] Points parse_ply_points(std::string_view bytes, const std::string& name);

/// Encodes a binary, little-endian PLY: x y z, nx ny nz if the mesh has normals, and vertex_indices if it has
/// triangles. Precondition: `comment` is one line.
[[nodiscard]] std::string format_ply(const TriangleMesh& mesh, const std::string& comment);

/// Encodes a binary STL: the unit normal (zero for a triangle without area) and the three corners of each triangle. Its
/// header of 80 bytes has room for the end of `comment` only, from ", frame " on.
[[nodiscard]] std::string format_stl(const TriangleMesh& mesh, const std::string& comment = {});

/// Parses a binary STL. Corners at the same position become one vertex, in the order of their first occurrence. Throws
/// InputError naming the file and the problem: a text STL, truncated, no triangle, a coordinate that is not finite.
[[nodiscard]] TriangleMesh parse_stl(std::string_view bytes, const std::string& name);

/// Parses a text with columns of numbers: columns 1 to 3 are points; columns 4 to 6 are normals if they are unit
/// vectors in every line. Throws InputError naming the file and the line.
[[nodiscard]] TriangleMesh parse_xyz(std::string_view text, const std::string& name);

/// Parses a pickled array [N,>=3], or the second of a pair of arrays (see pickle.h), as points and, if present,
/// normals. Throws InputError naming the file.
[[nodiscard]] TriangleMesh parse_dat(std::string_view bytes, const std::string& name);

/// Encodes an XYZ file, which numpy.loadtxt reads: x y z per line.
[[nodiscard]] std::string format_xyz(const Points& points);

/// Appends "x y z" and a newline, with 9 significant digits, so that reading gives the same floats.
void append_coordinates(std::string& text, const Eigen::Vector3f& point);

}  // namespace p2mpp
