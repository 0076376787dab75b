#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "cameras/capture.h"
#include "hull/carving.h"
#include "image/mask_view.h"

namespace p2mpp {

/// A correction of a camera, in the frame and unit of the source.
struct PoseCorrection {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();  ///< right factor: rotation' = rotation * turn
  Eigen::Vector3d move = Eigen::Vector3d::Zero();
};

struct PoseRefinement {
  bool applied = false;                     ///< otherwise all corrections are zero
  std::vector<PoseCorrection> corrections;  ///< one per silhouette
  double mean_deg = 0, largest_deg = 0;     ///< angles by which the cameras' directions to the object turn
  double before = 0, after = 0;             ///< typical disagreement of two silhouettes, in their pixels
};

/// Corrects small errors of the cameras' poses from the silhouettes alone. The planes through the centres of two
/// cameras that touch the object are the same for both cameras. Both silhouettes must therefore begin and end at the
/// same planes. Least squares over all pairs with a prior of 1 degree and 1% of the distance for each camera, which
/// also keeps the common frame where it was; robust against wrong masks. A camera that would need more than
/// kLargestCorrectionDeg stays where it is. No correction is applied if the silhouettes already agree as well as their
/// raster allows, if the mean correction is below 0.15 degrees, if the silhouettes do not agree clearly better
/// afterwards, if silhouettes that are left out in turn agree less well with the others' corrected cameras, or if there
/// are fewer than 4 or more than 150 silhouettes. Deterministic. Takes about 0.1 s for 24
/// silhouettes. Source: C. Hernandez, F. Schmitt, R. Cipolla, "MaskView Coherence for Camera Calibration under
/// Circular Motion", PAMI 2007 (which compares whole contours); the tangent planes of pairs: K. Wong, R. Cipolla,
/// "Structure and Motion from Silhouettes", ICCV 2001.
[[nodiscard]] PoseRefinement refine_poses(std::span<const MaskView> silhouettes);

inline constexpr double kLargestCorrectionDeg = 3;

/// Moves the camera of a silhouette.
void correct_pose(const PoseCorrection& correction, MaskView& silhouette);

/// Moves the camera of a photograph.
void correct_pose(const PoseCorrection& correction, Photograph& photograph);

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

// What may speak against a correction of cameras from their masks.

/// Whether points of structure from motion object: the corrected cameras see the object's points farther outside their
/// masks than the given ones do. `corrected`: the given silhouettes with other poses. False for fewer than 50 points.
[[nodiscard]] bool points_object(std::span<const Eigen::Vector3d> points, std::span<const MaskView> given,
                                 std::span<const MaskView> corrected);

/// Whether the photographs' pattern objects: patches of the hull's surface look less alike in the two cameras that see
/// them best than they do with the given poses and their hull. False if few patches have a pattern.
[[nodiscard]] bool pattern_objects(const Hull& given_hull, std::span<const MaskView> given, const Hull& corrected_hull,
                                   std::span<const MaskView> corrected);

}  // namespace p2mpp
