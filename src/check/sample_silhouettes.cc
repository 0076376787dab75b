#include "check/sample_silhouettes.h"

#include <algorithm>

#include "base/with_prefix.h"
#include "hull/carving.h"
#include "hull/hull_projection.h"
#include "image/mask_resampling.h"
#include "image/object_mask.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kSmallSilhouette = 96;       ///< pixels a side
constexpr double kBoundsMargin = 1.1;      ///< around what the silhouettes show
constexpr double kWideMargin = 1.9;        ///< the same, so that the hull's cones are not cut off
constexpr int kCoarse = 5, kFine = 6;      ///< 32 and 64 cells a side
constexpr float kCarvingTolerance = 0.5F;  ///< pixels of a small silhouette

const BackgroundColour kWhite{Colour{255, 255, 255}};

// Of an image whose sides have so many times 224 pixels.
Lens pinhole_lens(const Intrinsics& intrinsics, double pixels) {
  Lens lens;
  lens.fx = intrinsics.fx * pixels;
  lens.fy = intrinsics.fy * pixels;
  lens.cx = intrinsics.cx * pixels;
  lens.cy = intrinsics.cy * pixels;
  return lens;
}

bool same(const Intrinsics& a, const Intrinsics& b) {
  return a.fx == b.fx && a.fy == b.fy && a.cx == b.cx && a.cy == b.cy;
}

// Upper bound on the object's distance from the origin, given its silhouette.
double find_reach(const MaskView& silhouette) {
  const Eigen::Vector3d origin = -(silhouette.camera().rotation * silhouette.camera().centre);
  if (origin.z() <= 0) return silhouette.camera().centre.norm();
  const double aside = origin.head<2>().norm() / origin.z(),
               half = silhouette.width / (2 * silhouette.camera().focal.x());
  return silhouette.camera().centre.norm() * (aside + half);
}

// The object is around the origin, so that no other bounds have to be found. Empty if there is nothing.
std::optional<Hull> carved(const std::vector<MaskView>& silhouettes, double margin) {
  double reach = 0;
  for (const MaskView& silhouette : silhouettes) reach = std::max(reach, find_reach(silhouette));
  // Cells are large at first: a thin object has none whose middle is inside.
  const Eigen::Vector3f most = Eigen::Vector3f::Constant(static_cast<float>(margin * reach));
  Hull hull = carve(silhouettes, {-most, most}, {.depth = kCoarse, .allowance = 0, .tolerance = 3});
  if (hull.volume == 0) return std::nullopt;
  const Eigen::Vector3d around = Eigen::Vector3d::Constant(hull.cell);
  hull = carve(silhouettes, {(hull.lower - around).cast<float>(), (hull.upper + around).cast<float>()},
               {.depth = kFine, .allowance = 0, .tolerance = kCarvingTolerance});
  if (hull.surface.empty()) return std::nullopt;
  return hull;
}

}  // namespace

bool ViewMask::fills_image() const { return facts.share > kFullImage; }

bool ViewMask::usable() const { return shows_object(facts) && !fills_image(); }

std::optional<ViewMask> view_mask(const View& view) {
  try {
    ViewMask result{object_mask(view.image, view.name, kWhite).mask, {}};
    result.facts = mask_facts(result.mask);
    return result;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

SampleSilhouettes::SampleSilhouettes(const Sample& sample, const std::vector<std::optional<ViewMask>>& masks)
    : sample_(sample) {
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (!masks[i] || !masks[i]->usable()) continue;
    indices_.push_back(i);
    masks_.push_back(*masks[i]);
    shapes_.push_back(shape(indices_.size() - 1, sample.views[i].camera.intrinsics));
  }
}

bool SampleSilhouettes::enough() const { return indices_.size() >= kMinViews; }

double SampleSilhouettes::disagreement(const std::vector<Camera>& cameras) const {
  double worst = 0;
  for (const std::optional<double>& share : disagreements(cameras)) worst = std::max(worst, share.value_or(0));
  return worst;
}

std::vector<std::optional<double>> SampleSilhouettes::disagreements(const std::vector<Camera>& cameras) const {
  const std::vector<MaskView> silhouettes = posed(cameras);
  const std::optional<Hull> hull = carved(silhouettes, kBoundsMargin);
  std::vector<SilhouetteFit> fits(silhouettes.size(), SilhouetteFit{.unexplained = 1});
  if (hull) fits = silhouette_fits(*hull, silhouettes);
  std::vector<std::optional<double>> shares(sample_.views.size());
  for (std::size_t i = 0; i < fits.size(); ++i) shares[indices_[i]] = fits[i].unexplained;
  return shares;
}

std::optional<SampleSilhouettes::Size> SampleSilhouettes::size(const std::vector<Camera>& cameras) const {
  const std::vector<MaskView> silhouettes = posed(cameras);
  const std::optional<Hull> hull = carved(silhouettes, kWideMargin);
  if (!hull) return std::nullopt;
  return Size{least_extents(*hull, silhouettes).norm(), (hull->upper - hull->lower).norm()};
}

MaskView SampleSilhouettes::shape(std::size_t i, const Intrinsics& intrinsics) const {
  const View& view = sample_.views[indices_[i]];
  return with_prefix(view.name + ": ", [&] {
    return resampled_mask(pinhole_lens(intrinsics, view.image.width / kImageSize),
                          {view.image.width, view.image.height}, masks_[i].mask, masks_[i].facts, kSmallSilhouette);
  });
}

std::vector<MaskView> SampleSilhouettes::posed(const std::vector<Camera>& cameras) const {
  std::vector<MaskView> silhouettes;
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    const Camera& camera = cameras[indices_[i]];
    const bool same_lens = same(camera.intrinsics, sample_.views[indices_[i]].camera.intrinsics);
    silhouettes.push_back(same_lens ? shapes_[i] : shape(i, camera.intrinsics));
    silhouettes.back().set_pose(silhouettes.back().camera().rotation * flip_y_and_z(camera.rotation), camera.origin);
  }
  return silhouettes;
}

std::vector<std::optional<double>> silhouette_disagreements(const Sample& sample, const std::vector<Camera>& cameras) {
  std::vector<std::optional<ViewMask>> masks;
  for (const View& view : sample.views) masks.push_back(view_mask(view));
  const SampleSilhouettes silhouettes(sample, masks);
  if (!silhouettes.enough()) return std::vector<std::optional<double>>(sample.views.size());
  return silhouettes.disagreements(cameras);
}

std::optional<double> silhouette_disagreement(const Sample& sample, const std::vector<Camera>& cameras) {
  // An empty value is less than any number.
  return std::ranges::max(silhouette_disagreements(sample, cameras));
}

}  // namespace p2mpp
