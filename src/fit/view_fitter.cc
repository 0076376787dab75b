#include "fit/view_fitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "base/numbers/median.h"
#include "base/parallel.h"
#include "base/with_prefix.h"
#include "fit/fit_forces.h"
#include "fit/fit_guards.h"
#include "fit/self_intersections.h"
#include "geometry/foreign/welding.h"
#include "geometry/intersection/triangle_intersection.h"
#include "geometry/points.h"
#include "p2mpp/error.h"

namespace p2mpp {

std::string mask_label(const FitMask& mask, std::size_t index) {
  return mask.name.empty() ? fmt::format("mask {}", index + 1) : mask.name;
}

void check_mask(const FitMask& mask, std::size_t index) {
  if (mask.width != mask.height) {
    throw InputError(
        fmt::format("{}: a mask of {}x{} pixels; expected a square", mask_label(mask, index), mask.width, mask.height));
  }
  if (mask.width < kMinFitMask || mask.width > kMaxFitMask) {
    throw InputError(fmt::format("{}: a mask of {} pixels; expected {} to {}", mask_label(mask, index), mask.width,
                                 kMinFitMask, kMaxFitMask));
  }
  const auto side = static_cast<std::size_t>(mask.width);
  if (mask.coverage.size() != side * side) {
    throw InputError(
        fmt::format("{}: has {} values; expected {}x{}", mask_label(mask, index), mask.coverage.size(), side, side));
  }
  if (!mask.unknown.empty() && mask.unknown.size() != side * side) {
    throw InputError(fmt::format("{}: has {} values of what is unknown; expected {}x{}", mask_label(mask, index),
                                 mask.unknown.size(), side, side));
  }
  if (!mask.brightness.empty() && mask.brightness.size() != side * side) {
    throw InputError(fmt::format("{}: has {} values of brightness; expected {}x{}", mask_label(mask, index),
                                 mask.brightness.size(), side, side));
  }
  with_prefix(mask_label(mask, index) + ": ", [&] { check_camera(mask.camera); });
}

void check_shows_object(const FitMask& mask) {
  constexpr std::size_t kFewestPixels = 16;  // less shows no shape
  const auto object =
      static_cast<std::size_t>(std::ranges::count_if(mask.coverage, [](std::uint8_t value) { return value >= 128; }));
  if (object == 0) throw InputError("the mask is empty");
  const auto unknown =
      static_cast<std::size_t>(std::ranges::count_if(mask.unknown, [](auto value) { return value != 0; }));
  if (object == mask.coverage.size() - unknown) throw InputError("the mask is full");
  if (object < kFewestPixels) throw InputError(fmt::format("the mask has {} pixels of the object", object));
}

namespace {

constexpr int kHalvings = 2;         ///< of a step that lowers the mean IoU
constexpr double kLeastGain = 1e-4;  ///< of the mean IoU: below, a fit ends
constexpr int kStepsBeforeMatches = 4;
constexpr int kMatchedSteps = 13;
constexpr int kStepsPerMatch = 2;  ///< steps that follow the same matches
constexpr float kMatchWeight = 0.05F;
constexpr double kPriceOfMatches = 3e-3;   ///< of the mean IoU, in a step
constexpr double kPriceOfRoughness = 0.5;  ///< of the mean IoU, in a guarded step: see roughness()
constexpr double kLeastShare = 0.1;    ///< of the misfit that a guarded step removes, if masks contradict each other
constexpr float kStiffness = 10;       ///< see SmoothSystem; a mask's target has the weight 0.3
constexpr float kLastStiffness = 3;    ///< pulls out thin parts, once stiff steps gain nothing
constexpr double kFollowedIou = 0.92;  ///< of masks that stiff steps have reached
constexpr std::size_t kFew = 4;        ///< masks; with 5, softer steps make CD worse
constexpr float kDamping = 0.02F;
constexpr float kAcross = 0.15F;   ///< share of a target's weight against moving across its direction
constexpr float kEvenness = 0.8F;  ///< share of the way that evens out the vertices, in each step

// Vertices on the outline of a network's mesh lie inside an exact mask. On 30 shapes the gap is 0.7 to 1.7 pixels with
// the bundled model's first weights, and 0.7 to 3.1 with the present ones (median 2). F1 is higher with 1 than with 2.
constexpr double kUsualGap = 1, kTrustedGap = 0.5, kLargestSpread = 2.5;  ///< pixels of 224x224
// The network shrinks with masks that were eaten, which must not be eaten further: many masks are trusted more.
constexpr double kTrustedGapOfMany = 1.5;
constexpr std::size_t kMany = 12;  ///< masks
// A thin object that the network made too thin looks like masks that have grown. Then gaps differ from place to place,
// and what the correction takes is a large part of the object.
constexpr double kLargestShare = 0.08;      ///< of the object's pixels that a correction moves, unless gaps are even
constexpr double kLargestUnevenness = 0.4;  ///< spread of even gaps, as a share of their median

/// A mesh with its silhouettes.
struct Pose {
  Points vertices;
  std::vector<MaskProjection> projections;  // of the targets
};

class FitRun {
 public:
  FitRun(const FitSurface& surface, SmoothSystems& systems, std::vector<FitTarget>& targets, const FitOptions& options,
         FitResult& result)
      : surface_(surface), systems_(systems), targets_(targets), options_(options), result_(result) {}

  Points run(const Points& start) {
    contacts_ = find_contacts(start, surface_.triangles(), rounding_margin(start), options_.threads);
    result_.intersecting_before = count_intersecting_triangles();
    Pose pose = seen(start);
    result_.iou_before = record(pose, &FittedView::iou_before);
    if (options_.correct_masks && correct_masks(pose)) pose = seen(start);
    std::vector<Points> kept = {start};
    weights_.assign(targets_.size(), 1);
    while (static_cast<int>(kept.size()) <= options_.steps && !is_done_ && advance(pose)) kept.push_back(pose.vertices);
    const int taken = static_cast<int>(kept.size()) - 1;
    undo_intersecting_steps(kept);
    result_.steps = static_cast<int>(kept.size()) - 1;
    if (result_.steps < taken) pose = seen(kept.back());
    result_.iou_after = record(pose, &FittedView::iou_after);
    for (std::size_t i = 0; i < targets_.size(); ++i) result_.views[targets_[i].index].weight = weights_[i];
    return kept.back();
  }

 private:
  [[nodiscard]] Pose seen(Points vertices) const {
    Pose pose{std::move(vertices), {}};
    std::vector<std::optional<MaskProjection>> projections(targets_.size());
    for_each_task(targets_.size(), options_.threads,
                  [&](std::size_t i) { projections[i] = project_to_mask(targets_[i], surface_, pose.vertices); });
    for (auto& projection : projections) {
      pose.projections.push_back(*std::move(projection));
    }
    return pose;
  }

  /// The IoU of each mask as it was given; returns their mean.
  double record(const Pose& pose, double FittedView::*iou) const {
    double sum = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const double overlap =
          pose.projections[i].silhouette.overlap(targets_[i].view.coverage, targets_[i].view.unknown);
      result_.views[targets_[i].index].*iou = overlap;
      sum += overlap;
    }
    return sum / static_cast<double>(targets_.size());
  }

  /// Masks that leave about the same gap around the whole mesh, in all views, have grown, or were eaten.
  bool correct_masks(const Pose& pose) {
    const std::vector<Eigen::Vector3f> normals = vertex_normals(surface_, pose.vertices);
    std::vector<float> all;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const std::vector<float> found = outline_distances(targets_[i], pose.projections[i], surface_, normals);
      all.insert(all.end(), found.begin(), found.end());
    }
    if (all.empty()) return false;
    std::ranges::sort(all);
    const double spread = all[all.size() * 3 / 4] - all[all.size() / 4];
    const double excess = all[all.size() / 2] - kUsualGap;
    const double trusted = excess > 0 && targets_.size() >= kMany ? kTrustedGapOfMany : kTrustedGap;
    if (std::fabs(excess) <= trusted || spread > kLargestSpread) return false;
    const double correction = excess - std::copysign(kTrustedGap, excess);
    const bool are_even = spread <= kLargestUnevenness * std::fabs(all[all.size() / 2]);
    if (!are_even && share_moved(correction) > kLargestShare) return false;
    result_.mask_correction = correction;
    for_each_task(targets_.size(), options_.threads,
                  [&](std::size_t i) { targets_[i].shrink(static_cast<float>(result_.mask_correction)); });
    return true;
  }

  /// The share of the object's pixels, in all masks, that change if the boundaries move by some pixels of 224x224.
  [[nodiscard]] double share_moved(double pixels) const {
    double moved = 0, object = 0;
    for (const FitTarget& target : targets_) {
      moved +=
          std::fabs(pixels) * static_cast<double>(target.scale) * static_cast<double>(target.boundary.points().size());
      object += std::accumulate(target.view.coverage.begin(), target.view.coverage.end(), 0.0) / 255;
    }
    return moved / object;
  }

  /// Silhouettes come first: to be matched, a patch must be near its place.
  enum class Phase { kStiff, kMatched, kSoft };

  /// A step; false if even a short one would lower the mean IoU.
  bool advance(Pose& pose) {
    weigh(pose);
    std::vector<VertexPull> asked = pulls(pose);
    const bool is_matched = phase_ == Phase::kMatched && add_matches(pose, asked);
    const SmoothSystem& system = phase_ == Phase::kSoft ? systems_.soft() : systems_.stiff();
    const std::optional<double> gain = move(pose, system.solve(asked), is_matched ? -kPriceOfMatches : 0);
    if (is_matched) {
      is_done_ = ++matched_steps_ == kMatchedSteps;
      return gain.has_value();
    }
    const bool is_still = !gain || *gain < kLeastGain;
    if (phase_ == Phase::kStiff && is_matching_ && (is_still || ++steps_ == kStepsBeforeMatches)) {
      phase_ = Phase::kMatched;
    } else if (phase_ == Phase::kStiff && is_still && targets_.size() <= kFew && weighted_mean(pose) < kFollowedIou) {
      phase_ = Phase::kSoft;
    } else {
      is_done_ = is_still;
      return gain.has_value();
    }
    return gain || advance(pose);
  }

  /// Moves the vertices, by less where the mean IoU would gain less than `least`. Returns the gain, unless it always
  /// does.
  std::optional<double> move(Pose& pose, const std::vector<Eigen::Vector3f>& way, double least) {
    const double before = weighted_mean(pose);
    float length = 1;
    for (int halvings = 0; halvings <= kHalvings; ++halvings, length /= 2) {
      Points moved = pose.vertices;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += length * way[i];
      even_out(surface_, length * kEvenness, moved);
      if (!all_finite(moved)) return {};
      std::optional<Contacts> contacts;
      if (options_.guarded) {
        contacts = keep_apart(surface_, pose.vertices, contacts_, options_.threads, moved);
        if (!contacts) continue;
      }
      const double price = silhouette_price(pose.vertices, moved, before, least);
      Pose next = seen(std::move(moved));
      const double gain = weighted_mean(next) - before;
      if (gain < price) continue;
      pose = std::move(next);
      if (contacts) contacts_ = *std::move(contacts);
      result_.halved += halvings > 0;
      return gain;
    }
    return {};
  }

  /// What a step must gain in the mean IoU. Steps that follow matches may lose.
  [[nodiscard]] double silhouette_price(const Points& before, const Points& after, double mean, double least) const {
    if (!options_.guarded || least < 0) return least;
    const double contradicted = options_.allowance > 0 ? kLeastShare * (1 - mean) : 0;
    return contradicted + kPriceOfRoughness * std::max(0.0, roughness(surface_, after) - roughness(surface_, before));
  }

  [[nodiscard]] double weighted_mean(const Pose& pose) const {
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      sum += weights_[i] * pose.projections[i].overlap;
      weights += weights_[i];
    }
    return sum / weights;
  }

  [[nodiscard]] std::vector<VertexPull> pulls(const Pose& pose) const {
    const std::vector<Eigen::Vector3f> normals = vertex_normals(surface_, pose.vertices);
    std::vector<std::vector<FitForce>> found(targets_.size());
    for_each_task(targets_.size(), options_.threads,
                  [&](std::size_t i) { found[i] = forces(targets_[i], pose.projections[i], surface_, normals); });
    if (options_.guarded) drop_minorities(targets_, pose.vertices, options_.allowance, options_.threads, found);
    std::vector<VertexPull> pulls(pose.vertices.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const FitForce& force : found[i]) {
        pulls[static_cast<std::size_t>(force.vertex)].add(static_cast<float>(weights_[i]) * force.weight,
                                                          force.direction, force.distance, kAcross);
      }
    }
    return pulls;
  }

  /// Adds the targets that pictures give for vertices. Returns false if they give none.
  bool add_matches(const Pose& pose, std::vector<VertexPull>& pulls) {
    const std::vector<Eigen::Vector3f> normals = vertex_normals(surface_, pose.vertices);
    if (matched_steps_ % kStepsPerMatch == 0) {
      matches_.clear();
      const std::vector<SurfaceMatch> found =
          match_surface(targets_, pose.projections, surface_, pose.vertices, normals, options_.threads);
      if (options_.guarded && !do_agree(surface_, pose.vertices, found)) {
        is_matching_ = false;
        phase_ = Phase::kStiff;
        return false;
      }
      for (const SurfaceMatch& match : found) {
        const auto vertex = static_cast<std::size_t>(match.vertex);
        matches_.emplace_back(vertex, pose.vertices[vertex] + match.distance * normals[vertex]);
      }
    }
    for (const auto& [vertex, place] : matches_) {
      pulls[vertex].add(kMatchWeight, normals[vertex], normals[vertex].dot(place - pose.vertices[vertex]), 0);
    }
    return !matches_.empty();
  }

  /// A mask that the mesh fits much worse than the others contradicts them.
  void weigh(const Pose& pose) {
    if (targets_.size() < 3) return;  // of two, either may be wrong
    std::vector<double> misfits;
    for (const MaskProjection& projection : pose.projections) misfits.push_back(1 - projection.overlap);
    const double usual = 1.5 * upper_median(misfits) + 0.02;
    for (std::size_t i = 0; i < misfits.size(); ++i) {
      const double share = std::min(1.0, usual / misfits[i]);
      weights_[i] = share * share;
    }
  }

  [[nodiscard]] std::size_t count_intersecting_triangles() const {
    return static_cast<std::size_t>(std::ranges::count(contacts_.of_triangles, Contact::kIntersecting));
  }

  /// Removes the last steps if they made too many faces intersect. Guarded steps add none.
  void undo_intersecting_steps(std::vector<Points>& kept) {
    if (options_.guarded) {
      result_.intersecting_after = count_intersecting_triangles();
      return;
    }
    const auto allowed =
        result_.intersecting_before +
        static_cast<std::size_t>(options_.new_intersections * static_cast<double>(surface_.triangles().size()));
    result_.intersecting_after = result_.intersecting_before;
    while (kept.size() > 1) {
      const std::size_t count = count_intersecting(kept.back(), surface_.triangles(), options_.threads);
      if (count <= allowed) {
        result_.intersecting_after = count;
        return;
      }
      kept.pop_back();
    }
  }

  const FitSurface& surface_;
  SmoothSystems& systems_;
  std::vector<FitTarget>& targets_;
  const FitOptions& options_;
  FitResult& result_;
  std::vector<double> weights_;                                   // of the targets
  Contacts contacts_;                                             // of the present mesh's triangles, if guarded
  std::vector<std::pair<std::size_t, Eigen::Vector3f>> matches_;  // vertices and where pictures agree
  int steps_ = 0, matched_steps_ = 0;                             // before matches, with them
  Phase phase_ = Phase::kStiff;
  bool is_matching_ = options_.photo_consistency && can_match(targets_);
  bool is_done_ = false;
};

}  // namespace

ViewFitter::ViewFitter(std::size_t vertex_count, std::vector<Triangle> triangles)
    : surface_(vertex_count, std::move(triangles)), systems_(surface_, kStiffness, kLastStiffness, kDamping) {}

FitResult ViewFitter::fit(const Points& vertices, std::span<const MaskView* const> views, const FitOptions& options) {
  FitResult result;
  result.vertices = vertices;
  result.views.resize(views.size());
  result.masks = views.size();
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i] != nullptr) used.push_back(i);
  }
  result.used = used.size();
  std::vector<std::optional<FitTarget>> built(used.size());
  for_each_task(used.size(), options.threads, [&](std::size_t i) { built[i].emplace(*views[used[i]], used[i]); });
  std::vector<FitTarget> targets;
  for (auto& target : built) targets.push_back(*std::move(target));
  if (!targets.empty()) result.vertices = FitRun(surface_, systems_, targets, options, result).run(vertices);
  return result;
}

bool sees_whole(const MaskView& view, const Points& vertices) {
  return std::ranges::all_of(vertices, [&](const Eigen::Vector3f& vertex) {
    return view.camera().cam_from_world(vertex.cast<double>()).z() > 0;
  });
}

FitResult fit_to_views(const TriangleMesh& mesh, std::span<const MaskView> views, const FitOptions& options) {
  const Welding welding = weld(mesh);
  std::vector<const MaskView*> used;
  for (const MaskView& view : views) used.push_back(sees_whole(view, welding.mesh.vertices) ? &view : nullptr);
  FitResult result =
      ViewFitter(welding.mesh.vertices.size(), welding.mesh.triangles).fit(welding.mesh.vertices, used, options);
  result.vertices = welding.restored(result.vertices, mesh.vertices);
  return result;
}

}  // namespace p2mpp
