#include <memory>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/picture_options.h"
#include "cli/render_options.h"

namespace p2mpp::cli {
namespace {

constexpr long long kMostFrames = 3600;

void add_camera_options(CLI::App& command, RenderOptions& options) {
  constexpr const char* kGroup = "Camera";
  command
      .add_option(
          "--azimuth", options.azimuth_deg,
          "From where around the object, from x towards z (default: 35); of a mesh in the first camera's frame, "
          "from that camera's direction (default: 0)")
      ->type_name("DEGREES")
      ->check(CLI::Range(-360.0, 360.0))
      ->group(kGroup);
  command
      .add_option(
          "--elevation", options.elevation_deg,
          "From how high above the horizon (default: 25; of a mesh in the first camera's frame, as it looks: 0)")
      ->type_name("DEGREES")
      ->check(CLI::Range(-90.0, 90.0))
      ->group(kGroup);
  command.add_option("--distance", options.distance, "From how far (default: so that the object fills the picture)")
      ->type_name("UNITS")
      ->check(CLI::Range(1e-6, 1e6))
      ->group(kGroup);
  command.add_option("--fov", options.field_of_view_deg, "Field of view over the picture's height")
      ->type_name("DEGREES")
      ->check(CLI::Range(1.0, 120.0))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--turntable", options.turntable, "So many pictures in equal steps all around the object")
      ->type_name("N")
      ->check(whole_number(1, kMostFrames))
      ->group(kGroup);
  CLI::Option* cameras = command.add_option(
      "--cameras", options.cameras,
      "Camera rows as predict reads them: meshes in the first camera's frame are turned upright, and without "
      "another option of the camera a picture is made from each row's");
  cameras->type_name("FILE")->check(file_name())->group(kGroup);
  command
      .add_option("--sample", options.sample,
                  "A sample's folder as predict reads it: its cameras, and its images for --overlay and --view")
      ->type_name("FOLDER")
      ->check(file_name())
      ->excludes(cameras)
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--frame",
          [&options](const std::string& name) {
            options.frame = name == "world"     ? MeshFrame::kWorld
                            : name == "camera0" ? MeshFrame::kCamera0
                                                : MeshFrame::kAuto;
          },
          "The vertices' frame: of a sample's first camera, as predict writes them, or the world's (y up); auto takes "
          "the first where the whole mesh is in front of a camera at the origin")
      ->type_name("auto|camera0|world")
      ->check(one_of({"auto", "camera0", "world"}))
      ->default_str("auto")
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
                "Show the first picture in the terminal, if it can show pictures or colours")
      ->group(kGroup);
}

}  // namespace

void add_render_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand("render", "Draw meshes and point clouds as PNG pictures");
  command
      ->add_option("MESH", options->meshes, "What to draw: .obj, .ply, .xyz or .dat; points are drawn as small spheres")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  add_picture_options(*command, options->picture);
  add_camera_options(*command, *options);
  add_result_options(*command, *options);
  command->footer(
      R"(Writes {name}.png for each mesh, {name}_000.png and on with --turntable, {name}_view1.png and on with
--cameras or --sample, and prints the files' names. Meshes of any winding, open or of several parts, can
be drawn.

Examples:
  p2mpp render out/p2mpp0001_predict.obj --out pictures
  p2mpp render out/*_predict.obj --size 256 --background transparent --out pictures
  p2mpp render out/p2mpp0001_predict.obj --cameras cameras.txt --turntable 36 --elevation 20 --out turn
  p2mpp render chair.ply --frame world --azimuth 120 --shading flat
  p2mpp render out/p2mpp0001_predict.obj --sample data/02691156/p2mpp0001 --overlay --view)");
  command->callback([options, &settings, &exit_code] { exit_code = run_render(*options, settings); });
}

}  // namespace p2mpp::cli
