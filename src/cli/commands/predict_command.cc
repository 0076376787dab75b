#include <fmt/format.h>

#include <memory>

#include "cli/commands/prediction.h"
#include "cli/support/command.h"
#include "cli/support/mesh_output_options.h"
#include "cli/support/options.h"

namespace p2mpp::cli {
namespace {

void add_sample_options(CLI::App& command, PredictOptions& options) {
  constexpr const char* kGroup = "Sample";
  CLI::Option* samples = command.add_option(
      "SAMPLE", options.samples,
      "Folders with images and cameras: rendering/NN.png and rendering/rendering_metadata.txt, the same "
      "without rendering/, or images and cameras.txt");
  samples->type_name("FOLDER")->check(file_name());
  CLI::Option* images =
      command.add_option("--images", options.images, "Two to five images of one object, in place of SAMPLE");
  CLI::Option* cameras = command.add_option("--cameras", options.cameras,
                                            "A row for each image: azimuth, elevation (degrees), "
                                            "0, distance, 0");
  images->type_name("FILE")->check(file_name())->excludes(samples)->needs(cameras);
  cameras->type_name("FILE")->check(file_name())->needs(images);
  CLI::Option* id = command.add_option("--id", options.id, "Names the files written (default: the first image's name)");
  id->type_name("NAME")->needs(images);
  for (CLI::Option* option : {images, cameras, id}) option->configurable(false)->group(kGroup);
}

void add_result_options(CLI::App& command, PredictOptions& options) {
  constexpr const char* kGroup = "Result";
  command.add_option("-o,--out", options.out, "Folder for the files")
      ->type_name("FOLDER")
      ->check(file_name())
      ->capture_default_str()
      ->group(kGroup);
  command.add_flag("--coarse", options.coarse, "Write the meshes before the refinement, too: {id}_coarse1.obj and on")
      ->group(kGroup);
  add_mesh_output_options(command, options.meshes, options.frame);
}

void add_sample_picture_options(CLI::App& command, SamplePictureOptions& pictures) {
  constexpr const char* kGroup = "Pictures";
  command.add_flag("--preview", pictures.preview, "Write {id}_preview.png: the mesh from the first view's direction")
      ->group(kGroup);
  command
      .add_flag("--overlay", pictures.overlay,
                "Write {id}_overlay.png, the mesh over each view, and print how well the silhouettes agree (IoU, 1 is "
                "best): the check of cameras")
      ->group(kGroup);
  command.add_flag("--view", pictures.view, "Write {id}_view.html: the mesh in 3D beside its views, in one file")
      ->group(kGroup);
  command
      .add_option("--truth", pictures.truth, "Ground truth in the first camera's frame, which the 3D view shows, too")
      ->type_name("FILE")
      ->check(file_name())
      ->configurable(false)
      ->group(kGroup);
  command
      .add_flag("--preview-terminal", pictures.terminal,
                "Show the preview in the terminal, if it can show pictures or colours")
      ->group(kGroup);
}

}  // namespace

void add_predict_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "Reconstruct meshes from images");
  add_sample_options(*command, *options);
  add_result_options(*command, *options);
  add_sample_picture_options(*command, options->pictures);
  command->footer(
      R"(Writes {id}_predict.obj (the mesh) and {id}_predict.xyz (its vertices) for each sample, and prints the
milliseconds by part. The id is the folder's name.

Examples:
  p2mpp predict data/02691156/p2mpp0001
  p2mpp predict data/*/* --out meshes --batch 4 --json
  p2mpp predict --images a.png b.png c.png --cameras cameras.txt --id chair --frame world
  p2mpp predict --images a.png b.png c.png --cameras cameras.txt --overlay --view
  p2mpp predict data/02691156/p2mpp0001 --format glb,ply --preview)");
  command->callback([options, &settings, &exit_code] { exit_code = run_predict(*options, settings); });
}

}  // namespace p2mpp::cli
