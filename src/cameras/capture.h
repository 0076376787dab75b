#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "geometry/lens.h"
#include "geometry/rigid3.h"

namespace p2mpp {

/// A photograph of a capture: its files and its calibrated camera. Nothing has been decoded yet.
struct Photograph {
  std::filesystem::path image;
  std::filesystem::path mask;                                  ///< empty if the capture names none
  std::optional<std::array<std::uint8_t, 3>> background = {};  ///< the colour behind the object, if known for the mask
  Lens lens;
  int width = 0, height = 0;  ///< pixels to which the lens refers; the file may have another size, or be turned by EXIF
  /// The camera's frame is OpenCV's: x right, y down, z forward. The source is the capture's own world, in its own
  /// unit.
  Rigid3 cam_from_source;
  bool upright = false;        ///< the lens refers to the image as its EXIF orientation turns it, not as it is stored
  std::string name;            ///< as the capture names it, for messages: "left/IMG_1.jpg"
  std::string lens_name = {};  ///< as the file's program names the lens' kind; may be empty

  /// The camera's centre in the source.
  [[nodiscard]] Eigen::Vector3d centre() const { return inverse(cam_from_source).translation; }
};

/// The poses of a capture's photographs if a common mistake was made.
struct PoseAlternative {
  std::string mistake;                  ///< the mistake and its remedy: "the table turns clockwise: give --clockwise"
  std::vector<Rigid3> cam_from_source;  ///< one per photograph
  double focal_scale = 1;               ///< of all lenses, about the middle of the photographs
  bool is_convention = false;           ///< no mistake: programs write the format in both ways
};

/// Calibrated photographs of an object. Everything is in the source's frame and unit.
struct Capture {
  std::vector<Photograph> photographs;        ///< in natural order of their names, each name once
  std::vector<Eigen::Vector3d> points;        ///< reliable points of structure from motion; may be empty
  std::optional<Eigen::Vector3d> up;          ///< unit, where the format defines it
  bool up_is_measured = false;                ///< by the device (gravity), not assumed
  std::optional<double> metres_per_unit;      ///< where the format defines it
  std::string kind;                           ///< for messages: "COLMAP model, binary"
  std::string version;                        ///< of the file, as it says; may be empty
  std::string where;                          ///< for messages: the file or folder that was read
  std::filesystem::path folder;               ///< the capture's own: masks are looked for in it
  std::vector<std::string> notes;             ///< skipped files and assumptions, one line each
  std::string mask_search;                    ///< added to the message if an object cannot be told from its background
  std::vector<PoseAlternative> alternatives;  ///< tried if the masks contradict the poses
};

/// A point near the cameras if they are far from the source's origin, as map coordinates are, otherwise zero. Around
/// it, distances do not lose digits to coordinates. Precondition: finite poses.
[[nodiscard]] Eigen::Vector3d far_origin(const Capture& capture);

/// Moves cameras and points, so that `origin` becomes zero.
void move_origin(Capture& capture, const Eigen::Vector3d& origin);

inline constexpr std::size_t kMinPhotographs = 2;

/// Throws InputError, "{where}: ...", unless a file's name from a capture stays inside the capture's folder. A capture
/// may come from strangers, who must not name other files of this machine.
void check_inside(const std::string& file, const std::string& where);

/// Sorts the photographs by name, leaves out what cannot be right (intrinsics that are no pixels, a photograph with
/// several cameras), adds notes about it and about missing ones, and returns the capture. Throws InputError, "{where}:
/// ...", if there are fewer than kMinPhotographs. The message names files of unsupported formats in `folder`, the
/// folder of the photographs, and `hint`.
[[nodiscard]] Capture check_images(Capture capture, const std::vector<std::string>& missing,
                                   const std::filesystem::path& folder, const std::string& hint = {});

/// "a, b, c and 4 more".
[[nodiscard]] std::string first_names(const std::vector<std::string>& names);

/// Adds the poses as they would be if the file's author had made a common mistake: OpenGL's camera axes for OpenCV's or
/// the other way round, poses from the camera to the world for those from the world to the camera, a quaternion's
/// numbers in the other order, or left-handed matrices.
void add_pose_alternatives(Capture& capture);

/// Adds the poses of heading, pitch and roll if the camera with all angles 0 has OpenCV's axes, x east and z up, and
/// pitch and roll have the other sign than in RealityCapture's files. Programs write such files.
void add_other_angles(Capture& capture);

}  // namespace p2mpp
