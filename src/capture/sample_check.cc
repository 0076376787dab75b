#include "capture/sample_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "capture/camera_hypotheses.h"
#include "capture/carving.h"
#include "capture/hull_projection.h"
#include "capture/masks.h"
#include "capture/photograph_pixels.h"
#include "capture/silhouette.h"
#include "geometry/viewpoint.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using Warnings = std::vector<SampleWarning>;

constexpr double kFullImage = 0.95;      ///< share of the image from which there is no background
constexpr double kCutBorder = 0.01;      ///< share of the border that the object touches
constexpr double kRatioMargin = 1.25;    ///< beyond the trained distances and sizes
constexpr double kElevationMargin = 15;  ///< degrees beyond the trained ones
constexpr double kSameDirection = 1;     ///< degrees between two views
constexpr double kDisagreement = 0.12;   ///< share of a silhouette; right cameras reach 0.06 on thin objects
constexpr double kMuchBetter = 0.5;      ///< of the given cameras' disagreement
constexpr int kSmallSilhouette = 96;     ///< pixels a side
constexpr int kShallow = 6;              ///< 64 cells a side

/// The object in a view's image.
struct ViewMask {
  Mask mask;
  MaskFacts facts;
  [[nodiscard]] bool usable() const { return describe_problem(facts).empty() && facts.share < kFullImage; }
};

const BackgroundColour kWhite{Colour{255, 255, 255}};

// The mask of a view, or why there is none.
std::optional<ViewMask> mask_of(const View& view, std::size_t index, Warnings& warnings) {
  try {
    ViewMask result{object_mask(view.image, view.name, {}, kWhite).mask, {}};
    result.facts = mask_facts(result.mask);
    return result;
  } catch (const InputError&) {
    warnings.push_back({"background", index,
                        "the background is neither white nor transparent; expected one object cut out (rembg does "
                        "that), or `predict CAPTURE --masks FOLDER`"});
    return std::nullopt;
  }
}

std::string cut_borders(const MaskFacts& facts) {
  constexpr std::array kNames = {"left", "upper", "right", "lower"};
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (facts.cut[i]) names.emplace_back(kNames[i]);
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

void check_mask(const ViewMask& mask, std::size_t index, Warnings& warnings) {
  if (const std::string problem = describe_problem(mask.facts); !problem.empty()) {
    warnings.push_back({"empty", index, problem + "; expected an object on a white or transparent background"});
  } else if (mask.facts.share > kFullImage) {
    warnings.push_back({"full", index,
                        fmt::format("the object fills {:.0f}% of the image; expected one on a white or transparent "
                                    "background",
                                    100 * mask.facts.share)});
  } else if (mask.facts.border_share > kCutBorder) {
    warnings.push_back({"cut_by_border", index,
                        fmt::format("the object touches the {} border; expected it to be whole in the image",
                                    cut_borders(mask.facts))});
  }
}

bool look_like_radians(const Sample& sample) {
  constexpr float kTurn = 2 * std::numbers::pi_v<float>;
  return std::ranges::all_of(sample.views, [](const View& view) {
    return view.row && std::abs(view.row->azimuth_deg) <= kTurn && std::abs(view.row->elevation_deg) <= kTurn / 4;
  });
}

void check_camera(const View& view, std::size_t index, const TrainedViews& trained, Warnings& warnings) {
  const Viewpoint from = viewpoint_of(view);
  if (from.distance < trained.distance[0] / kRatioMargin || from.distance > trained.distance[1] * kRatioMargin) {
    // A photograph's focal length grows with the distance, so that only the strength of perspective is unusual.
    const double closeness = view.camera.intrinsics.fy / kFocalLength / from.distance;
    const bool usual_size =
        closeness * trained.distance[0] < kRatioMargin && closeness * trained.distance[1] > 1 / kRatioMargin;
    if (!usual_size || from.distance < trained.distance[0] / kRatioMargin) {
      warnings.push_back({"distance", index,
                          fmt::format("the camera's distance is {:.3g}; the model was trained with {} to {} (the "
                                      "object's bounding box has the diagonal 0.57)",
                                      from.distance, trained.distance[0], trained.distance[1])});
    }
  } else if (view.camera.intrinsics.fy >
                 kRatioMargin * kFocalLength * std::max(1.0, from.distance / trained.distance[1]) ||
             view.camera.intrinsics.fy < kFocalLength / kRatioMargin) {
    warnings.push_back({"focal_length", index,
                        fmt::format("the focal length is {:.0f} pixels at 224; the model was trained with {:.0f}",
                                    view.camera.intrinsics.fy, kFocalLength)});
  }
  if (from.elevation_deg < trained.elevation_deg[0] - kElevationMargin ||
      from.elevation_deg > trained.elevation_deg[1] + kElevationMargin) {
    warnings.push_back({"elevation", index,
                        fmt::format("the elevation is {:.0f} degrees; the model was trained with {:.0f} to {:.0f}",
                                    from.elevation_deg, trained.elevation_deg[0], trained.elevation_deg[1])});
  }
}

double degrees_between(const Camera& a, const Camera& b) {
  const double cosine = a.origin.normalized().dot(b.origin.normalized());
  return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
}

void check_same_views(const Sample& sample, Warnings& warnings) {
  std::vector<std::uint64_t> hashes;
  for (const View& view : sample.views) hashes.push_back(pixel_hash(view.image));
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (hashes[i] == hashes[j]) {
        warnings.push_back({"same_view", i, fmt::format("its image is that of view {}; expected another one", j + 1)});
      } else if (degrees_between(sample.views[i].camera, sample.views[j].camera) < kSameDirection) {
        warnings.push_back(
            {"same_view", i, fmt::format("its camera is at the place of view {}'s; expected another one", j + 1)});
      }
    }
  }
}

// A view as carving takes it.
Photograph photograph_of(const View& view, const Camera& camera) {
  const Eigen::DiagonalMatrix<double, 3> opencv_from_opengl(1, -1, -1);
  const double pixels = view.image.width / kImageSize;
  Photograph photograph;
  photograph.name = view.name;
  photograph.width = view.image.width;
  photograph.height = view.image.height;
  photograph.lens.fx = camera.intrinsics.fx * pixels;
  photograph.lens.fy = camera.intrinsics.fy * pixels;
  photograph.lens.cx = camera.intrinsics.cx * pixels;
  photograph.lens.cy = camera.intrinsics.cy * pixels;
  photograph.rotation = opencv_from_opengl * camera.rotation;
  photograph.translation = -(photograph.rotation * camera.origin);
  return photograph;
}

std::optional<double> disagreement(const Sample& sample, const std::vector<std::optional<ViewMask>>& masks,
                                   const std::vector<Camera>& cameras) {
  std::vector<Silhouette> silhouettes;
  try {
    for (std::size_t i = 0; i < sample.views.size(); ++i) {
      if (!masks[i] || !masks[i]->usable()) continue;
      silhouettes.push_back(make_silhouette(photograph_of(sample.views[i], cameras[i]), masks[i]->mask, masks[i]->facts,
                                            kSmallSilhouette));
    }
    if (silhouettes.size() < kMinViews) return std::nullopt;
    const Hull hull = carve(silhouettes, CarvingOptions{.depth = kShallow, .allowance = 0, .tolerance = 0.5});
    double worst = 0;
    for (const SilhouetteFit& fit : silhouette_fits(hull, silhouettes)) worst = std::max(worst, fit.unexplained);
    return worst;
  } catch (const InputError&) {
    return 1;  // no point in common
  }
}

std::vector<Camera> cameras_of(const Sample& sample) {
  std::vector<Camera> cameras;
  for (const View& view : sample.views) cameras.push_back(view.camera);
  return cameras;
}

void check_silhouettes(const Sample& sample, const std::vector<std::optional<ViewMask>>& masks, Warnings& warnings) {
  const std::optional<double> given = disagreement(sample, masks, cameras_of(sample));
  if (!given || *given < kDisagreement) return;
  double best = kMuchBetter * *given;
  std::string hint;
  for (const CameraHypothesis& hypothesis : order_hypotheses(sample)) {
    const std::optional<double> other = disagreement(sample, masks, hypothesis.cameras);
    if (!other || *other >= best) continue;
    best = *other;
    hint = fmt::format("; they agree better if {}", hypothesis.name);
  }
  warnings.push_back({"silhouettes",
                      {},
                      fmt::format("the silhouettes do not agree with the cameras: {:.0f}% of one cannot be part of an "
                                  "object that all of them show{}",
                                  100 * *given, hint)});
}

}  // namespace

std::string describe(const SampleWarning& warning, const Sample& sample) {
  if (!warning.view) return warning.message;
  const std::string& name = sample.views[*warning.view].name;
  return name.empty() ? fmt::format("view {}: {}", *warning.view + 1, warning.message)
                      : fmt::format("view {} ({}): {}", *warning.view + 1, name, warning.message);
}

std::vector<SampleWarning> check_sample(const Sample& sample, const TrainedViews& trained) {
  Warnings warnings;
  std::vector<std::optional<ViewMask>> masks;
  std::size_t usable = 0;
  const bool radians = look_like_radians(sample);
  if (radians) warnings.push_back({"radians", {}, "azimuths and elevations look like radians; expected degrees"});
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    masks.push_back(mask_of(sample.views[i], i, warnings));
    if (masks.back()) {
      check_mask(*masks.back(), i, warnings);
      usable += masks.back()->usable() ? 1 : 0;
    }
    if (sample.views[i].padded) {
      warnings.push_back(
          {"not_square", i, "the image is not square and was padded; camera rows are for square images"});
    }
    if (!radians) check_camera(sample.views[i], i, trained, warnings);
  }
  check_same_views(sample, warnings);
  if (usable < kMinViews) {
    warnings.push_back({"too_few_views",
                        {},
                        fmt::format("{} of {} views show an object on a background; expected at "
                                    "least {}",
                                    usable, sample.views.size(), kMinViews)});
  }
  check_silhouettes(sample, masks, warnings);
  return warnings;
}

std::optional<double> silhouette_disagreement(const Sample& sample, const std::vector<Camera>& cameras) {
  Warnings ignored;
  std::vector<std::optional<ViewMask>> masks;
  for (std::size_t i = 0; i < sample.views.size(); ++i) masks.push_back(mask_of(sample.views[i], i, ignored));
  return disagreement(sample, masks, cameras);
}

}  // namespace p2mpp
