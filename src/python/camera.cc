#include "p2mpp/camera.h"

#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "base/with_prefix.h"
#include "p2mpp/error.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace p2mpp::python {
namespace {

Camera checked(const Camera& camera) {
  with_prefix("camera: ", [&] { check_camera(camera); });
  return camera;
}

Camera make_camera(nb::handle rotation, nb::handle origin, double fx, double fy, double cx, double cy) {
  const Rows rows = to_rows(rotation, "rotation:", "numbers [3, 3]");
  if (rows.shape(0) != 3 || rows.shape(1) != 3) {
    throw InputError(fmt::format("rotation: of shape [{}, {}]; expected numbers [3, 3]", rows.shape(0), rows.shape(1)));
  }
  const std::vector<double> centre = require_numbers(origin, 3, "origin:", "numbers [3]");
  return checked({Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.data()),
                  Eigen::Map<const Eigen::Vector3d>(centre.data()),
                  {fx, fy, cx, cy}});
}

std::string describe_camera(const Camera& camera) {
  return fmt::format("p2mpp.Camera(origin=[{:.4g}, {:.4g}, {:.4g}], fx={:.4g}, fy={:.4g})", camera.origin.x(),
                     camera.origin.y(), camera.origin.z(), camera.intrinsics.fx, camera.intrinsics.fy);
}

}  // namespace

CameraRow to_camera_row(nb::handle row, const std::string& name) {
  const std::vector<double> numbers = require_numbers(row, 5, name, "a Camera or a row of five numbers");
  const auto number = [&numbers](std::size_t i) { return static_cast<float>(numbers[i]); };
  return {number(0), number(1), number(2), number(3), number(4)};
}

void bind_camera(nb::module_& module) {
  nb::class_<Camera>(
      module, "Camera",
      "A pinhole camera that looks along its own -z, x to the right, y up.\n\n"
      "The world has y up and the object's centre at the origin; its unit is the one in which the diagonal of the "
      "object's bounding box is 0.57. Intrinsics are in pixels of the image scaled to 224 x 224.")
      .def(
          "__init__",
          [](Camera* self, nb::handle rotation, nb::handle origin, double fx, double fy, double cx, double cy) {
            new (self) Camera(make_camera(rotation, origin, fx, fy, cx, cy));
          },
          "rotation"_a.none(), "origin"_a.none(), "fx"_a = kFocalLength, "fy"_a = kFocalLength,
          "cx"_a = kPrincipalPoint, "cy"_a = kPrincipalPoint,
          nb::sig("def __init__(self, rotation: numpy.typing.ArrayLike, origin: numpy.typing.ArrayLike, "
                  "fx: float = 248.0, fy: float = 248.0, cx: float = 112.0, cy: float = 112.0) -> None"),
          "rotation: [3, 3], rows are the camera's unit axes in the world. origin: [3], its centre in the world, in "
          "the world's unit (the object's diagonal is 0.57). fx, fy: focal lengths, cx, cy: principal point, in pixels "
          "of the image scaled to 224 x 224. Raises InputError if the rotation is none.")
      .def_static(
          "from_row", [](nb::handle row) { return camera_from_row(to_camera_row(row, "row:")); }, "row"_a.none(),
          nb::sig("def from_row(row: numpy.typing.ArrayLike) -> Camera"),
          "The camera of a row [5]: azimuth and elevation in degrees, in-plane rotation (not used), distance from the "
          "object's centre in the world's unit (the object's diagonal is 0.57), field of view (not used).")
      .def_prop_ro(
          "rotation", [](const Camera& camera) { return camera.rotation; },
          "float64 [3, 3]: rows are the camera's unit axes in the world")
      .def_prop_ro(
          "origin", [](const Camera& camera) { return camera.origin; },
          "float64 [3]: the camera's centre in the world, in the world's unit (the object's diagonal is 0.57)")
      .def_prop_ro(
          "fx", [](const Camera& camera) { return camera.intrinsics.fx; },
          "focal length along a row, in pixels of the image scaled to 224 x 224")
      .def_prop_ro(
          "fy", [](const Camera& camera) { return camera.intrinsics.fy; },
          "focal length along a column, in pixels of the image scaled to 224 x 224")
      .def_prop_ro(
          "cx", [](const Camera& camera) { return camera.intrinsics.cx; },
          "the principal point's column, in pixels of the image scaled to 224 x 224, from its left edge")
      .def_prop_ro(
          "cy", [](const Camera& camera) { return camera.intrinsics.cy; },
          "the principal point's row, in pixels of the image scaled to 224 x 224, from its upper edge")
      .def("__getstate__",
           [](const Camera& camera) {
             const Intrinsics& in = camera.intrinsics;
             return nb::make_tuple(camera.rotation, camera.origin, in.fx, in.fy, in.cx, in.cy);
           })
      .def("__setstate__",
           [](Camera& self, const nb::tuple& state) {
             new (&self) Camera(make_camera(state[0], state[1], nb::cast<double>(state[2]), nb::cast<double>(state[3]),
                                            nb::cast<double>(state[4]), nb::cast<double>(state[5])));
           })
      .def("__repr__", &describe_camera);
}

}  // namespace p2mpp::python
