#include "refinement/detail_views.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "image/mask_resampling.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMostViews = 32;
constexpr int kMostSide = 1024, kLeastSide = 64;  ///< pixels of a view's side

/// A view at about the photograph's own pixels; nothing if it does not show the object.
std::optional<DetailView> detail_view(const PhotographSource& source, std::size_t which) {
  const DecodedSource decoded = source.decode(which);
  const MaskFacts facts = mask_facts(decoded.mask);
  if (!shows_object(facts)) return {};
  const int side = std::clamp(native_view_size(facts), kLeastSide, kMostSide);
  MaskView view = resampled_mask(decoded.lens, {decoded.image.width, decoded.image.height}, decoded.mask, facts, side,
                                 &decoded.image);
  view.set_photograph_pose(source.photographs()[which].cam_from_world);
  DetailView detail;
  for (const int factor : kFactors) detail.push_back(reduced(view, factor));
  return detail;
}

}  // namespace

std::vector<DetailView> detail_views(const PhotographSource& source, int threads) {
  const std::size_t all = source.photographs().size(), count = std::min(all, kMostViews);
  std::vector<std::optional<DetailView>> found(count);
  for_each_task(count, threads, [&](std::size_t i) { found[i] = detail_view(source, i * all / count); });
  std::vector<DetailView> views;
  for (std::optional<DetailView>& view : found) {
    if (view) views.push_back(*std::move(view));
  }
  return views;
}

std::vector<Pair> choose_pairs(std::span<const DetailView> views, const Eigen::Vector3f& middle, std::size_t others) {
  std::vector<Eigen::Vector3f> centres;
  for (const DetailView& view : views) centres.push_back(view.front().camera.centre);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < views.size(); ++i) {
    for (const std::size_t other : views_beside(centres, i, middle, others)) pairs.emplace_back(i, other);
  }
  return pairs;
}

}  // namespace p2mpp
