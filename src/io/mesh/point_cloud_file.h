#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

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
