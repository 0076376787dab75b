#include <memory>

#include "cli/commands/prediction_run.h"
#include "cli/support/declared_options.h"

namespace p2mpp::cli {
namespace {

// `refine` shares PredictOptions.
struct PredictArguments : PredictOptions {
  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(samples,
          {"SAMPLE",
           "Samples: folders with images and cameras.json, cameras.txt, or rendering/NN.png and "
           "rendering/rendering_metadata.txt; or captures: the folder or file with the cameras of COLMAP, "
           "transforms.json, Metashape, "
           "RealityCapture and others (docs/photos.md)",
           "PATH", file_name()},
          {.separate = true});
    const auto add_sample = in_group("Sample", visit);
    add_sample(images, {"--images", "The 2 to 64 images of one object, instead of SAMPLE", "FILE", file_name()},
               {.configurable = false, .separate = true, .needs = "--cameras", .excludes = "SAMPLE"});
    add_sample(cameras,
               {"--cameras", "A row for each image: azimuth, elevation (degrees), 0, distance, 0", "FILE", file_name()},
               {.configurable = false, .needs = "--images"});
    add_sample(id, {"--id", "Name of the written files (default: the sample's or the first image's name)", "NAME"},
               {.configurable = false});
    visit(out, out_option());
    run.visit_options(visit);
    pictures.visit_options(visit);
  }
};

}  // namespace

void add_predict_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<PredictArguments>();
  CLI::App* command = app.add_subcommand("predict", "Reconstruct meshes from images");
  add_options(*command, *options);
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
