#pragma once

#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The points of a text with columns of numbers: the first three of each line, and columns 4 to 6 as normals if they
/// are unit vectors in every line. Throws InputError naming the file and the line.
[[nodiscard]] TriangleMesh parse_xyz(std::string_view text, const std::string& name);

/// The points, and perhaps the normals, of a pickled array [N,>=3] or of a pair of arrays of which the second is meant
/// (see pickle.h). Throws InputError naming the file.
[[nodiscard]] TriangleMesh parse_dat(std::string_view bytes, const std::string& name);

/// The text of an XYZ that numpy.loadtxt reads: x y z a line.
[[nodiscard]] std::string format_xyz(const Points& points);

/// Appends "x y z" and a newline with 9 significant digits, which give the same floats back.
void append_coordinates(std::string& text, const Eigen::Vector3f& point);

}  // namespace p2mpp
