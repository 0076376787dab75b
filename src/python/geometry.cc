// Cameras, meshes and metrics.
#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "p2mpp/camera.h"
#include "p2mpp/error.h"
#include "p2mpp/files.h"
#include "p2mpp/metrics.h"
#include "python/bindings.h"
#include "report/viewer_page.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace p2mpp::python {
namespace {

using FloatRows = nb::ndarray<const float, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using IndexRows = nb::ndarray<const std::int32_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
static_assert(sizeof(Eigen::Vector3f) == 3 * sizeof(float) && sizeof(Triangle) == 3 * sizeof(std::int32_t));

Points points_of(const FloatRows& rows) {
  Points points(rows.shape(0));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = Eigen::Map<const Eigen::Vector3f>(rows.data() + 3 * i);
  return points;
}

TriangleMesh mesh_of(const FloatRows& vertices, const IndexRows& faces) {
  TriangleMesh mesh{points_of(vertices), {}};
  mesh.triangles.resize(faces.shape(0));
  const auto count = static_cast<std::int64_t>(mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::int32_t index = faces.data()[3 * i + corner];
      if (index < 0 || index >= count) {
        throw InputError(fmt::format("face {} names vertex {}; expected 0 to {}", i, index, count - 1));
      }
      mesh.triangles[i][corner] = index;
    }
  }
  return mesh;
}

// A read-only array on memory that `owner` keeps alive.
template <typename Scalar, typename Row>
auto rows_of(const std::vector<Row>& rows, nb::handle owner) {
  return nb::ndarray<nb::numpy, const Scalar, nb::shape<-1, 3>>(rows.data(), {rows.size(), 3}, owner);
}

std::string viewer_html(const TriangleMesh& mesh) {
  ViewerScene scene;
  scene.title = "p2mpp";
  scene.subtitle = fmt::format("{} vertices, {} triangles", mesh.vertices.size(), mesh.triangles.size());
  scene.surfaces.push_back({"mesh", mesh});
  return viewer_page(scene);
}

nb::object in_a_frame(const TriangleMesh& mesh) {
  const nb::object escaped = nb::module_::import_("html").attr("escape")(viewer_html(mesh));
  return nb::str("<iframe srcdoc=\"{}\" style=\"width: 100%; height: 480px; border: 0\"></iframe>")
      .attr("format")(escaped);
}

PointCloud cloud_of(const nb::object& shape) {
  if (nb::isinstance<TriangleMesh>(shape)) return vertex_cloud(nb::cast<const TriangleMesh&>(shape));
  return {points_of(nb::cast<FloatRows>(shape)), {}};
}

void bind_camera(nb::module_& module) {
  nb::class_<Camera>(
      module, "Camera",
      "A pinhole camera that looks along its own -z, x to the right, y up.\n\n"
      "The world has y up and the object's centre at the origin; the object's bounding box has a diagonal "
      "of 0.57. Intrinsics are in pixels of the image scaled to 224 x 224.")
      .def(
          "__init__",
          [](Camera* self, const Eigen::Matrix3d& rotation, const Eigen::Vector3d& origin, double fx, double fy,
             double cx, double cy) {
            const Camera camera{rotation, origin, {fx, fy, cx, cy}};
            if (const std::string problem = describe_problem(camera); !problem.empty()) {
              throw InputError("camera: " + problem);
            }
            new (self) Camera(camera);
          },
          "rotation"_a, "origin"_a, "fx"_a = kFocalLength, "fy"_a = kFocalLength, "cx"_a = kPrincipalPoint,
          "cy"_a = kPrincipalPoint,
          "rotation: [3, 3], rows are the camera's unit axes in the world. origin: [3], its centre in the world.")
      .def_static(
          "from_row",
          [](const std::vector<float>& row) {
            if (row.size() != 5) throw InputError(fmt::format("a camera row of {} numbers; expected 5", row.size()));
            return camera_from_row({row[0], row[1], row[2], row[3], row[4]});
          },
          "row"_a,
          "The camera of a row: azimuth and elevation in degrees, in-plane rotation (not used), distance, field of "
          "view (not used).")
      .def_prop_ro(
          "rotation", [](const Camera& camera) { return camera.rotation; }, "[3, 3]")
      .def_prop_ro(
          "origin", [](const Camera& camera) { return camera.origin; }, "[3]")
      .def_prop_ro("fx", [](const Camera& camera) { return camera.intrinsics.fx; })
      .def_prop_ro("fy", [](const Camera& camera) { return camera.intrinsics.fy; })
      .def_prop_ro("cx", [](const Camera& camera) { return camera.intrinsics.cx; })
      .def_prop_ro("cy", [](const Camera& camera) { return camera.intrinsics.cy; })
      .def("__repr__", [](const Camera& camera) {
        return fmt::format("p2mpp.Camera(origin=[{:.4g}, {:.4g}, {:.4g}], fx={:.4g}, fy={:.4g})", camera.origin.x(),
                           camera.origin.y(), camera.origin.z(), camera.intrinsics.fx, camera.intrinsics.fy);
      });
}

void bind_mesh(nb::module_& module) {
  nb::class_<TriangleMesh>(module, "Mesh", "A triangle mesh. Notebooks show it as an interactive view.")
      .def(
          "__init__",
          [](TriangleMesh* self, const FloatRows& vertices, const IndexRows& faces) {
            new (self) TriangleMesh(mesh_of(vertices, faces));
          },
          "vertices"_a, "faces"_a, "vertices: float32 [V, 3]. faces: int32 [F, 3], vertex indices from 0. Copies both.")
      .def_prop_ro(
          "vertices",
          [](nb::handle self) { return rows_of<float>(nb::cast<const TriangleMesh&>(self).vertices, self); },
          "float32 [V, 3]: a read-only view on the mesh's memory")
      .def_prop_ro(
          "faces",
          [](nb::handle self) { return rows_of<std::int32_t>(nb::cast<const TriangleMesh&>(self).triangles, self); },
          "int32 [F, 3]: vertex indices, counter-clockwise seen from outside; a read-only view")
      .def(
          "save",
          [](const TriangleMesh& mesh, const std::filesystem::path& path, const std::string& comment) {
            write_mesh(path, mesh, comment);
          },
          "path"_a, "comment"_a = "", nb::call_guard<nb::gil_scoped_release>(),
          "Writes .obj, .xyz (vertices alone), .ply, .glb or .stl. The file appears complete or not at all.")
      .def(
          "to_trimesh",
          [](nb::handle self) {
            return nb::module_::import_("trimesh").attr("Trimesh")("vertices"_a = self.attr("vertices"),
                                                                   "faces"_a = self.attr("faces"), "process"_a = false);
          },
          "The mesh as a trimesh.Trimesh, vertices in their order. Needs the package trimesh.")
      .def("viewer_html", &viewer_html, nb::call_guard<nb::gil_scoped_release>(),
           "An HTML page that shows the mesh in 3D; it needs no network.")
      .def("_repr_html_", &in_a_frame)
      .def("__repr__", [](const TriangleMesh& mesh) {
        return fmt::format("p2mpp.Mesh({} vertices, {} faces)", mesh.vertices.size(), mesh.triangles.size());
      });
  module.def(
      "read_mesh", [](const std::filesystem::path& path) { return read_mesh(path); }, "path"_a,
      nb::call_guard<nb::gil_scoped_release>(), "Reads an .obj, .ply, .glb, .stl or .xyz file.");
}

void bind_metrics(nb::module_& module) {
  nb::class_<ShapeMetrics>(module, "Metrics",
                           "Distances of two point sets, as published by Pixel2Mesh++: squared, tau = 1e-4.")
      .def_ro("chamfer_distance", &ShapeMetrics::chamfer_distance, "sum of both mean squared distances")
      .def_ro("f1_tau", &ShapeMetrics::f1_tau, "per cent, at tau = 1e-4")
      .def_ro("f1_2tau", &ShapeMetrics::f1_2tau, "per cent, at 2 tau")
      .def_ro("precision_tau", &ShapeMetrics::precision_tau, "per cent")
      .def_ro("recall_tau", &ShapeMetrics::recall_tau, "per cent")
      .def_ro("hausdorff_90", &ShapeMetrics::hausdorff_90, "a distance, not squared")
      .def_ro("normal_consistency", &ShapeMetrics::normal_consistency, "NaN without normals: pass meshes for them")
      .def("__repr__", [](const ShapeMetrics& metrics) {
        return fmt::format("p2mpp.Metrics(chamfer_distance={:.4g}, f1_tau={:.2f}, f1_2tau={:.2f})",
                           metrics.chamfer_distance, metrics.f1_tau, metrics.f1_2tau);
      });
  module.def(
      "metrics",
      [](const nb::object& predicted, const nb::object& truth, int threads) {
        const PointCloud clouds[2] = {cloud_of(predicted), cloud_of(truth)};
        const nb::gil_scoped_release released;
        return compare_shapes(clouds[0], clouds[1], {.threads = threads});
      },
      "predicted"_a, "truth"_a, nb::kw_only(), "threads"_a = 1,
      "Compares two shapes, each a Mesh (its vertices, with normals) or float32 [N, 3] points, in one frame.");
}

}  // namespace

void bind_geometry(nb::module_& module) {
  bind_camera(module);
  bind_mesh(module);
  bind_metrics(module);
}

}  // namespace p2mpp::python
