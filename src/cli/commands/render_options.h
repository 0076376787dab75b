#pragma once

#include <filesystem>
#include <vector>

#include "cli/commands/sample_pictures.h"
#include "cli/support/camera_options.h"
#include "cli/support/command.h"
#include "render/picture.h"

namespace p2mpp::cli {

/// What `p2mpp render` was asked for.
struct RenderOptions {
  std::vector<std::filesystem::path> meshes;
  std::filesystem::path out = ".";
  PictureOptions picture;
  CameraOptions camera;
  std::filesystem::path sample;  ///< a sample's folder: its images, and its cameras' rows; empty: none
  int turntable = 0;             ///< pictures all around; 0: one
  SamplePictureOptions extras;   ///< an overlay, the 3D view, the first picture in the terminal
};

/// Draws the meshes, several at a time, and prints the files' names. One of several that cannot be drawn is logged, and
/// the others go on (kSomeSamplesFailed); a single one throws.
[[nodiscard]] ExitCode run_render(RenderOptions options, const Settings& settings);

}  // namespace p2mpp::cli
