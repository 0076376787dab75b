#include "p2mpp/metrics.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <cmath>

#include "p2mpp/device.h"
#include "p2mpp/error.h"
#include "p2mpp/files.h"
#include "python/arrays.h"
#include "python/background.h"
#include "python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace p2mpp::python {
namespace {

constexpr int kMaxThreads = 1024;

// Points [N, 3], or with normals [N, 6].
TriangleMesh shape_of_rows(nb::handle object, const std::string& name) {
  constexpr auto kExpected = "a Mesh or points [N, 3] or [N, 6]";
  const Rows rows = to_rows(object, name, kExpected);
  const std::size_t columns = rows.shape(1);
  if (columns != 3 && columns != 6) {
    throw InputError(fmt::format("{} of shape [{}, {}]; expected {}", name, rows.shape(0), columns, kExpected));
  }
  PlacedPoints points = placed_rows(rows);
  TriangleMesh cloud{.vertices = std::move(points.points), .triangles = {}, .origin = points.origin};
  if (columns == 3) return cloud;
  cloud.normals = to_points(rows, 3);
  for (std::size_t i = 0; i < cloud.normals.size(); ++i) {
    constexpr float kTolerance = 0.1F;  // normals are often rounded
    const float length = cloud.normals[i].norm();
    if (length == 0) continue;
    if (!(std::abs(length - 1) <= kTolerance)) {
      throw InputError(fmt::format("{} columns 4 to 6 of row {} have length {:.3g}; expected unit normals, or [N, 3]",
                                   name, i, length));
    }
    cloud.normals[i] /= length;
  }
  return cloud;
}

TriangleMesh shape_of(nb::handle shape, const std::string& name) {
  if (nb::isinstance<Mesh>(shape)) return nb::cast<const Mesh&>(shape).mesh;
  if (nb::isinstance<nb::str>(shape) || nb::hasattr(shape, "__fspath__")) {
    return read_mesh(nb::cast<std::filesystem::path>(shape));
  }
  if (nb::hasattr(shape, "vertices") && nb::hasattr(shape, "faces")) {  // such as a trimesh.Trimesh
    return mesh_of(shape.attr("vertices"), shape.attr("faces"));
  }
  return shape_of_rows(shape, name);
}

ShapeMetrics metrics(nb::handle predicted, nb::handle truth, int threads) {
  if (threads < 0 || threads > kMaxThreads) {
    throw UsageError(fmt::format("threads {}: out of range; expected 0 to {}", threads, kMaxThreads));
  }
  if (threads == 0) threads = physical_core_count();
  return run_interruptibly(
      [predicted = shape_of(predicted, "predicted:"), truth = shape_of(truth, "truth:"), threads]() mutable {
        set_origin(predicted, truth.origin);
        return compare_shapes(vertex_cloud(predicted), vertex_cloud(truth), {.threads = threads});
      });
}

}  // namespace

void bind_metrics(nb::module_& module) {
  nb::class_<ShapeMetrics>(module, "Metrics",
                           "Distances of two point sets, as published by Pixel2Mesh++: squared, tau = 1e-4.")
      .def_ro("chamfer_distance", &ShapeMetrics::chamfer_distance, "sum of both mean squared distances")
      .def_ro("f1_tau", &ShapeMetrics::f1_tau, "per cent, at tau = 1e-4")
      .def_ro("f1_2tau", &ShapeMetrics::f1_2tau, "per cent, at 2 tau")
      .def_ro("precision_tau", &ShapeMetrics::precision_tau, "per cent")
      .def_ro("recall_tau", &ShapeMetrics::recall_tau, "per cent")
      .def_ro("hausdorff_90", &ShapeMetrics::hausdorff_90, "a distance, not squared")
      .def_ro("normal_consistency", &ShapeMetrics::normal_consistency,
              "1 is best; NaN if the normals of one shape are not known")
      .def("__repr__", [](const ShapeMetrics& metrics) {
        return fmt::format("p2mpp.Metrics(chamfer_distance={:.4g}, f1_tau={:.2f}, f1_2tau={:.2f})",
                           metrics.chamfer_distance, metrics.f1_tau, metrics.f1_2tau);
      });
  module.def("metrics", &metrics, "predicted"_a.none(), "truth"_a.none(), nb::kw_only(), "threads"_a = 1,
             nb::sig("def metrics(predicted: Mesh | str | os.PathLike | numpy.typing.ArrayLike, "
                     "truth: Mesh | str | os.PathLike | numpy.typing.ArrayLike, *, threads: int = 1) -> Metrics"),
             "Compares two shapes, which must be in one frame and unit: p2mpp's bundled truth is in the first "
             "camera's, so it needs reconstruct(..., frame=\"camera0\").\n\n"
             "Each is a Mesh or a trimesh.Trimesh (its vertices), a file that read_mesh() reads, points [N, 3], or "
             "points with unit normals [N, 6].\n"
             "threads: of the CPU; 0 is one per physical core.\n"
             "Raises InputError for anything else.");
}

}  // namespace p2mpp::python
