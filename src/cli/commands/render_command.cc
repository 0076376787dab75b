#include <memory>

#include "cli/commands/render_options.h"
#include "cli/support/command.h"
#include "cli/support/options.h"
#include "cli/support/picture_options.h"

namespace p2mpp::cli {
namespace {

constexpr long long kMostFrames = 3600;

void add_viewpoint_options(CLI::App& command, RenderOptions& options) {
  constexpr const char* kGroup = "Camera";
  CLI::Option* cameras = add_camera_options(command, options.camera);
  cameras->description(
      "Camera rows as predict reads them: meshes in the first camera's frame are turned upright, and without another "
      "option of the camera a picture is made from each row's");
  command
      .add_option("--sample", options.sample,
                  "A sample's folder as predict reads it: its cameras, and its images for --overlay and --view")
      ->type_name("FOLDER")
      ->check(file_name())
      ->excludes(cameras)
      ->group(kGroup);
  command.add_option("--turntable", options.turntable, "So many pictures in equal steps all around the object")
      ->type_name("N")
      ->check(whole_number(1, kMostFrames))
      ->group(kGroup);
}

void add_result_options(CLI::App& command, RenderOptions& options) {
  constexpr const char* kGroup = "Result";
  command.add_option("-o,--out", options.out, "Folder for the pictures")
      ->type_name("FOLDER")
      ->check(file_name())
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_flag(
          "--overlay", options.extras.overlay,
          "Write {name}_overlay.png, the mesh over each view of --sample, and print how well the silhouettes agree")
      ->group(kGroup);
  command.add_flag("--view", options.extras.view, "Write {name}_view.html: the mesh in 3D, in one file")->group(kGroup);
  command.add_option("--truth", options.extras.truth, "Ground truth in the mesh's frame, which the 3D view shows, too")
      ->type_name("FILE")
      ->check(file_name())
      ->configurable(false)
      ->group(kGroup);
  command
      .add_flag("--preview-terminal", options.extras.terminal,
                "Show each mesh's first picture in the terminal, if it can show pictures or colours")
      ->group(kGroup);
}

}  // namespace

void add_render_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand("render", "Draw meshes and point clouds as PNG pictures");
  command
      ->add_option("MESH", options->meshes,
                   "What to draw: .obj, .ply, .glb, .stl, .xyz or .dat; points are drawn as small spheres")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  add_picture_options(*command, options->picture);
  add_viewpoint_options(*command, *options);
  add_result_options(*command, *options);
  command->footer(
      R"(Writes {name}.png for each mesh, {name}_000.png and on with --turntable, {name}_view1.png and on with
--cameras or --sample, and prints the files' names. Meshes of any winding, open or of several parts, can
be drawn.

Examples:
  p2mpp render out/p2mpp0001_predict.obj --out pictures
  p2mpp render out/*_predict.obj --size 256 --background transparent --out pictures
  p2mpp render out/p2mpp0001_predict.obj --cameras cameras.txt --turntable 36 --out turn
  p2mpp render chair.ply --frame world --azimuth 120 --shading flat
  p2mpp render out/p2mpp0001_predict.obj --sample data/02691156/p2mpp0001 --overlay --view)");
  command->callback([options, &settings, &exit_code] { exit_code = run_render(*options, settings); });
}

}  // namespace p2mpp::cli
