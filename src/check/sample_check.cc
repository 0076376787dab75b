#include "check/sample_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "base/json_text.h"
#include "capture/frame/object_frame.h"
#include "capture/photograph_pixels.h"
#include "check/sample_silhouettes.h"
#include "geometry/angles.h"
#include "image/viewpoint.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using Warnings = std::vector<SampleWarning>;

constexpr double kCutBorder = 0.01;      ///< share of the border that the object touches
constexpr double kRatioMargin = 1.25;    ///< beyond the trained distances and sizes
constexpr double kElevationMargin = 15;  ///< degrees beyond the trained ones
constexpr double kSameDirection = 1;     ///< degrees between two views
constexpr double kSamePicture = 4;       ///< grey levels: saved again at most 2.2, other views of a bottle at least 7.5
constexpr double kExactCameras = 0.01;   ///< the same, that exact cameras reach
constexpr double kMuchBetter = 0.5;      ///< of the given cameras' disagreement
constexpr double kTypicalLeast = 0.9;    ///< of an object's size, what three silhouettes of it need
constexpr double kTooLarge = 1.0;  ///< what silhouettes need, of the world's unit: 0.63 to 0.95 with right cameras
constexpr double kTooSmall = 0.8, kTooSmallHull = 1.12;  ///< needed; of the hull, which cones make larger

// The mask of a view, or why there is none.
std::optional<ViewMask> read_view_mask(const View& view, std::size_t index, Warnings& warnings) {
  std::optional<ViewMask> mask = view_mask(view);
  if (!mask) {
    warnings.push_back({"background", index,
                        "the background is neither white nor transparent; expected one object cut out (rembg does "
                        "that), or `predict CAPTURE --masks FOLDER`"});
  }
  return mask;
}

std::string cut_borders(const MaskFacts& facts) {
  constexpr std::array kNames = {"left", "upper", "right", "lower"};
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (facts.cut[i]) names.emplace_back(kNames[i]);
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

void check_mask(const ViewMask& mask, std::size_t index, bool is_row, Warnings& warnings) {
  try {
    check_shows_object(mask.facts);
  } catch (const InputError& error) {
    warnings.push_back(
        {"empty", index, fmt::format("{}; expected an object on a white or transparent background", error.what())});
    return;
  }
  if (mask.fills_image()) {
    warnings.push_back({"full", index,
                        fmt::format("the object fills {:.0f}% of the image; expected one on a white or transparent "
                                    "background",
                                    100 * mask.facts.share)});
  } else if (mask.facts.border_share > kCutBorder) {
    // A photograph's view is drawn so wide that an object of the right size is whole in it.
    warnings.push_back({"cut_by_border", index,
                        fmt::format("the object touches the {} border{}", cut_borders(mask.facts),
                                    is_row ? "; expected it to be whole in the image"
                                           : " of the network's view; expected it to be whole there: the photograph "
                                             "cuts it, or the camera's distance or the object's centre is wrong")});
  }
}

// The angles that look like radians: "azimuths and elevations", "azimuths", or nothing.
std::string_view angles_in_radians(const Sample& sample) {
  constexpr float kTurn = 2 * std::numbers::pi_v<float>;
  const auto all = [&](const auto& holds) {
    return std::ranges::all_of(sample.views, [&](const View& view) { return view.row && holds(*view.row); });
  };
  if (!all([](const CameraRow& row) { return std::abs(row.azimuth_deg) <= kTurn; })) return "";
  if (all([](const CameraRow& row) { return std::abs(row.elevation_deg) <= kTurn / 4; })) {
    return "azimuths and elevations";
  }
  const float first = sample.views.front().row->azimuth_deg;
  return all([&](const CameraRow& row) { return row.azimuth_deg == first; }) ? "" : "azimuths";
}

void check_camera(const View& view, std::size_t index, const TrainedViews& trained, Warnings& warnings) {
  const Viewpoint from = find_viewpoint(view);
  // A photograph's focal length grows with the distance, so that only the strength of perspective is unusual.
  const double closeness = view.camera.intrinsics.fy / kFocalLength / from.distance;
  const bool usual_size =
      closeness * trained.distance[0] < kRatioMargin && closeness * trained.distance[1] > 1 / kRatioMargin;
  if (from.distance < trained.distance[0] / kRatioMargin || from.distance > trained.distance[1] * kRatioMargin) {
    if (!usual_size || from.distance < trained.distance[0] / kRatioMargin) {
      warnings.push_back({"distance", index,
                          fmt::format("the camera's distance is {:.3g}; the model was trained with {} to {} (the "
                                      "object's bounding box has the diagonal 0.57)",
                                      from.distance, trained.distance[0], trained.distance[1])});
    }
  } else if (!(usual_size && !view.row) &&  // nobody can take a photograph again with another lens
             (view.camera.intrinsics.fy >
                  kRatioMargin * kFocalLength * std::max(1.0, from.distance / trained.distance[1]) ||
              view.camera.intrinsics.fy < kFocalLength / kRatioMargin)) {
    warnings.push_back({"focal_length", index,
                        fmt::format("the focal length is {:.0f} pixels at 224; the model was trained with {:.0f}",
                                    view.camera.intrinsics.fy, kFocalLength)});
  }
  if (std::abs(from.elevation_deg) > 90) {
    warnings.push_back({"elevation", index,
                        fmt::format("the elevation is {:.0f} degrees; expected -90 to 90: are the columns of azimuths "
                                    "and elevations exchanged?",
                                    from.elevation_deg)});
  } else if (from.elevation_deg < trained.elevation_deg[0] - kElevationMargin ||
             from.elevation_deg > trained.elevation_deg[1] + kElevationMargin) {
    warnings.push_back({"elevation", index,
                        fmt::format("the elevation is {:.0f} degrees; the model was trained with {:.0f} to {:.0f}",
                                    from.elevation_deg, trained.elevation_deg[0], trained.elevation_deg[1])});
  }
}

double degrees_between(const Camera& a, const Camera& b) {
  const double cosine = a.origin.normalized().dot(b.origin.normalized());
  return std::acos(std::clamp(cosine, -1.0, 1.0)) * kDegreesPerRadian;
}

// OpenGL's axes for OpenCV's put every camera at its place, and turn it away from the object.
void check_axes(const Sample& sample, Warnings& warnings) {
  const auto behind = std::ranges::count_if(sample.views, &View::behind);
  if (behind == static_cast<std::ptrdiff_t>(sample.views.size())) {
    warnings.push_back({"axes",
                        {},
                        "the object is behind all cameras; turned by 180 degrees about their x axes, they look at it: "
                        "expected x right, y down, z forward (OpenCV), not y up, z backwards (OpenGL, Blender)"});
    return;
  }
  for (std::size_t i = 0; behind > 0 && i < sample.views.size(); ++i) {
    if (sample.views[i].behind)
      warnings.push_back({"axes", i, "the object is behind the camera; expected it in front"});
  }
}

void check_same_views(const Sample& sample, Warnings& warnings) {
  std::vector<Thumbnail> thumbnails;
  for (const View& view : sample.views) thumbnails.push_back(thumbnail(view.image));
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sample.views[i].behind || sample.views[j].behind) continue;  // they show nothing
      const std::string other = view_label(sample, j);
      if (thumbnail_difference(thumbnails[i], thumbnails[j]) < kSamePicture) {
        warnings.push_back(
            {"same_view", i, fmt::format("its image is the same as that of {}; expected a different one", other)});
      } else if (degrees_between(sample.views[i].camera, sample.views[j].camera) < kSameDirection) {
        warnings.push_back(
            {"same_view", i,
             fmt::format("its camera is at the same place as that of {}; expected a different place", other)});
      }
    }
  }
}

// The diagonal of the object's box, in the world's unit, if it is suspicious. The expected value is 1.
std::optional<double> unexpected_size(const SampleSilhouettes& silhouettes, const std::vector<Camera>& cameras) {
  const std::optional<SampleSilhouettes::Size> size = silhouettes.size(cameras);
  if (!size) return std::nullopt;
  const double least = size->least / kWorldDiagonal, most = size->most / kWorldDiagonal;
  const bool large = least > kTooLarge, small = most < kTooSmallHull && least < kTooSmall;
  return large || small ? std::optional(least / kTypicalLeast) : std::nullopt;
}

// The order of the cameras with which the silhouettes agree at least as well and show an object of the expected size.
// Empty if there is no such order.
std::string order_of_usual_size(const Sample& sample, const SampleSilhouettes& silhouettes, double given) {
  double best = std::max(given, kExactCameras);
  std::string name;
  for (const CameraHypothesis& hypothesis : order_hypotheses(sample)) {
    const double other = silhouettes.disagreement(hypothesis.cameras);
    if (other >= best || unexpected_size(silhouettes, hypothesis.cameras)) continue;
    best = other;
    name = hypothesis.name;
  }
  return name;
}

// The likely cause of an object `size` times as large as expected.
std::string cause_of_size(double size, UnitOrigin unit, const std::string& order) {
  if (!order.empty()) return fmt::format("it has about that size if {}", order);
  if (unit == UnitOrigin::kMasks) return "the masks contradict the cameras";
  if (unit == UnitOrigin::kGiven) {
    return fmt::format("--scale may be about {:.0f}% too {}", 100 * std::abs(1 / size - 1),
                       size > 1 ? "small" : "large");
  }
  return fmt::format("all distances, or the unit of the cameras, may be about {:.0f}% too {}", 100 * std::abs(size - 1),
                     size > 1 ? "large" : "small");
}

void check_size(const Sample& sample, const SampleSilhouettes& silhouettes, double disagreement, Warnings& warnings) {
  const auto count = [&](const char* code) { return std::ranges::count(warnings, code, &SampleWarning::code); };
  // They say the same.
  if (count("distance") == static_cast<std::ptrdiff_t>(sample.views.size())) return;
  if (sample.unit_origin == UnitOrigin::kMasks && count("poses") > 0) return;
  // The masks agree with the cameras, so the size that was found from them is right.
  if (sample.unit_origin == UnitOrigin::kMasks && disagreement < kExactCameras) return;
  // The size is that of the hull of all masks, which is tighter than that of the views' silhouettes.
  if (sample.unit_origin == UnitOrigin::kMasks && sample.fit_masks.size() > sample.views.size()) return;
  const std::optional<double> size = unexpected_size(silhouettes, view_cameras(sample));
  if (!size) return;
  const bool has_rows = sample.unit_origin == UnitOrigin::kCameras;
  const std::string order = has_rows ? order_of_usual_size(sample, silhouettes, disagreement) : "";
  warnings.push_back(
      {"size",
       {},
       fmt::format("the silhouettes show an object whose bounding box has a diagonal of about {:.2f}; "
                   "expected {}: {}",
                   *size * kWorldDiagonal, kWorldDiagonal, cause_of_size(*size, sample.unit_origin, order))});
}

void check_silhouettes(const Sample& sample, const std::vector<std::optional<ViewMask>>& masks, Warnings& warnings) {
  const SampleSilhouettes silhouettes(sample, masks);
  if (!silhouettes.enough()) return;
  const double given = silhouettes.disagreement(view_cameras(sample));
  if (given < kDisagreement) {
    check_size(sample, silhouettes, given, warnings);
    return;
  }
  double best = kMuchBetter * given;
  std::string hint;
  for (const CameraHypothesis& hypothesis : order_hypotheses(sample)) {
    const double other = silhouettes.disagreement(hypothesis.cameras);
    if (other >= best) continue;
    best = other;
    hint = fmt::format("; they agree better if {}", hypothesis.name);
  }
  warnings.push_back(
      {"silhouettes",
       {},
       fmt::format("the silhouettes do not agree with the cameras: {:.0f}% of one silhouette cannot be part of an "
                   "object that all of them show{}",
                   100 * given, hint)});
}

// Of more than kMostAlike warnings of one kind, the first stands for all, so that they do not hide others.
void join_alike(Warnings& warnings) {
  constexpr std::ptrdiff_t kMostAlike = 3;
  Warnings joined;
  for (const SampleWarning& warning : warnings) {
    const auto is_alike = [&](const SampleWarning& other) { return other.view && other.code == warning.code; };
    const std::ptrdiff_t count = std::ranges::count_if(warnings, is_alike);
    if (!warning.view || count <= kMostAlike) {
      joined.push_back(warning);
    } else if (std::ranges::none_of(joined, is_alike)) {
      joined.push_back(warning);
      joined.back().message += fmt::format(" (and {} other views alike)", count - 1);
    }
  }
  warnings = std::move(joined);
}

}  // namespace

std::string refusal(std::span<const SampleWarning> warnings) {
  const std::string others = warnings.size() > 1 ? fmt::format(" and {} more", warnings.size() - 1) : "";
  return fmt::format("{}{} (--strict)", warnings.front().message, others);
}

std::vector<SampleWarning> check_sample(const Sample& sample, const TrainedViews& trained) {
  Warnings warnings = sample.doubts;
  std::vector<std::optional<ViewMask>> masks;
  std::size_t usable = 0, behind = 0;
  check_axes(sample, warnings);
  const std::string_view radians = angles_in_radians(sample);
  if (!radians.empty()) {
    warnings.push_back({"radians", {}, fmt::format("{} look like radians; expected degrees", radians)});
  }
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    behind += sample.views[i].behind ? 1 : 0;
    masks.push_back(sample.views[i].behind ? std::nullopt : read_view_mask(sample.views[i], i, warnings));
    if (masks.back()) {
      check_mask(*masks.back(), i, sample.views[i].row.has_value(), warnings);
      usable += masks.back()->usable() ? 1 : 0;
    }
    if (sample.views[i].padded) {
      warnings.push_back(
          {"not_square", i, "the image is not square and was padded; camera rows are for square images"});
    }
    if (radians.find("elevations") == std::string_view::npos) check_camera(sample.views[i], i, trained, warnings);
  }
  check_same_views(sample, warnings);
  if (usable < kMinViews && behind < sample.views.size()) {
    warnings.push_back({"too_few_views",
                        {},
                        fmt::format("{} of {} views show an object on a background; expected at "
                                    "least {}",
                                    usable, sample.views.size(), kMinViews)});
  }
  check_silhouettes(sample, masks, warnings);
  for (SampleWarning& warning : warnings) {
    if (warning.view) warning.message = fmt::format("{}: {}", view_label(sample, *warning.view), warning.message);
  }
  join_alike(warnings);
  return warnings;
}

Json to_json(std::span<const SampleWarning> warnings) {
  Json json = Json::array();
  for (const SampleWarning& warning : warnings) {
    json.push_back({{"code", warning.code},
                    {"view", warning.view ? Json(*warning.view) : Json(nullptr)},
                    {"message", warning.message}});
  }
  return json;
}

}  // namespace p2mpp
