#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/command.h"
#include "cli/sample_pictures.h"
#include "render/picture.h"
#include "render/picture_camera.h"

namespace p2mpp::cli {

/// How the vertices of a mesh lie.
enum class MeshFrame {
  kAuto,     ///< as camera 0 sees it where the whole mesh is in front of a camera at the origin, else the world's
  kCamera0,  ///< of a sample's first camera, as `predict` writes it
  kWorld,    ///< y is up
};

/// What `p2mpp render` was asked for.
struct RenderOptions {
  std::vector<std::filesystem::path> meshes;
  std::filesystem::path out = ".";
  PictureOptions picture;
  MeshFrame frame = MeshFrame::kAuto;
  std::optional<double> azimuth_deg, elevation_deg;
  double distance = 0;  ///< 0: so that the object fills the picture
  double field_of_view_deg = Framing().field_of_view_deg;
  std::filesystem::path cameras;  ///< a file of camera rows; empty: none
  std::filesystem::path sample;   ///< a sample's folder: its images, and its cameras' rows; empty: none
  int turntable = 0;              ///< pictures all around; 0: one
  SamplePictureOptions extras;    ///< an overlay, the 3D view, the first picture in the terminal
};

/// Draws the meshes, several at a time, and prints the files' names. One of several that cannot be drawn is logged, and
/// the others go on (kSomeSamplesFailed); a single one throws.
[[nodiscard]] ExitCode run_render(RenderOptions options, const Settings& settings);

}  // namespace p2mpp::cli
