#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cameras/capture.h"
#include "image/mask_facts.h"
#include "p2mpp/fit_mask.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// A mask resampled to an ideal pinhole camera, which is at the photograph's centre and looks at the mask's middle: a
/// square image just larger than the mask, without the lens' distortion. The principal point is in its middle. Its
/// frame is OpenCV's: x right, y down, z forward.
struct Silhouette : Mask {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  ///< cam_from_source: rows are its axes in the source
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();      ///< the same in the photograph's frame
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();        ///< of the camera, in the source
  double focal = 1;                                        ///< pixels
  double grain = 1;  ///< pixels per pixel of the mask: above 1, the boundary is no more exact than that
  std::vector<std::uint8_t> brightness = {};  ///< of the photograph, [width, width]; empty if it was not requested
  /// [width, width]: pixels from a pixel's centre to the mask's boundary, positive inside: see signed_distances().
  std::vector<float> distance = {};
  /// Outside the square, the distance of the nearest pixel inside. It is continuous even if the border cuts the mask.
  bool is_continuous = false;

  /// The distance at a continuous pixel position, interpolated bilinearly. Outside the square it is at most minus the
  /// distance to the square, unless the mask continues there (because the photograph's border cuts it). What is unknown
  /// is inside.
  [[nodiscard]] double distance_at(double x, double y) const;

  /// Whether anything is unknown within `reach` pixels of a position.
  [[nodiscard]] bool is_near_unknown(double x, double y, int reach) const;

  /// A point of the source in the camera's frame.
  [[nodiscard]] Eigen::Vector3d cam_from_source(const Eigen::Vector3d& point) const {
    return rotation * (point - centre);
  }

  /// The distance where a point of the camera's frame is seen. Precondition: z > 0.
  [[nodiscard]] double distance_at(const Eigen::Vector3d& seen) const {
    const double scale = focal / seen.z(), half = width / 2.0;
    return distance_at(scale * seen.x() + half, scale * seen.y() + half);
  }

  /// The direction in the source from the camera through a continuous pixel; not of unit length.
  [[nodiscard]] Eigen::Vector3d direction_of(double x, double y) const {
    return rotation.transpose() * Eigen::Vector3d((x - width / 2.0) / focal, (y - width / 2.0) / focal, 1);
  }
};

inline constexpr int kSilhouetteSize = 320;

/// The size for each of many photographs: smaller ones from 800 on, so that memory stays below about a gigabyte.
[[nodiscard]] constexpr int silhouette_size(std::size_t photographs) {
  int size = kSilhouetteSize;
  for (std::size_t most = 800; photographs > most && size > 40; most *= 2) size = size * 7 / 10;
  return size;
}

/// Resamples a mask of a photograph (of any size with its aspect ratio). A mask that touches the image border is
/// assumed to extend beyond it: what the photograph does not show is unknown then. Precondition: shows_object(facts).
/// Throws InputError naming the photograph if its lens sees none of the mask.
[[nodiscard]] Silhouette make_silhouette(const Photograph& photograph, const Mask& mask, const MaskFacts& facts,
                                         int size = kSilhouetteSize);

/// The silhouette of a mask with its camera; its source is the mask's world. If the mask is soft, distances are exact
/// to fractions of a pixel. Preconditions: the camera has one focal length and its principal point in the middle, like
/// those of make_fit_mask(); check_mask() and check_shows_object() pass.
[[nodiscard]] Silhouette make_silhouette(const FitMask& mask);

/// As the first, with brightness. Precondition: the photograph's lens refers to the image's pixels.
[[nodiscard]] Silhouette make_silhouette(const Photograph& photograph, const Image& image, const Mask& mask,
                                         const MaskFacts& facts, int size = kSilhouetteSize);

/// The mask and the brightness of a view. The mask is the image's alpha or the pixels that differ from a plain
/// background, resampled to 224x224 if the image is larger than 256 or smaller than 64 pixels. Throws InputError naming
/// the view if it has neither alpha nor a plain background.
[[nodiscard]] FitMask make_fit_mask(const View& view);

/// The mask of a photograph's silhouette in the world, with its brightness if it has one. The pose is the photograph's,
/// in OpenCV's frame. `name`: for messages.
[[nodiscard]] FitMask make_fit_mask(const Silhouette& silhouette, const Rigid3& cam_from_world, std::string name);

}  // namespace p2mpp
