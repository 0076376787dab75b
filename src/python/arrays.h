#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "geometry/foreign/placed_points.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp::python {

/// Anything that NumPy makes an array of, as float64 [rows, columns] in C order. Throws InputError, which begins with
/// `name` and ends with `expected`, if it is none of numbers.
using Rows = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
[[nodiscard]] Rows to_rows(nanobind::handle object, const std::string& name, const std::string& expected);

/// Columns `first` to `first` + 2 as points.
[[nodiscard]] Points to_points(const Rows& rows, std::size_t first = 0);

/// All rows of three numbers, around an origin if floats would lose their digits.
[[nodiscard]] PlacedPoints placed_rows(const Rows& rows);

/// Triangles [F, 3] of whole numbers from 0 to below `vertex_count`. Throws InputError.
[[nodiscard]] std::vector<Triangle> to_triangles(nanobind::handle faces, std::size_t vertex_count);

/// A list, a tuple or an array of `count` numbers. Throws InputError as to_rows().
[[nodiscard]] std::vector<double> require_numbers(nanobind::handle object, std::size_t count, const std::string& name,
                                                  const std::string& expected);

/// A read-only view on rows of three numbers, whose memory `owner` keeps alive.
template <typename Scalar, typename Row>
auto view_of(const std::vector<Row>& rows, nanobind::handle owner) {
  static_assert(sizeof(Row) == 3 * sizeof(Scalar));
  using View = nanobind::ndarray<nanobind::numpy, const Scalar, nanobind::shape<-1, 3>>;
  return View(rows.data(), {rows.size(), 3}, owner);
}

}  // namespace p2mpp::python
