#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/parsing/text_rows.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/projection_matrix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

ListedCamera listed(const ProjectionCamera& camera, std::string file, const std::string& where) {
  ListedCamera result{.file = std::move(file), .where = where};
  result.lens = camera.lens;
  result.cam_from_source = camera.cam_from_source;
  return result;
}

/// K, R and t of 21 numbers: x_cam = R x + t.
ProjectionCamera camera_of_21(std::span<const double> numbers, const std::string& where) {
  const ScaledRotation rotation = nearest_rotation(matrix3(numbers.subspan(9, 9)), where + ": R");
  return camera_of_k(numbers.first(9), {rotation.rotation, vector3(numbers.subspan(18)) / rotation.scale}, where);
}

ListedCamera named_row(Columns& columns) {
  std::string file(columns.word("photograph's name"));
  const std::size_t count = columns.count();
  if (count != 12 && count != 21) {
    throw InputError(fmt::format("{}: has {} numbers; expected the 21 of K, R and t, or the 12 of a matrix K [R|t]",
                                 columns.where(), count));
  }
  const std::vector<double> numbers = columns.numbers("matrix", count);
  return listed(count == 21 ? camera_of_21(numbers, columns.where()) : camera_of_projection(numbers, columns.where()),
                std::move(file), columns.where());
}

}  // namespace

/// Middlebury's NAME_par.txt: the number of photographs, then a row "NAME K R t" for each. Rows of a name and a matrix
/// K [R|t] of 12 numbers are taken, too.
CameraList parse_middlebury(std::string_view text, const std::string& name) {
  CameraList list;
  LeftOut left_out;
  for_each_row(text, name, [&](Columns columns, LineReader&) {
    if (columns.count() == 1) return;  // how many photographs follow
    left_out.read([&] { list.cameras.push_back(named_row(columns)); });
  });
  list.notes = left_out.notes(name, list.cameras.size());
  return list;
}

/// A file of one camera: a matrix K [R|t] of 3 rows, its 4x4, K and [R|t], or MVSNet's: [R|t] of 4 rows after the word
/// "extrinsic", and K after "intrinsic". Other words, such as CONTOUR, are skipped.
ListedCamera parse_matrix_file(std::string_view text, const std::string& name, const std::string& file) {
  std::vector<double> numbers;
  std::size_t extrinsic = std::string_view::npos, intrinsic = extrinsic;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = without_comment(line);
    for (std::string_view column = take_column(line); !column.empty(); column = take_column(line)) {
      if (const std::optional<double> value = parse_finite(column)) {
        numbers.push_back(*value);
      } else if (column == "extrinsic") {
        extrinsic = numbers.size();
      } else if (column == "intrinsic") {
        intrinsic = numbers.size();
      }
    }
  }
  const std::span<const double> all = numbers;
  if (extrinsic != std::string_view::npos && intrinsic != std::string_view::npos) {
    if (all.size() < extrinsic + 16 || all.size() < intrinsic + 9) {
      throw InputError(
          fmt::format("{}: has too few numbers; expected 16 after 'extrinsic', 9 after 'intrinsic'", name));
    }
    return listed(camera_of_k(all.subspan(intrinsic, 9), pose_of_rows(all.subspan(extrinsic, 12), name), name), file,
                  name);
  }
  if (all.size() == 12 || all.size() == 16) return listed(camera_of_projection(all, name), file, name);
  if (all.size() == 21) {
    // K, then [R|t] in three rows of four; Middlebury's order has R before t.
    const bool rows_of_four = std::fabs(matrix3(all.subspan(9, 9)).determinant() - 1) > 0.05;
    return listed(
        rows_of_four ? camera_of_k(all.first(9), pose_of_rows(all.subspan(9), name), name) : camera_of_21(all, name),
        file, name);
  }
  throw InputError(fmt::format("{}: has {} numbers; expected the 12 of a matrix K [R|t], or the 21 of K and [R|t]",
                               name, all.size()));
}

}  // namespace p2mpp
