#pragma once

#include <span>
#include <string>
#include <vector>

#include "capture/silhouette.h"

namespace p2mpp {

/// Adds the poses as they would be if the file's author had made a common mistake: OpenGL's camera axes for OpenCV's or
/// the other way round, poses from the camera to the world for those from the world to the camera, a quaternion's
/// numbers in the other order, or left-handed matrices.
void add_pose_alternatives(Capture& capture);

/// Adds the poses of heading, pitch and roll if the camera with all angles 0 has OpenCV's axes, x east and z up, and
/// pitch and roll have the other sign than in RealityCapture's files. Programs write such files.
void add_other_angles(Capture& capture);

/// The mean share of the silhouettes that their visual hull does not explain. About 0 with correct poses, 1 if the
/// silhouettes have no point in common. Takes as long as carve().
[[nodiscard]] double mean_disagreement(std::span<const Silhouette> silhouettes);

/// The alternative with which the silhouettes agree.
struct BetterPoses {
  const PoseAlternative* alternative =
      nullptr;       ///< nullptr: there is none, or the silhouettes agree with the given poses
  std::string line;  ///< "the masks contradict the cameras (12% of a mask on average) and agree (1%) if MISTAKE"
};

/// `owners`: the photograph of each silhouette.
[[nodiscard]] BetterPoses better_poses(std::span<const PoseAlternative> alternatives,
                                       std::span<const Photograph> photographs, std::span<const Silhouette> silhouettes,
                                       std::span<const std::size_t> owners);

/// The silhouettes with an alternative's poses.
[[nodiscard]] std::vector<Silhouette> with_poses(const PoseAlternative& alternative,
                                                 std::span<const Photograph> photographs,
                                                 std::span<const Silhouette> silhouettes,
                                                 std::span<const std::size_t> owners);

}  // namespace p2mpp
