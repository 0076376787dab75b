#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/commands/prediction_run.h"
#include "cli/support/options.h"
#include "cli/support/shared_options.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

struct RefineOptions {
  std::filesystem::path mesh, sample;
  PredictOptions prediction;
};

MeshFormat own_format(const std::filesystem::path& mesh) {
  const std::optional<MeshFormat> format = format_of(mesh);
  if (format && *format != MeshFormat::kXyz) return *format;
  throw InputError(fmt::format("{}: '{}' is not a format of meshes with triangles; expected .obj, .ply, .glb or .stl",
                               display(mesh), lower_extension(mesh)));
}

// The mesh's own format and coordinates, unless others are asked for.
ExitCode run_refine(const RefineOptions& given, const Settings& settings) {
  PredictOptions options = given.prediction;
  const MeshFormat format = own_format(given.mesh);
  if (options.meshes.formats.empty()) options.meshes.formats = {format};
  if (!options.meshes.frame) {
    const bool is_capture = is_capture_path(given.sample, options.capture);
    options.meshes.frame = is_capture ? Frame::kSource : frame_of(options.meshes, format);
  }
  options.samples = {given.sample};
  options.id = given.mesh.stem().string();
  options.initial.kind = InitialShape::Kind::kFile;
  options.initial.file = given.mesh;
  return run_predict(std::move(options), settings);
}

void add_input_options(CLI::App& command, RefineOptions& options) {
  command.add_option("MESH", options.mesh, "A triangle mesh of 100 to 200,000 vertices: .obj, .ply, .glb or .stl")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  command.add_option("SAMPLE", options.sample, "A sample's folder or a capture, as for `predict`")
      ->type_name("PATH")
      ->check(file_name())
      ->required();
}

}  // namespace

void add_refine_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<RefineOptions>();
  PredictOptions& prediction = options->prediction;
  prediction.meshes.formats.clear();
  CLI::App* command =
      app.add_subcommand("refine", "Refine any mesh of an object from images, with stage 2 and the fit");
  add_input_options(*command, *options);
  add_capture_options(*command, prediction.capture);
  add_strict_option(*command, prediction.strict);
  command->add_option("-o,--out", prediction.out, "Folder for the files")
      ->type_name("FOLDER")
      ->check(file_name())
      ->capture_default_str()
      ->group("Result");
  add_mesh_output_options(*command, prediction.meshes, "that of MESH");
  add_stage2_option(*command, prediction.initial);
  add_fit_options(*command, prediction.fit, prediction.fit_steps, "all, of a capture with more than the network takes");
  add_sample_picture_options(*command, prediction.pictures);
  command->footer(
      R"(Moves the vertices of a mesh and keeps its triangles and their order. The mesh may be open and of any
topology. It can come from COLMAP, OpenMVS, a scanner or another program. Writes OUT/{name}_predict in the mesh's
format and coordinates.

--frame names these coordinates. The default for a capture is source, the capture's own. Otherwise it is the frame in
which `predict` writes a file of this format: the first camera's for obj, the world's for ply, glb and stl.

Examples:
  p2mpp refine scan.ply capture
  p2mpp refine chair.obj data/03001627/p2mpp0001 --frame world --fit-views all --overlay)");
  command->callback([options, &settings, &exit_code] { exit_code = run_refine(*options, settings); });
}

}  // namespace p2mpp::cli
