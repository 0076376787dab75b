#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cameras/parsing/pose_matrix.h"
#include "geometry/lens.h"
#include "geometry/rigid3.h"

namespace p2mpp {

struct ColmapCamera {
  Lens lens;
  int width = 0, height = 0;
  std::string_view model = {};  ///< COLMAP's name of the camera model
  std::string refusal = {};     ///< why it cannot be used: a message that names its place. Empty: it can
};

using ColmapCameras = std::map<std::int64_t, ColmapCamera>;  ///< by COLMAP's camera id

struct ColmapImage {
  std::string name;          ///< its path below the folder of the photographs
  std::string where;         ///< for messages: "images.txt:7", "images.bin: byte 96"
  std::int64_t camera = 0;   ///< an id that ColmapCameras need not have
  Rigid3 cam_from_source;    ///< as of Photograph
  std::string refusal = {};  ///< as of ColmapCamera
};

inline constexpr std::uintmax_t kMaxColmapFileBytes = 1u << 30;

/// A point of structure from motion is used if at least three photographs show it (with two, its depth is not checked)
/// and its mean reprojection error is at most two pixels.
inline constexpr std::uint64_t kMinTrackLength = 3;
inline constexpr double kMaxReprojectionError = 2;

/// A check for both file formats. It throws InputError with a message that begins with `where`.
[[nodiscard]] int checked_side(std::uint64_t pixels, const std::string& where);

/// Adds a camera. Of one that is there twice, with different values, none can be used.
void add_camera(std::int64_t id, const ColmapCamera& camera, const std::string& where, ColmapCameras& cameras);

/// The contents of COLMAP's cameras.bin and images.bin, and the reliable points of points3D.bin. A camera or an image
/// that cannot be used says so in its `refusal`. A file whose records cannot be told apart throws InputError, "{name}:
/// byte N: ...". Counts are compared with the number of remaining bytes before memory is allocated. Source:
/// COLMAP, src/colmap/scene/reconstruction_io_binary.cc, unchanged since version 3.0.
[[nodiscard]] ColmapCameras parse_cameras_bin(std::string_view bytes, const std::string& name);
[[nodiscard]] std::vector<ColmapImage> parse_images_bin(std::string_view bytes, const std::string& name);
[[nodiscard]] std::vector<Eigen::Vector3d> parse_points3d_bin(std::string_view bytes, const std::string& name);

/// The contents of COLMAP's cameras.txt and images.txt, and the reliable points of points3D.txt. Names may contain
/// blanks. They throw and refuse as those of binary files, "{name}:LINE: ...".
/// Source: https://colmap.github.io/format.html.
[[nodiscard]] ColmapCameras parse_cameras_txt(std::string_view text, const std::string& name);
[[nodiscard]] std::vector<ColmapImage> parse_images_txt(std::string_view text, const std::string& name);
[[nodiscard]] std::vector<Eigen::Vector3d> parse_points3d_txt(std::string_view text, const std::string& name);

}  // namespace p2mpp
