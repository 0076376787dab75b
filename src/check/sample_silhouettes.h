#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "image/mask_facts.h"
#include "image/mask_view.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// The object in a view's image.
struct ViewMask {
  Mask mask;
  MaskFacts facts;
  [[nodiscard]] bool fills_image() const;  ///< there is no background
  [[nodiscard]] bool usable() const;       ///< one object on a background
};

/// Empty if the background is neither white nor transparent. Thread-safe.
[[nodiscard]] std::optional<ViewMask> view_mask(const View& view);

/// The silhouettes of the views that show an object, and how well they agree with cameras. The sample must outlive it.
/// Thread-safe.
class SampleSilhouettes {
 public:
  /// `masks`: one for each view of the sample.
  SampleSilhouettes(const Sample& sample, const std::vector<std::optional<ViewMask>>& masks);

  /// Whether at least two views show an object.
  [[nodiscard]] bool enough() const;

  /// The largest share of a silhouette that the visual hull of all silhouettes does not explain. `cameras`: one for
  /// each view. Precondition: enough().
  [[nodiscard]] double disagreement(const std::vector<Camera>& cameras) const;

  /// The share of each view's silhouette; empty where no object is seen. Precondition: enough().
  [[nodiscard]] std::vector<std::optional<double>> disagreements(const std::vector<Camera>& cameras) const;

  /// The diagonal of the object's box, in the cameras' unit.
  struct Size {
    double least = 0;  ///< that the silhouettes need
    double most = 0;   ///< of the hull
  };
  /// Precondition: enough(). Empty if there is no hull.
  [[nodiscard]] std::optional<Size> size(const std::vector<Camera>& cameras) const;

 private:
  [[nodiscard]] MaskView shape(std::size_t i, const Intrinsics& intrinsics) const;
  [[nodiscard]] std::vector<MaskView> posed(const std::vector<Camera>& cameras) const;

  const Sample& sample_;
  std::vector<std::size_t> indices_;  ///< of the views
  std::vector<ViewMask> masks_;
  std::vector<MaskView> shapes_;  ///< with the views' intrinsics, and without a pose
};

/// The share of each view's silhouette that the visual hull of all silhouettes does not explain. Empty for a view that
/// shows no object, and for all views if fewer than two show one. Thread-safe.
[[nodiscard]] std::vector<std::optional<double>> silhouette_disagreements(const Sample& sample,
                                                                          const std::vector<Camera>& cameras);

/// The largest share of a silhouette that the visual hull of all silhouettes does not explain: about 0 with right
/// cameras and masks, 1 if the silhouettes have no point in common. Uses the given cameras instead of the sample's.
/// Empty if fewer than two views show an object. Thread-safe.
[[nodiscard]] std::optional<double> silhouette_disagreement(const Sample& sample, const std::vector<Camera>& cameras);

}  // namespace p2mpp
