#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "colours/mesh_colours.h"
#include "colours/uv_seams.h"
#include "geometry/foreign/placed_points.h"
#include "p2mpp/error.h"
#include "p2mpp/files.h"
#include "p2mpp/mesh_texture.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "report/viewer_page.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace p2mpp::python {
namespace {

Rows rows_of_three(nb::handle object, const std::string& name) {
  const std::string expected = "numbers [N, 3]";
  const Rows rows = to_rows(object, name, expected);
  if (rows.shape(1) != 3) {
    throw InputError(fmt::format("{} of shape [{}, {}]; expected {}", name, rows.shape(0), rows.shape(1), expected));
  }
  return rows;
}

/// A view on the mesh's memory, or, far from zero, where floats would lose digits, an array of doubles.
nb::object vertices_of(nb::handle self) {
  const TriangleMesh& mesh = nb::cast<const Mesh&>(self).mesh;
  if (mesh.origin.isZero(0)) return nb::cast(view_of<float>(mesh.vertices, self));
  auto places = std::make_unique<std::vector<Eigen::Vector3d>>();
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) places->push_back(placed_vertex(mesh, i));
  const nb::capsule owner(places.get(),
                          [](void* memory) noexcept { delete static_cast<std::vector<Eigen::Vector3d>*>(memory); });
  return nb::cast(view_of<double>(*places.release(), owner));
}

std::string viewer_html(const Mesh& shown) {
  const TriangleMesh& mesh = shown.mesh;
  ViewerScene scene;
  scene.title = "p2mpp";
  scene.subtitle = fmt::format("{} vertices, {} triangles", mesh.vertices.size(), mesh.triangles.size());
  scene.surfaces.push_back({"mesh", mesh});
  return viewer_page(scene);
}

nb::object in_a_frame(const Mesh& mesh) {
  const nb::object escaped = nb::module_::import_("html").attr("escape")(viewer_html(mesh));
  return nb::str("<iframe srcdoc=\"{}\" style=\"width: 100%; height: 480px; border: 0\"></iframe>")
      .attr("format")(escaped);
}

using TextureView = nb::ndarray<nb::numpy, const std::uint8_t, nb::shape<-1, -1, 4>>;
using UvView = nb::ndarray<nb::numpy, const float, nb::shape<-1, 3, 2>>;
using ColourView = nb::ndarray<nb::numpy, const std::uint8_t, nb::shape<-1, 3>>;

/// Null without a texture.
const MeshTexture* texture_of(nb::handle self) {
  const TriangleMesh& mesh = nb::cast<const Mesh&>(self).mesh;
  return has_texture(mesh) ? mesh.texture.get() : nullptr;
}

nb::object texture_pixels(nb::handle self) {
  const MeshTexture* texture = texture_of(self);
  if (texture == nullptr) return nb::none();
  const Image& image = texture->image;
  return nb::cast(TextureView(
      image.rgba.data(), {static_cast<std::size_t>(image.height), static_cast<std::size_t>(image.width), 4}, self));
}

nb::object uvs_of(nb::handle self) {
  const MeshTexture* texture = texture_of(self);
  if (texture == nullptr) return nb::none();
  return nb::cast(UvView(texture->corners.front().front().data(), {texture->corners.size(), 3, 2}, self));
}

nb::object vertex_colours_of(nb::handle self) {
  const TriangleMesh& mesh = nb::cast<const Mesh&>(self).mesh;
  if (!has_colours(mesh)) return nb::none();
  return nb::cast(view_of<std::uint8_t>(mesh.colours, self));
}

/// A module of the extra [mesh].
nb::module_ module_for_trimesh(const char* name) {
  try {
    return nb::module_::import_(name);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ModuleNotFoundError)) throw;
    nb::raise_from(
        error, PyExc_ModuleNotFoundError, "%s",
        fmt::format("to_trimesh() needs the package {}; expected it: pip install trimesh pillow", name).c_str());
  }
}

/// trimesh has (0, 0) at the lower left.
nb::object textured_trimesh(const nb::module_& trimesh, nb::handle self) {
  const nb::object image = module_for_trimesh("PIL.Image").attr("fromarray")(self.attr("texture"));
  SeamedMesh split = split_at_seams(nb::cast<const Mesh&>(self).mesh);
  for (Eigen::Vector2f& uv : split.uvs) uv.y() = 1 - uv.y();
  const nb::ndarray<nb::numpy, const float, nb::shape<-1, 2>> uvs(split.uvs.front().data(), {split.uvs.size(), 2});
  const nb::object visual = trimesh.attr("visual").attr("TextureVisuals")("uv"_a = nb::cast(uvs, nb::rv_policy::copy),
                                                                          "image"_a = image.attr("convert")("RGB"));
  const nb::object mesh = nb::cast(Mesh{std::move(split.mesh)});
  return trimesh.attr("Trimesh")("vertices"_a = mesh.attr("vertices"), "faces"_a = mesh.attr("faces"),
                                 "visual"_a = visual, "process"_a = false);
}

nb::object to_trimesh(nb::handle self) {
  const nb::module_ trimesh = module_for_trimesh("trimesh");
  if (texture_of(self) != nullptr) return textured_trimesh(trimesh, self);
  return trimesh.attr("Trimesh")("vertices"_a = self.attr("vertices"), "faces"_a = self.attr("faces"),
                                 "vertex_colors"_a = self.attr("vertex_colors"), "process"_a = false);
}

// The state that pickle and copy keep.
nb::tuple state_of(nb::handle self) {
  const auto& mesh = nb::cast<const Mesh&>(self);
  const nb::object normals = mesh.mesh.normals.empty() ? nb::none() : nb::cast(view_of<float>(mesh.mesh.normals, self));
  return nb::make_tuple(self.attr("vertices"), self.attr("faces"), normals, mesh.fit, mesh.surface,
                        self.attr("texture"), self.attr("uv"), self.attr("vertex_colors"));
}

std::shared_ptr<const MeshTexture> texture_of_state(const TextureView& pixels, const UvView& uvs) {
  auto texture = std::make_shared<MeshTexture>();
  texture->image = {static_cast<int>(pixels.shape(1)), static_cast<int>(pixels.shape(0)), {}};
  texture->image.rgba.assign(pixels.data(), pixels.data() + pixels.size());
  texture->corners.resize(uvs.shape(0));
  for (std::size_t i = 0; i < uvs.shape(0); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      texture->corners[i][k] = Eigen::Map<const Eigen::Vector2f>(uvs.data() + 6 * i + 2 * k);
    }
  }
  return texture;
}

Mesh mesh_of_state(const nb::tuple& state) {
  Mesh mesh{mesh_of(state[0], state[1])};
  if (!state[2].is_none()) mesh.mesh.normals = to_points(rows_of_three(state[2], "normals:"));
  if (!state[3].is_none()) mesh.fit = nb::cast<FitFigures>(state[3]);
  if (!state[4].is_none()) mesh.surface = nb::cast<SurfaceFigures>(state[4]);
  if (!state[5].is_none())
    mesh.mesh.texture = texture_of_state(nb::cast<TextureView>(state[5]), nb::cast<UvView>(state[6]));
  if (!state[7].is_none()) {
    const auto colours = nb::cast<ColourView>(state[7]);
    mesh.mesh.colours.resize(colours.shape(0));
    std::copy_n(colours.data(), 3 * colours.shape(0), mesh.mesh.colours.data()->data());
  }
  return mesh;
}

/// Lets pickle and copy keep all figures.
template <typename Figures>
void bind_state(nb::class_<Figures>& bound) {
  bound
      .def("__getstate__",
           [](const Figures& figures) {
             nb::list state;
             for_each_figure(figures, [&state](const char*, const auto& figure) { state.append(figure); });
             return nb::tuple(state);
           })
      .def("__setstate__", [](Figures& self, const nb::tuple& state) {
        new (&self) Figures();
        std::size_t i = 0;
        for_each_figure(self, [&](const char*, auto& figure) {
          figure = nb::cast<std::remove_reference_t<decltype(figure)>>(state[i++]);
        });
      });
}

void bind_fit(nb::module_& module) {
  nb::class_<FitFigures> fit(module, "Fit", "What the fit to a sample's masks did to a mesh. An IoU of 1 is best.");
  bind_state(fit);
  fit.def_ro("masks", &FitFigures::masks, "number of masks")
      .def_ro("used", &FitFigures::used, "number of masks that were used; the note says why others were not")
      .def_ro("iou_before", &FitFigures::iou_before,
              "intersection over union of the mesh's silhouettes and the masks before the fit, mean of the masks used")
      .def_ro("iou_after", &FitFigures::iou_after, "the same after the fit")
      .def_ro("mask_correction", &FitFigures::mask_correction,
              "pixels of 224 x 224 by which the masks were made smaller")
      .def_ro("steps", &FitFigures::steps, "steps that were kept")
      .def_ro("intersecting_before", &FitFigures::intersecting_before, "faces that intersect others, before the fit")
      .def_ro("intersecting_after", &FitFigures::intersecting_after, "the same after the fit")
      .def_ro("milliseconds", &FitFigures::milliseconds, "the fit's time")
      .def_ro("note", &FitFigures::note, "what the user should know, one line; empty if nothing")
      .def("__repr__", [](const FitFigures& figures) {
        return fmt::format("p2mpp.Fit({} of {} masks, IoU {:.2f} -> {:.2f}, {:.0f} ms)", figures.used, figures.masks,
                           figures.iou_before, figures.iou_after, figures.milliseconds);
      });
}

void bind_surface(nb::module_& module) {
  nb::class_<SurfaceFigures> surface(module, "Surface", "What the surface of a volume was made from.");
  bind_state(surface);
  surface.def_ro("masks", &SurfaceFigures::masks, "number of masks")
      .def_ro("used", &SurfaceFigures::used, "number of masks that were used; the note says why others were not")
      .def_ro("allowance", &SurfaceFigures::allowance, "masks that may object to a point of the hull")
      .def_ro("resolution", &SurfaceFigures::resolution, "voxels along the object's longest side")
      .def_ro("voxel", &SurfaceFigures::voxel, "a voxel's side; the diagonal of the object's box is 0.57")
      .def_ro("parts", &SurfaceFigures::parts, "parts that are not connected")
      .def_ro("dropped", &SurfaceFigures::dropped, "small parts that were removed")
      .def_ro("photographs", &SurfaceFigures::photographs,
              "photographs at whose own pixels the surface was refined; 0: it was not")
      .def_ro("refined", &SurfaceFigures::refined,
              "share of the surface whose changes photographs that were left out confirmed")
      .def_ro("milliseconds", &SurfaceFigures::milliseconds, "its time")
      .def_ro("note", &SurfaceFigures::note, "what the user should know, one line; empty if nothing")
      .def("__repr__", [](const SurfaceFigures& figures) {
        return fmt::format("p2mpp.Surface({} voxels, {} masks, {:.0f} ms)", figures.resolution, figures.used,
                           figures.milliseconds);
      });
}

}  // namespace

TriangleMesh mesh_of(nb::handle vertices, nb::handle faces) {
  PlacedPoints points = placed_rows(rows_of_three(vertices, "vertices:"));
  TriangleMesh mesh{.vertices = std::move(points.points), .triangles = {}, .origin = points.origin};
  mesh.triangles = to_triangles(faces, mesh.vertices.size());
  return mesh;
}

void bind_mesh(nb::module_& module) {
  bind_fit(module);
  bind_surface(module);
  nb::class_<Mesh>(module, "Mesh", "A triangle mesh. Notebooks show it as an interactive view.")
      .def(
          "__init__",
          [](Mesh* self, nb::handle vertices, nb::handle faces) { new (self) Mesh{mesh_of(vertices, faces)}; },
          "vertices"_a.none(), "faces"_a.none(),
          nb::sig("def __init__(self, vertices: numpy.typing.ArrayLike, faces: numpy.typing.ArrayLike) -> None"),
          "vertices: [V, 3], stored as float32. faces: [F, 3], vertex indices from 0. Copies both.")
      .def_prop_ro("vertices", &vertices_of, nb::sig("def vertices(self) -> numpy.typing.NDArray"),
                   "float32 [V, 3]: a read-only view on the mesh's memory; far from zero (map coordinates), float64")
      .def_prop_ro(
          "faces",
          [](nb::handle self) { return view_of<std::int32_t>(nb::cast<const Mesh&>(self).mesh.triangles, self); },
          "int32 [F, 3]: vertex indices, counter-clockwise seen from outside; a read-only view")
      .def_prop_ro(
          "fit", [](const Mesh& mesh) { return mesh.fit; },
          "what the fit to the sample's masks did to this mesh; None if it was not fitted")
      .def_prop_ro(
          "surface", [](const Mesh& mesh) { return mesh.surface; },
          "what this surface was made from; None if it is not that of a volume")
      .def_prop_ro(
          "texture", &texture_pixels, nb::sig("def texture(self) -> numpy.typing.NDArray | None"),
          "uint8 [H, W, 4]: the texture's picture, rows from the top, sRGB; a read-only view; None without one")
      .def_prop_ro("uv", &uvs_of, nb::sig("def uv(self) -> numpy.typing.NDArray | None"),
                   "float32 [F, 3, 2]: where the faces' corners are in the texture; (0, 0) is its upper left corner, "
                   "(1, 1) the lower right; a read-only view; None without a texture")
      .def_prop_ro("vertex_colors", &vertex_colours_of,
                   nb::sig("def vertex_colors(self) -> numpy.typing.NDArray | None"),
                   "uint8 [V, 3]: red, green, blue, sRGB; a read-only view; None if the vertices have no colours")
      .def(
          "save",
          [](const Mesh& mesh, const std::filesystem::path& path, const std::string& comment) {
            write_mesh(path, mesh.mesh, comment);
          },
          "path"_a, "comment"_a = "", nb::call_guard<nb::gil_scoped_release>(),
          "Writes .obj, .xyz (vertices alone), .ply, .glb, .stl, .3mf or .usdz. The file appears complete or not at "
          "all.")
      .def("to_trimesh", &to_trimesh, nb::sig("def to_trimesh(self) -> trimesh.Trimesh"),
           "The mesh as a trimesh.Trimesh, vertices in their order, with its texture or colours. Behind the vertices "
           "are "
           "copies of those at seams of the texture. Needs trimesh and Pillow: pip install trimesh pillow.")
      .def("viewer_html", &viewer_html, nb::call_guard<nb::gil_scoped_release>(),
           "An HTML page that shows the mesh in 3D; it needs no network.")
      .def("_repr_html_", &in_a_frame, nb::sig("def _repr_html_(self) -> str"))
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Mesh& self, const nb::tuple& state) { new (&self) Mesh(mesh_of_state(state)); })
      .def("__repr__", [](const Mesh& mesh) {
        return fmt::format("p2mpp.Mesh({} vertices, {} faces)", mesh.mesh.vertices.size(), mesh.mesh.triangles.size());
      });
  module.def(
      "read_mesh", [](const std::filesystem::path& path) { return Mesh{read_mesh(path)}; }, "path"_a,
      nb::call_guard<nb::gil_scoped_release>(),
      "Reads an .obj, .ply, .glb, .gltf, .stl, .off or .xyz file, with its texture or colours. Polygons are cut into "
      "triangles.");
}

}  // namespace p2mpp::python
