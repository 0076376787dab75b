#include <memory>

#include "cli/commands/prediction_run.h"
#include "cli/support/options.h"
#include "cli/support/shared_options.h"

namespace p2mpp::cli {
namespace {

void add_sample_options(CLI::App& command, PredictOptions& options) {
  constexpr const char* kGroup = "Sample";
  CLI::Option* samples = command.add_option(
      "SAMPLE", options.samples,
      "Samples: folders with images and cameras.json, cameras.txt, or rendering/NN.png and "
      "rendering/rendering_metadata.txt; or captures: a COLMAP model's folder, transforms.json or its folder");
  samples->type_name("PATH")->check(file_name());
  CLI::Option* images =
      command.add_option("--images", options.images, "The 2 to 64 images of one object, instead of SAMPLE");
  CLI::Option* cameras = command.add_option("--cameras", options.cameras,
                                            "A row for each image: azimuth, elevation (degrees), "
                                            "0, distance, 0");
  images->type_name("FILE")->check(file_name())->excludes(samples)->needs(cameras);
  cameras->type_name("FILE")->check(file_name())->needs(images);
  CLI::Option* id =
      command.add_option("--id", options.id, "Name of the written files (default: the first image's name)");
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
  command
      .add_flag("--coarse", options.meshes.coarse,
                "Also write the meshes before the refinement: {id}_coarse1.obj and so on")
      ->group(kGroup);
  add_mesh_output_options(command, options.meshes);
  add_fit_options(command, options.fit, options.fit_steps, "all, of a capture with more than the network takes");
  add_initial_options(command, options.initial);
}

}  // namespace

void add_predict_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "Reconstruct meshes from images");
  add_sample_options(*command, *options);
  add_capture_options(*command, options->capture);
  add_strict_option(*command, options->strict);
  add_result_options(*command, *options);
  add_sample_picture_options(*command, options->pictures);
  command->footer(
      R"(Writes {id}_predict.obj (the mesh) and {id}_predict.xyz (its vertices) for each sample, and prints the
milliseconds by part. The id is the folder's name. If several samples have the same id, the parent folder's name is
prepended: 02691156_p2mpp0001.

For a capture, p2mpp chooses the best views, cuts out the object and removes lens distortion. --frame source writes the
mesh in the capture's coordinates and units.

Examples:
  p2mpp predict data/02691156/p2mpp0001
  p2mpp predict capture --masks capture/masks --frame source --overlay
  p2mpp predict data/0*/* --out meshes --batch 4 --json
  p2mpp predict --images a.png b.png c.png --cameras cameras.txt --id chair --frame world
  p2mpp predict --images a.png b.png c.png --cameras cameras.txt --overlay --view
  p2mpp predict data/02691156/p2mpp0001 --format glb,ply --preview)");
  command->callback([options, &settings, &exit_code] { exit_code = run_predict(*options, settings); });
}

}  // namespace p2mpp::cli
