#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/option.h"
#include "engine/engine_options.h"
#include "p2mpp/camera.h"
#include "p2mpp/triangle_mesh.h"
#include "render/picture.h"
#include "render/picture_camera.h"

namespace p2mpp {

/// Reads "512" or "640x480" into the picture's size.
void from_text(std::string_view text, PictureOptions& picture);
/// The picture's size as from_text() reads it.
[[nodiscard]] std::string to_string(const PictureOptions& picture);

inline void from_text(std::string_view text, Background& background) {
  background = text == "white" ? Background::kWhite : Background::kTransparent;
}
inline void from_text(std::string_view text, Shading& shading) {
  shading = text == "flat"       ? Shading::kFlat
            : text == "smooth"   ? Shading::kSmooth
            : text == "textured" ? Shading::kTextured
                                 : Shading::kAutomatic;
}

}  // namespace p2mpp

// Groups of options that several commands share.
namespace p2mpp::cli {

[[nodiscard]] ValueCheck picture_size();

/// How `worker` and `serve` put requests into batches.
struct BatchingOptions {
  int max_batch = 0;  ///< 0: --batch
  int timeout_ms = 5;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    constexpr int kMaxTimeoutMs = 60'000;
    const auto add = in_group("Batching", visit);
    add(max_batch, {"--max-batch", "Largest number of samples computed together; 0: the value of --batch", "N",
                    whole_number(0, kMaxBatch)});
    add(timeout_ms, {"--batch-timeout-ms", "How long a request waits for others to share its batch", "N",
                     whole_number(0, kMaxTimeoutMs)});
  }
};

/// The pictures of `render` and `morph`.
template <typename Visit>
void visit_picture_options(PictureOptions& picture, Visit&& visit) {
  const auto add = in_group("Picture", visit);
  add(picture, {"--size", "Size of a picture in pixels, such as 512 or 640x480", "PIXELS", picture_size()});
  add(picture.samples,
      {"--samples", "Rays per pixel; more give smoother edges", "N", whole_number(1, kMaxPictureSamples)});
  add(picture.background, {"--background", "Background of the object", "", one_of({"white", "transparent"})},
      {.standard = "white"});
  add(picture.shading,
      {"--shading",
       "Shading of the surface: its own texture or colours as they are; smooth except at sharp edges; or flat "
       "triangles; auto: "
       "textured for a mesh that has a texture or colours, else smooth",
       "", one_of({"auto", "textured", "smooth", "flat"})},
      {.standard = "auto"});
  add(picture.ground, {"--no-ground", "Draw no shadow on the ground below the object"}, {.sets = "false"});
}

/// The frame of a mesh file's vertices.
enum class MeshFrame {
  kAuto,     ///< kCamera0 if the whole mesh is in front of a camera at the origin, else kWorld
  kCamera0,  ///< the frame of a sample's first camera, as `predict` writes it
  kWorld,    ///< y is up
};

inline void from_text(std::string_view text, MeshFrame& frame) {
  frame = text == "world" ? MeshFrame::kWorld : text == "camera0" ? MeshFrame::kCamera0 : MeshFrame::kAuto;
}

/// The camera that pictures are drawn with.
struct CameraOptions {
  MeshFrame frame = MeshFrame::kAuto;
  std::optional<double> azimuth_deg, elevation_deg;
  double distance = 0;  ///< 0: the object fills the picture
  double field_of_view_deg = Framing().field_of_view_deg;
  std::filesystem::path cameras;  ///< a file of camera rows; empty: none

  /// Whether a direction or a distance was given.
  [[nodiscard]] bool framed() const { return azimuth_deg || elevation_deg || distance > 0; }

  [[nodiscard]] Framing framing(bool in_camera) const;

  /// `help_of_cameras`: that of --cameras, which differs between commands.
  template <typename Visit>
  void visit_options(const char* help_of_cameras, Visit&& visit) {
    const auto add = in_group("Camera", visit);
    add(azimuth_deg, {"--azimuth",
                      "Direction of the camera around the object, from x towards z (default: 35); for a mesh in the "
                      "first camera's frame, relative to that camera (default: 0)",
                      "DEGREES", number(-360, 360)});
    add(elevation_deg,
        {"--elevation",
         "Angle of the camera above the horizon (default: 25; for a mesh in the first camera's frame: 0)", "DEGREES",
         number(-90, 90)});
    add(distance,
        {"--distance", "Distance of the camera (default: the object fills the picture)", "UNITS", number(1e-6, 1e6)},
        {.standard = ""});
    add(field_of_view_deg, {"--fov", "Vertical field of view", "DEGREES", number(1, 120)});
    add(frame,
        {"--frame",
         "Frame of the vertices: the first camera's, as predict writes them, or the world's (y up); auto is camera0 if "
         "the whole mesh is in front of a camera at the origin, else world",
         "", one_of({"auto", "camera0", "world"})},
        {.standard = "auto"});
    add(cameras, {"--cameras", help_of_cameras, "FILE", file_name()});
  }
};

/// Resolves kAuto for these vertices to kCamera0 or kWorld.
[[nodiscard]] MeshFrame resolved(MeshFrame frame, const Points& vertices);

/// A mesh ready to be drawn.
struct Upright {
  TriangleMesh mesh;
  bool in_camera = false;  ///< in the frame of a camera that is not known: the vertical direction is unknown
};

/// Converts a mesh from the first camera's frame to the world's if that camera, the first, is known.
[[nodiscard]] Upright upright(TriangleMesh mesh, MeshFrame frame, std::span<const Camera> cameras);

}  // namespace p2mpp::cli
