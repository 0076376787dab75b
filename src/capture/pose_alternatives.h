#pragma once

#include <span>
#include <string>
#include <vector>

#include "capture/silhouette.h"

namespace p2mpp {

/// The poses if the file mixed up OpenGL's and OpenCV's camera axes: each camera turned by 180 degrees about its x
/// axis.
[[nodiscard]] PoseAlternative turned_about_x(std::span<const Photograph> photographs);

/// The mean share of the silhouettes that their visual hull does not explain. About 0 with correct poses, 1 if the
/// silhouettes have no point in common. Takes as long as carve().
[[nodiscard]] double mean_disagreement(std::span<const Silhouette> silhouettes);

/// One line about the alternative with which the silhouettes agree, if they contradict the given poses: "the masks
/// contradict the cameras (12% of a mask on average) and agree (1%) if MISTAKE". Empty if there is none. `owners`: the
/// photograph of each silhouette.
[[nodiscard]] std::string better_poses(std::span<const PoseAlternative> alternatives,
                                       std::span<const Photograph> photographs, std::span<const Silhouette> silhouettes,
                                       std::span<const std::size_t> owners);

}  // namespace p2mpp
