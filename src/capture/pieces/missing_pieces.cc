#include "capture/pieces/missing_pieces.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <optional>

#include "base/parallel.h"
#include "base/thread_scopes.h"
#include "geometry/cameras/meeting_point.h"
#include "geometry/cameras/pinhole.h"
#include "hull/carving.h"
#include "image/mask_boundary.h"
#include "image/mask_facts.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMostViews = 150, kMostWitnesses = 100;  ///< so that the time is bounded
constexpr double kLeastRadius = 0.01;                          ///< of a disc in a piece, as a share of the side
constexpr double kMargin = 0.5;                                ///< pixels by which a place must be inside other masks
constexpr float kMostGrowth = 1.05F;     ///< of the object's box. Pieces that masks lack were in others' hull before
constexpr double kLeastAgreed = 0.5;     ///< share of the doubtful pixels of all photographs
constexpr std::size_t kEnoughViews = 8;  ///< fewer leave much room around the object; of more, one may be wrong

/// A silhouette's pixels that may be missing, and those that were.
struct Repair {
  std::vector<std::uint8_t> doubtful = {};
  std::vector<FilledPixel> filled = {};
  bool has_changed = true;
};

/// What silhouettes say about places.
class Witnesses {
 public:
  /// They must outlive this object.
  Witnesses(std::span<const MaskView> silhouettes, std::span<const Repair> repairs)
      : silhouettes_(silhouettes), repairs_(repairs) {
    std::vector<SightLine> lines;
    for (const MaskView& each : silhouettes)
      lines.push_back({each.camera().centre, each.camera().rotation.row(2).transpose()});
    middle_ = meeting_point(lines);
    if (!middle_) return;
    radius_ = std::numeric_limits<double>::infinity();
    for (const MaskView& each : silhouettes) {
      const double distance = (*middle_ - each.camera().centre).norm();
      radius_ = std::min(radius_, std::numbers::sqrt2 * distance * each.width / (2 * each.camera().focal.x()));
    }
  }

  [[nodiscard]] bool know_a_middle() const { return middle_.has_value(); }

  /// Whether the others see the object somewhere along a pixel's ray.
  [[nodiscard]] bool agree(std::size_t view, double x, double y) const {
    const Pinhole<double>& own = silhouettes_[view].camera();
    const Eigen::Vector3d way = own.ray(x, y).normalized();
    const double closest = way.dot(*middle_ - own.centre), step = 2 * closest / own.focal.x();
    Objectors objectors{view, view};
    for (double along = std::max(closest - radius_, step); along < closest + radius_;) {
      const double empty = empty_around(view, own.centre + along * way, objectors);
      if (empty == 0) return true;
      along += std::max(step, empty);
    }
    return false;
  }

 private:
  /// Those who objected to the last point are asked first about the next. Of many, a single one does not count.
  using Objectors = std::array<std::size_t, 2>;

  /// The radius of a ball around a point that others say is empty; 0: they say that there may be something.
  [[nodiscard]] double empty_around(std::size_t view, const Eigen::Vector3d& point, Objectors& objectors) const {
    const bool one_is_enough = silhouettes_.size() <= kEnoughViews;
    const auto [first, second] = objectors;
    double least = std::numeric_limits<double>::infinity();
    std::size_t found = 0;
    const auto ask = [&](std::size_t i) {  // whether that is enough
      const double empty = i == view ? 0 : empty_around_for(i, point);
      if (empty == 0) return false;
      least = std::min(least, empty);
      objectors[found++] = i;
      return one_is_enough || found == objectors.size();
    };
    if (ask(first) || (second != first && ask(second))) return least;
    const std::size_t step = (silhouettes_.size() + kMostWitnesses - 1) / kMostWitnesses;
    for (std::size_t i = 0; i < silhouettes_.size(); i += step) {
      if (i != first && i != second && ask(i)) return least;
    }
    return 0;
  }

  /// The same for one silhouette: a step of a pixel of it at the point's depth changes its distance by at most one.
  [[nodiscard]] double empty_around_for(std::size_t view, const Eigen::Vector3d& point) const {
    const MaskView& each = silhouettes_[view];
    const Eigen::Vector3d seen = each.camera().cam_from_world(point);
    constexpr double kBehind = 1e-9;  // a step's length is the least there
    if (seen.z() <= 0) return kBehind;
    const Eigen::Vector2d pixel = each.camera().pixel_of(seen);
    const double x = pixel.x(), y = pixel.y(), outside = -each.distance_at(x, y);
    if (outside <= -kMargin) return 0;
    const std::vector<std::uint8_t>& doubtful = repairs_[view].doubtful;
    const double reach = doubtful.empty() ? -kMargin : kPieceDepth * each.width + kSliver;
    const std::optional<std::size_t> shown = pixel_index(pixel, each.width);
    if (!doubtful.empty() && shown && doubtful[*shown] != 0) return 0;
    constexpr double kOblique = 0.7;  // beside the image's middle, and as the ray comes nearer to the camera
    return std::max(kBehind, kOblique * (outside - reach) * seen.z() / each.camera().focal.x());
  }

  std::span<const MaskView> silhouettes_;
  std::span<const Repair> repairs_;
  std::optional<Eigen::Vector3d> middle_;  ///< where the cameras look
  double radius_ = 0;                      ///< of a ball around it that has the object
};

/// The pixels of a silhouette that are missing.
std::vector<std::size_t> missing_pixels(const MaskView& silhouette, std::size_t view, const Witnesses& witnesses,
                                        const std::vector<std::uint8_t>& doubtful) {
  std::vector<std::size_t> missing;
  const auto width = static_cast<std::size_t>(silhouette.width);
  for (std::size_t k = 0; k < doubtful.size(); ++k) {
    if (k % width == 0) end_if_stopped();
    if (doubtful[k] == 0) continue;
    const Eigen::Vector2d centre = pixel_centre<double>(k, width);
    if (witnesses.agree(view, centre.x(), centre.y())) missing.push_back(k);
  }
  return missing;
}

/// Whether the other silhouettes confirm most of what looks like a missing piece. If they refute it, the background
/// looks like the object, and the rest is a coincidence.
bool looks_tell_pieces(std::span<const Repair> repairs, const std::vector<std::vector<std::size_t>>& missing) {
  std::size_t doubtful = 0, agreed = 0;
  for (const Repair& each : repairs) {
    doubtful += static_cast<std::size_t>(std::ranges::count(each.doubtful, std::uint8_t{1}));
  }
  for (const std::vector<std::size_t>& each : missing) agreed += each.size();
  return static_cast<double>(agreed) >= kLeastAgreed * static_cast<double>(doubtful);
}

void fill(const std::vector<std::size_t>& missing, MaskView& silhouette, Repair& repair) {
  repair.has_changed = !missing.empty();
  Mask mask = silhouette;
  for (const std::size_t k : missing) {
    repair.filled.push_back({k, mask.coverage[k]});
    mask.coverage[k] = 255;
  }
  if (repair.has_changed) silhouette.set_mask(std::move(mask));
}

/// Gives filled pixels what they were before, if is_undone(FilledPixel).
template <typename IsUndone>
void take_back(MaskView& silhouette, Repair& repair, const IsUndone& is_undone) {
  if (repair.filled.empty()) return;
  Mask mask = silhouette;
  for (const FilledPixel& each : repair.filled) {
    if (is_undone(each)) mask.coverage[each.pixel] = each.before;
  }
  std::erase_if(repair.filled, is_undone);
  silhouette.set_mask(std::move(mask));
}

/// Takes back pieces in which a small disc has no room: specks along an outline that is weak are no pieces.
void take_back_specks(MaskView& silhouette, Repair& repair) {
  if (repair.filled.empty()) return;
  constexpr std::uint8_t kFilled = 255, kKept = 1;
  const int width = silhouette.width;
  Mask pieces{width, width, std::vector<std::uint8_t>(silhouette.coverage.size())};
  for (const FilledPixel& each : repair.filled) pieces.coverage[each.pixel] = kFilled;
  const Mask cores = MaskBoundary(pieces).shrunk(static_cast<float>(kLeastRadius * width));
  std::vector<std::size_t> kept;  // spreads from the cores
  for (std::size_t i = 0; i < cores.coverage.size(); ++i) {
    if (cores.coverage[i] < 128) continue;
    kept.push_back(i);
    pieces.coverage[i] = kKept;
  }
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const int row = static_cast<int>(kept[k]) / width, column = static_cast<int>(kept[k]) % width;
    for (int r = std::max(row - 1, 0); r <= std::min(row + 1, width - 1); ++r) {
      for (int c = std::max(column - 1, 0); c <= std::min(column + 1, width - 1); ++c) {
        const auto i = static_cast<std::size_t>(r * width + c);
        if (pieces.coverage[i] != kFilled) continue;
        kept.push_back(i);
        pieces.coverage[i] = kKept;
      }
    }
  }
  take_back(silhouette, repair, [&](const FilledPixel& each) { return pieces.coverage[each.pixel] != kKept; });
}

/// The diagonal of the box in which the object is; none if the silhouettes have nothing in common.
std::optional<float> hull_diagonal(std::span<const MaskView> silhouettes, int threads) {
  try {
    const Box box = object_box(silhouettes, most_allowance(silhouettes.size()), threads);
    return (box.upper - box.lower).norm();
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

std::vector<FilledPiece> fill_missing_pieces(std::span<MaskView> silhouettes, int threads) {
  if (silhouettes.size() < kEnoughViews || silhouettes.size() > kMostViews) return {};
  constexpr int kRounds = 4;  // the first leaves what is nearer to an outline than to where the piece is missing
  std::vector<Repair> repairs(silhouettes.size());
  std::optional<float> before;  // the object's diagonal
  for (int round = 0; round < kRounds; ++round) {
    for_each_task(silhouettes.size(), threads, [&](std::size_t i) {
      if (repairs[i].has_changed) repairs[i].doubtful = doubtful_pixels(silhouettes[i], repairs[i].filled);
    });
    const Witnesses witnesses(silhouettes, repairs);
    if (!witnesses.know_a_middle()) return {};
    std::vector<std::vector<std::size_t>> missing(silhouettes.size());
    for_each_task(silhouettes.size(), threads, [&](std::size_t i) {
      missing[i] = missing_pixels(silhouettes[i], i, witnesses, repairs[i].doubtful);
    });
    if (round == 0) {
      if (!looks_tell_pieces(repairs, missing)) return {};
      if (std::ranges::all_of(missing, &std::vector<std::size_t>::empty)) return {};
      before = hull_diagonal(silhouettes, threads);
    }
    for (std::size_t i = 0; i < missing.size(); ++i) fill(missing[i], silhouettes[i], repairs[i]);
    if (std::ranges::none_of(repairs, &Repair::has_changed)) break;
  }
  for (std::size_t i = 0; i < repairs.size(); ++i) take_back_specks(silhouettes[i], repairs[i]);
  const std::optional<float> after = hull_diagonal(silhouettes, threads);
  if (before && after && *after > kMostGrowth * *before) {
    for (std::size_t i = 0; i < repairs.size(); ++i) {
      take_back(silhouettes[i], repairs[i], [](const FilledPixel& /*each*/) { return true; });
    }
  }
  std::vector<FilledPiece> pieces;
  for (std::size_t i = 0; i < repairs.size(); ++i) {
    if (repairs[i].filled.empty()) continue;
    pieces.push_back({i});
    for (const FilledPixel& each : repairs[i].filled) pieces.back().pixels.push_back(each.pixel);
  }
  return pieces;
}

std::size_t fill_missing_pieces(std::span<FitMask> masks, int threads) {
  std::vector<MaskView> silhouettes;
  std::vector<FitMask*> used;
  for (FitMask& mask : masks) {
    if (!shows_object(mask_facts(mask))) continue;
    used.push_back(&mask);
    silhouettes.emplace_back(mask);
  }
  const std::vector<FilledPiece> pieces = fill_missing_pieces(silhouettes, threads);
  for (const FilledPiece& each : pieces) used[each.silhouette]->coverage = silhouettes[each.silhouette].coverage;
  return pieces.size();
}

PhotographPiece make_piece(const MaskView& silhouette, const FilledPiece& filled) {
  PhotographPiece piece{{silhouette.width, silhouette.height, std::vector<std::uint8_t>(silhouette.coverage.size())},
                        silhouette.camera()};
  piece.camera.set_pose(silhouette.view_from_photograph, Eigen::Vector3d::Zero());
  for (const std::size_t pixel : filled.pixels) piece.pixels.coverage[pixel] = 255;
  return piece;
}

void PhotographPiece::add_to(Mask& mask, const Lens& lens) const {
  const LensMap map(lens);
  Eigen::AlignedBox2d box;  // in the photograph
  for (int row = 0; row < pixels.width; ++row) {
    for (int column = 0; column < pixels.width; ++column) {
      if (pixels.at(row, column) == 0) continue;
      for (const Eigen::Vector2d& corner : {Eigen::Vector2d(column, row), Eigen::Vector2d(column + 1, row + 1)}) {
        if (const auto place = map.pixel_of(camera.ray(corner.x(), corner.y()))) box.extend(*place);
      }
    }
  }
  if (box.isEmpty()) return;
  const auto from = [](double value) { return std::max(static_cast<int>(value) - 1, 0); };
  for (int row = from(box.min().y()); row < std::min(box.max().y() + 1, 1.0 * mask.height); ++row) {
    for (int column = from(box.min().x()); column < std::min(box.max().x() + 1, 1.0 * mask.width); ++column) {
      const auto direction = map.direction_of(Eigen::Vector2d(column + 0.5, row + 0.5));
      if (!direction) continue;
      const Eigen::Vector3d seen = camera.rotation * *direction;
      const Eigen::Vector2d place = camera.pixel_of(seen);
      if (seen.z() <= 0 || place.minCoeff() < 0 || place.maxCoeff() >= pixels.width) continue;
      if (pixels.at(static_cast<int>(place.y()), static_cast<int>(place.x())) == 0) continue;
      mask.coverage[static_cast<std::size_t>(row) * static_cast<std::size_t>(mask.width) +
                    static_cast<std::size_t>(column)] = 255;
    }
  }
}

std::string pieces_note(std::size_t masks) {
  return fmt::format(
      "{} masks lack pieces of the object, and are filled where the photographs show no outline (--no-refine-masks "
      "keeps "
      "them)",
      masks);
}

}  // namespace p2mpp
