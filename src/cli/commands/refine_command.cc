#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "capture/sample_paths.h"
#include "cli/commands/prediction_run.h"
#include "cli/support/declared_options.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

struct RefineOptions {
  std::filesystem::path mesh, sample;
  PredictOptions prediction;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(mesh,
          {"MESH", "A triangle mesh of 100 to 200,000 vertices: .obj, .ply, .glb, .gltf, .stl or .off", "FILE",
           file_name()},
          {.required = true});
    visit(sample, {"SAMPLE", "A sample's folder or a capture, as for `predict`", "PATH", file_name()},
          {.required = true});
    prediction.run.capture.visit_options(visit);
    visit(prediction.run.strict, strict_option());
    visit(prediction.out, out_option());
    prediction.run.visit_output_options(visit);
    prediction.run.visit_initial_options(visit);
    prediction.run.visit_fit_options(visit);
    prediction.run.visit_surface_options(visit);
    prediction.run.visit_texture_options(visit);
    prediction.pictures.visit_options(visit);
  }
};

MeshFormat own_format(const std::filesystem::path& mesh) {
  const std::optional<MeshFormat> format = format_of(mesh);
  if (format && *format != MeshFormat::kXyz) return *format;
  throw InputError(
      fmt::format("{}: '{}' is not a format of meshes with triangles; expected .obj, .ply, .glb, .gltf, .stl or .off",
                  display(mesh), lower_extension(mesh)));
}

// The mesh's own format and coordinates, unless others are asked for.
ExitCode run_refine(const RefineOptions& given, const Settings& settings) {
  PredictOptions options = given.prediction;
  const MeshFormat format = own_format(given.mesh);
  MeshOutput& meshes = options.run.meshes;
  if (meshes.formats.empty()) meshes.formats = {format};
  if (!meshes.frame) {
    const bool is_capture = is_capture_path(given.sample, sample_request(settings, {}, options.run.capture));
    meshes.frame = is_capture ? Frame::kSource : frame_of(meshes, format);
  }
  options.samples = {given.sample};
  options.id = given.mesh.stem().string();
  options.run.initial.kind = InitialShape::Kind::kFile;
  options.run.initial.file = given.mesh;
  return run_predict(options, settings);
}

}  // namespace

void add_refine_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<RefineOptions>();
  options->prediction.run.meshes.formats.clear();
  options->prediction.run.surface.kind = SurfaceChoice::Kind::kTemplate;
  options->prediction.run.texture.kind = TextureChoice::Kind::kNone;
  CLI::App* command =
      app.add_subcommand("refine", "Refine any mesh of an object from images, with stage 2 and the fit");
  add_options(*command, *options);
  command->footer(
      R"(Moves the vertices of a mesh and keeps its triangles and their order. The mesh may be open and of any
topology. It can come from COLMAP, OpenMVS, a scanner or another program. Writes OUT/{name}_predict in the mesh's
format and coordinates. With --surface volume, the refined mesh only shows about where the surface is, and the result
is a new, closed mesh.

--frame names these coordinates. The default for a capture is source, the capture's own. Otherwise it is the frame in
which `predict` writes a file of this format: the first camera's for obj, the world's for ply, glb and stl.

Examples:
  p2mpp refine scan.ply capture
  p2mpp refine chair.obj data/03001627/p2mpp0001 --frame world --fit-views all --overlay)");
  command->callback([options, &settings, &exit_code] { exit_code = run_refine(*options, settings); });
}

}  // namespace p2mpp::cli
