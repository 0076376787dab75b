#include "python/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "p2mpp/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace p2mpp::python {
namespace {

std::string name_of_type(nb::handle object) {
  return nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__"));
}

// numpy.asarray(object), of real numbers; `name` and `expected` as for to_rows().
nb::object require_array(nb::handle object, const std::string& name, const std::string& expected) {
  nb::object array;
  std::string kind;
  try {
    array = nb::module_::import_("numpy").attr("asarray")(object);
    kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
  }
  if (kind != "f" && kind != "i" && kind != "u" && kind != "b") {
    throw InputError(fmt::format("{} {}; expected {}", name, name_of_type(object), expected));
  }
  return array;
}

std::string shape_of(nb::handle array) {
  return fmt::format("[{}]", fmt::join(nb::cast<std::vector<std::int64_t>>(array.attr("shape")), ", "));
}

template <typename Array>
Array contiguous(nb::handle array, const char* dtype) {
  return nb::cast<Array>(nb::module_::import_("numpy").attr("ascontiguousarray")(array, "dtype"_a = dtype));
}

}  // namespace

Rows to_rows(nb::handle object, const std::string& name, const std::string& expected) {
  const nb::object array = require_array(object, name, expected);
  if (nb::cast<int>(array.attr("ndim")) != 2) {
    throw InputError(fmt::format("{} of shape {}; expected {}", name, shape_of(array), expected));
  }
  return contiguous<Rows>(array, "float64");
}

Points to_points(const Rows& rows, std::size_t first) {
  Points points(rows.shape(0));
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = Eigen::Map<const Eigen::Vector3d>(rows.data() + rows.shape(1) * i + first).cast<float>();
  }
  return points;
}

PlacedPoints placed_rows(const Rows& rows) {
  std::vector<Eigen::Vector3d> points(rows.shape(0));
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = Eigen::Map<const Eigen::Vector3d>(rows.data() + rows.shape(1) * i);
  }
  return placed(points);
}

std::vector<Triangle> to_triangles(nb::handle faces, std::size_t vertex_count) {
  using Indices = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  const std::string expected = "whole numbers [F, 3]";
  const nb::object array = require_array(faces, "faces:", expected);
  const auto shape = nb::cast<std::vector<std::int64_t>>(array.attr("shape"));
  const bool is_empty = nb::cast<std::int64_t>(array.attr("size")) == 0;
  if (is_empty && shape.size() <= 2) return {};
  if (shape.size() != 2 || shape[1] != 3) {
    throw InputError(fmt::format("faces of shape {}; expected {}", shape_of(array), expected));
  }
  if (nb::cast<std::string>(array.attr("dtype").attr("kind")) == "f") {
    throw InputError(
        fmt::format("faces of {}; expected {}", nb::cast<std::string>(array.attr("dtype").attr("name")), expected));
  }
  const auto indices = contiguous<Indices>(array, "int64");
  std::vector<Triangle> triangles(indices.shape(0));
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::int64_t index = indices.data()[3 * i + corner];
      if (index < 0 || index >= static_cast<std::int64_t>(vertex_count)) {
        throw InputError(fmt::format("face {} names vertex {}; expected 0 to {}", i, index,
                                     static_cast<std::int64_t>(vertex_count) - 1));
      }
      triangles[i][corner] = static_cast<std::int32_t>(index);
    }
  }
  return triangles;
}

std::vector<double> require_numbers(nb::handle object, std::size_t count, const std::string& name,
                                    const std::string& expected) {
  using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  const nb::object array = require_array(object, name, expected);
  const auto shape = nb::cast<std::vector<std::size_t>>(array.attr("shape"));
  if (shape.size() != 1 || shape[0] != count) {
    throw InputError(fmt::format("{} of shape {}; expected {}", name, shape_of(array), expected));
  }
  const auto numbers = contiguous<Numbers>(array, "float64");
  return {numbers.data(), numbers.data() + count};
}

}  // namespace p2mpp::python
