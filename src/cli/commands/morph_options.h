#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/support/camera_options.h"
#include "cli/support/command.h"
#include "render/picture.h"

namespace p2mpp::cli {

/// What `p2mpp morph` was asked for.
struct MorphOptions {
  std::filesystem::path from, to;
  std::filesystem::path out = ".";
  int frames = 41;
  double seconds = 2;                          ///< from one mesh to the other, in the animation
  std::vector<std::string> formats = {"obj"};  ///< of obj, png, glb
  PictureOptions picture;
  CameraOptions camera;
};

/// Writes the frames, several at a time, and prints the files' names. Throws InputError for meshes that are not of one
/// template.
void run_morph(const MorphOptions& options, const Settings& settings);

}  // namespace p2mpp::cli
