#pragma once

#include <filesystem>
#include <string>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Reads a Wavefront OBJ with tinyobjloader; polygons must be triangles, everything but v and f is
/// ignored. Throws InputError naming the file and what is wrong (no vertex, a face with four
/// corners, an index out of range).
[[nodiscard]] TriangleMesh read_obj(const std::filesystem::path& path);

/// The positions of a point cloud or of a mesh's vertices, by the file's extension: .xyz (numbers
/// in columns, the first three are taken), .ply (ascii or binary, either byte order), .obj, .glb, .stl (binary), .dat
/// (a pickle, see pickle.h: [N,>=3] or a pair of which the second is meant). Throws InputError naming the file and what
/// is wrong.
[[nodiscard]] Points read_points(const std::filesystem::path& path);

/// A mesh's vertices and, where the file has any, its triangles (.obj, .ply, .glb, .stl) and its vertices' normals
/// (.ply: nx ny nz; .glb; .xyz, .dat: columns 4 to 6 if they are unit vectors in every row).
[[nodiscard]] TriangleMesh read_mesh(const std::filesystem::path& path);

/// The text of an OBJ (v x y z with 9 significant digits, vn where the mesh has normals, f from 1) and of an XYZ that
/// numpy.loadtxt reads (x y z a line).
[[nodiscard]] std::string format_obj(const TriangleMesh& mesh, const std::string& comment);
[[nodiscard]] std::string format_xyz(const Points& points);

}  // namespace p2mpp
