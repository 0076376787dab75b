#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "p2mpp/camera.h"
#include "p2mpp/export.h"
#include "p2mpp/fit_mask.h"
#include "p2mpp/image.h"
#include "p2mpp/similarity.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct View {
  Image image;    ///< square; the network sees it resized to 224x224
  Camera camera;  ///< in the world: y up, the object's centre at the origin, its bounding box's diagonal 0.57
  /// The camera row that `camera` was made from, if there is one: exported stages of format 1 take rows only.
  std::optional<CameraRow> row = {};
  bool padded = false;    ///< the image was not square before padded_to_square()
  bool behind = false;    ///< the object's centre is behind the photograph's camera, so the image shows nothing
  std::string name = {};  ///< the image's file name, for messages; empty if it is not known
};

/// The view of a camera row, its image padded to a square. Throws InputError as padded_to_square() and
/// camera_from_row().
[[nodiscard]] P2MPP_EXPORT View view_from_row(Image image, const CameraRow& row);

/// The number of views that a stage reads. These are the first views, at least kMinViews. 0: all.
struct StageViews {
  std::size_t stage1 = 0;
  std::size_t stage2 = 0;
};

/// A problem of a sample that probably makes its mesh wrong.
struct SampleWarning {
  std::string code;                 ///< for programs: "cut_by_border"
  std::optional<std::size_t> view;  ///< among Sample::views, from 0; empty: the sample as a whole
  std::string message;  ///< one line that names the image: "left.png: the object touches the left border; ..."
};

/// The origin of the world's unit.
enum class UnitOrigin {
  kCameras,  ///< the cameras as they were given
  kMasks,    ///< a capture's masks
  kGiven,    ///< a scale that was given for a capture
};

/// The corrections of a capture's input.
struct CaptureCorrections {
  bool poses = true;  ///< errors of the cameras up to 3 degrees, where the masks show them
  bool masks = true;  ///< masks that are too wide, too narrow, or lack pieces, from the photographs
};

/// The input for one mesh: views of an object.
struct Sample {
  std::string id;               ///< names the outputs: {id}_predict.obj
  std::vector<View> views;      ///< 2 to 64
  StageViews stage_views = {};  ///< stage 1 is skipped if there is an initial mesh
  /// The camera frame in which the network places the object, about 0.8 in front (its intrinsics have no meaning).
  /// Empty: the first view's, as with camera rows.
  std::optional<Camera> network_frame = {};
  std::string note = {};  ///< choices made while the sample was read, one line for the log; may be empty
  std::vector<SampleWarning> doubts = {};  ///< suspected errors of the sample's capture; none has a view
  UnitOrigin unit_origin = UnitOrigin::kCameras;
  Similarity source_from_world = {};                  ///< to the coordinates and units of the cameras' file
  std::optional<double> metres_per_source_unit = {};  ///< where the format of the cameras defines it
  /// Masks to which the mesh is fitted, with cameras in the world frame. Their views need not be among `views`.
  std::vector<FitMask> fit_masks = {};
  /// The mesh from which stage 2 begins, in the world frame; null: stage 1's.
  std::shared_ptr<const TriangleMesh> initial_mesh = {};
};

/// The frame of the network's vertices. Precondition: the sample has a view.
[[nodiscard]] inline const Camera& network_frame(const Sample& sample) {
  return sample.network_frame ? *sample.network_frame : sample.views.front().camera;
}

inline constexpr std::size_t kMinViews = 2;
inline constexpr std::size_t kMaxViews = 64;

/// Vertices of an initial mesh.
inline constexpr std::size_t kMinInitialVertices = 100;
inline constexpr std::size_t kMaxInitialVertices = 200'000;

/// Makes a sample of 2 to 64 decoded images ([height, width, 4]), each with its camera. The first camera is the
/// network's frame; with cameras that are farther from the world's origin than the models have seen, or nearer, a frame
/// in its direction is. The images show only the object, with transparency or white around it. With rows, images are
/// padded to squares. With cameras, in the world frame, images must be square. Throws InputError naming the view, from
/// 0, whose image or camera cannot be used, and if there are not as many cameras as images. Thread-safe.
[[nodiscard]] P2MPP_EXPORT Sample make_sample(std::string id, std::vector<Image> images,
                                              const std::vector<CameraRow>& rows);
[[nodiscard]] P2MPP_EXPORT Sample make_sample(std::string id, std::vector<Image> images,
                                              const std::vector<Camera>& cameras);

/// The number of views that stage 1 or stage 2 reads. Stage 1 reads none if there is an initial mesh, because it is
/// skipped.
[[nodiscard]] inline std::size_t views_read(const Sample& sample, int stage) {
  if (stage == 1 && sample.initial_mesh) return 0;
  const std::size_t count = stage == 1 ? sample.stage_views.stage1 : sample.stage_views.stage2;
  return count == 0 ? sample.views.size() : count;
}

}  // namespace p2mpp
