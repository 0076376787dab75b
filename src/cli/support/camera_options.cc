#include "cli/support/camera_options.h"

#include "cli/support/options.h"
#include "render/mesh_frame.h"

namespace p2mpp::cli {
namespace {

constexpr const char* kGroup = "Camera";

void add_frame_option(CLI::App& command, CameraOptions& options) {
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

}  // namespace

Framing CameraOptions::framing(bool in_camera) const {
  constexpr double kOwnDirectionDegrees = 90;  // looks along -z, as the camera of a camera's frame
  Framing framing{.field_of_view_deg = field_of_view_deg, .distance = distance};
  if (in_camera) {
    framing.azimuth_deg = kOwnDirectionDegrees;
    framing.elevation_deg = 0;
  }
  if (azimuth_deg) framing.azimuth_deg = *azimuth_deg + (in_camera ? kOwnDirectionDegrees : 0);
  if (elevation_deg) framing.elevation_deg = *elevation_deg;
  return framing;
}

CLI::Option* add_camera_options(CLI::App& command, CameraOptions& options) {
  command
      .add_option(
          "--azimuth", options.azimuth_deg,
          "From where around the object, from x towards z (default: 35); of a mesh in the first camera's frame, "
          "from that camera's direction (default: 0)")
      ->type_name("DEGREES")
      ->check(number(-360, 360))
      ->group(kGroup);
  command
      .add_option(
          "--elevation", options.elevation_deg,
          "From how high above the horizon (default: 25; of a mesh in the first camera's frame, as it looks: 0)")
      ->type_name("DEGREES")
      ->check(number(-90, 90))
      ->group(kGroup);
  command.add_option("--distance", options.distance, "From how far (default: so that the object fills the picture)")
      ->type_name("UNITS")
      ->check(number(1e-6, 1e6))
      ->group(kGroup);
  command.add_option("--fov", options.field_of_view_deg, "Field of view over the picture's height")
      ->type_name("DEGREES")
      ->check(number(1, 120))
      ->capture_default_str()
      ->group(kGroup);
  add_frame_option(command, options);
  return command.add_option("--cameras", options.cameras)->type_name("FILE")->check(file_name())->group(kGroup);
}

MeshFrame resolved(MeshFrame frame, const Points& vertices) {
  if (frame != MeshFrame::kAuto) return frame;
  return is_in_front_of_camera(vertices) ? MeshFrame::kCamera0 : MeshFrame::kWorld;
}

Upright upright(TriangleMesh mesh, MeshFrame frame, std::span<const CameraRow> rows) {
  const bool in_camera = resolved(frame, mesh.vertices) == MeshFrame::kCamera0;
  if (!in_camera || rows.empty()) return {std::move(mesh), in_camera};
  return {{world_from_camera(mesh.vertices, rows.front()), std::move(mesh.triangles)}, false};
}

}  // namespace p2mpp::cli
