#include <memory>

#include "cli/commands/morph_options.h"
#include "cli/support/command.h"
#include "cli/support/options.h"
#include "cli/support/picture_options.h"

namespace p2mpp::cli {
namespace {

constexpr long long kMostFrames = 3600;

void add_result_options(CLI::App& command, MorphOptions& options) {
  constexpr const char* kGroup = "Result";
  command.add_option("--frames", options.frames, "Frames, the two meshes among them")
      ->type_name("N")
      ->check(whole_number(2, kMostFrames))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--format", options.formats,
                  "obj: a mesh a frame; png: a picture a frame; glb: one file with an animation; several with commas")
      ->type_name("NAME,NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of({"obj", "png", "glb"}))
      ->default_str("obj")
      ->group(kGroup);
  command
      .add_option("--seconds", options.seconds, "From one mesh to the other in the animation, which comes back, too")
      ->type_name("SECONDS")
      ->check(number(0.01, 3600))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("-o,--out", options.out, "Folder for the files")
      ->type_name("FOLDER")
      ->check(file_name())
      ->capture_default_str()
      ->group(kGroup);
}

}  // namespace

void add_morph_command(CLI::App& app, const Settings& settings, ExitCode& /*exit_code*/) {
  const auto options = std::make_shared<MorphOptions>();
  CLI::App* command = app.add_subcommand("morph", "Go from one mesh to another of the same template");
  command->add_option("FROM", options->from, "The first mesh: .obj or .ply")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  command->add_option("TO", options->to, "The last mesh, with the same triangles")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  add_result_options(*command, *options);
  add_picture_options(*command, options->picture);
  add_camera_options(*command, options->camera)
      ->description("Camera rows as predict reads them: pictures of meshes in the first camera's frame are upright");
  command->footer(
      R"(Every mesh that one model predicts has the same triangles, so its vertices can go straight to those of
another. Writes {from}_to_{to}_000.obj and on, {from}_to_{to}_000.png and on, {from}_to_{to}.glb, as
--format says, and prints the files' names.

Examples:
  p2mpp morph out/chair_predict.obj out/sofa_predict.obj --frames 41 --out frames
  p2mpp morph out/chair_predict.obj out/sofa_predict.obj --format glb --seconds 3
  p2mpp morph out/chair_predict.obj out/sofa_predict.obj --format png --size 256 --frame camera0)");
  command->callback([options, &settings] { run_morph(*options, settings); });
}

}  // namespace p2mpp::cli
