#pragma once

#include <span>
#include <string>
#include <vector>

#include "cameras/capture.h"
#include "image/mask_view.h"

namespace p2mpp {

/// The mean share of the silhouettes that their visual hull does not explain. About 0 with correct poses, 1 if the
/// silhouettes have no point in common. Takes as long as carve().
[[nodiscard]] double mean_disagreement(std::span<const MaskView> silhouettes);

/// The alternative with which the silhouettes agree.
struct BetterPoses {
  const PoseAlternative* alternative =
      nullptr;       ///< nullptr: there is none, or the silhouettes agree with the given poses
  std::string line;  ///< "the masks contradict the cameras (12% of a mask on average) and agree (1%) if MISTAKE"
};

/// `owners`: the photograph of each silhouette.
[[nodiscard]] BetterPoses better_poses(std::span<const PoseAlternative> alternatives,
                                       std::span<const MaskView> silhouettes, std::span<const std::size_t> owners);

/// The silhouettes with an alternative's poses.
[[nodiscard]] std::vector<MaskView> with_poses(const PoseAlternative& alternative,
                                               std::span<const MaskView> silhouettes,
                                               std::span<const std::size_t> owners);

}  // namespace p2mpp
