#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "p2mpp/camera.h"
#include "p2mpp/export.h"
#include "p2mpp/fit_mask.h"
#include "p2mpp/similarity.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// 8 bits per channel, interleaved red, green, blue, alpha, rows from the top: [height, width, 4].
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

/// Whether no pixel has any transparency. Then the colours alone say where the object is.
[[nodiscard]] P2MPP_EXPORT bool is_opaque(const Image& image);

struct View {
  Image image;    ///< square; the network sees it resized to 224x224
  Camera camera;  ///< in the world: y up, the object's centre at the origin, its bounding box's diagonal 0.57
  /// The row that the camera is of, if it was given as one: exported stages of format 1 take rows only.
  std::optional<CameraRow> row = {};
  bool padded = false;    ///< the image was not square before padded_to_square()
  bool behind = false;    ///< of a photograph: the object's centre is behind its camera, so the image shows nothing
  std::string name = {};  ///< the image's file name, for messages; empty if it is not known
};

/// The largest square that padded_to_square() makes.
inline constexpr std::size_t kMaxPaddedPixels = std::size_t{128} << 20;

/// Pads the shorter side on both ends, with white: transparent if the image has any transparency, else opaque. A square
/// image stays as it is. Throws InputError if the square would have more than kMaxPaddedPixels.
[[nodiscard]] P2MPP_EXPORT Image padded_to_square(Image image);

/// The view of a camera row, its image padded to a square. Throws InputError as padded_to_square() and
/// camera_from_row().
[[nodiscard]] P2MPP_EXPORT View view_from_row(Image image, const CameraRow& row);

/// How many of a sample's views a stage reads: the first ones, at least kMinViews; 0: all.
struct StageViews {
  std::size_t stage1 = 0;
  std::size_t stage2 = 0;
};

/// The input for one mesh: views of an object.
struct Sample {
  std::string id;               ///< names the outputs: {id}_predict.obj
  std::vector<View> views;      ///< 2 to 64
  StageViews stage_views = {};  ///< stage 1 is skipped if there is an initial mesh
  /// The camera frame in which the network places the object, about 0.8 in front (its intrinsics have no meaning).
  /// Empty: the first view's, as with camera rows.
  std::optional<Camera> network_frame = {};
  std::string note = {};                 ///< what reading it decided, one line for the log; empty if nothing
  std::vector<std::string> doubts = {};  ///< what is suspicious about the capture that it comes from, one line each
  Similarity source_from_world = {};     ///< to the coordinates and units that the cameras came in
  /// Of any number of views, those that enter the network among them or not: the mesh is fitted to them. In the world.
  std::vector<FitMask> fit_masks = {};
  /// The mesh, in the world, that stage 2 begins from; null: stage 1's.
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

/// Of a folder's images among which nobody has chosen, so many are all used; of more, the best three.
inline constexpr std::size_t kMaxViewsUnasked = 5;

/// The number of views that stage 1 or stage 2 reads. With an initial mesh stage 1 reads none: it is skipped.
[[nodiscard]] inline std::size_t views_read(const Sample& sample, int stage) {
  if (stage == 1 && sample.initial_mesh) return 0;
  const std::size_t count = stage == 1 ? sample.stage_views.stage1 : sample.stage_views.stage2;
  return count == 0 ? sample.views.size() : count;
}

/// The paths of a sample's files. No file has been opened yet.
struct SamplePaths {
  std::string id;
  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;         ///< a file with rows of five numbers
  std::vector<std::size_t> camera_rows;  ///< row of each image, from 0
  std::size_t row_count = 0;             ///< number of rows that the file must have; 0: any
  std::filesystem::path folder = {};     ///< of the images; empty if they were named one by one
  std::size_t best = 0;  ///< of the images, or of cameras.json's, so many are used; 0: all that are named
};

}  // namespace p2mpp
