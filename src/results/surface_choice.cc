#include "results/surface_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "p2mpp/error.h"

namespace p2mpp {

void from_text(std::string_view text, InitialShape& shape) {
  using enum InitialShape::Kind;
  shape.kind = text == "ellipsoid" ? kEllipsoid : text == "hull" ? kHull : kFile;
  shape.file = shape.kind == kFile ? std::filesystem::path(text) : std::filesystem::path();
}

std::string to_string(const InitialShape& shape) {
  if (shape.kind == InitialShape::Kind::kFile) return shape.file.string();
  return shape.kind == InitialShape::Kind::kHull ? "hull" : "ellipsoid";
}

namespace {

constexpr std::size_t kEnoughMasks = 8;
constexpr double kLeastCosine = 0.26;  ///< of the angle between two cameras, seen from the object: 75 degrees

using Kind = SurfaceChoice::Kind;
using Detail = SurfaceChoice::Detail;

std::string_view name_of(Kind kind) {
  return kind == Kind::kAutomatic ? "auto" : kind == Kind::kTemplate ? "template" : "volume";
}

std::string_view name_of(Detail detail) {
  return detail == Detail::kAutomatic ? "auto" : detail == Detail::kCoarse ? "coarse" : "full";
}

std::size_t count_photographs(const Sample& sample) { return std::max(sample.fit_masks.size(), sample.views.size()); }

bool look_from_around(const Sample& sample) {
  double least = 1;
  for (const FitMask& one : sample.fit_masks) {
    for (const FitMask& other : sample.fit_masks) {
      least = std::min(least, one.camera.origin.normalized().dot(other.camera.origin.normalized()));
    }
  }
  return least < kLeastCosine;
}

}  // namespace

void from_text(std::string_view text, SurfaceChoice& choice) {
  for (const auto kind : {Kind::kAutomatic, Kind::kTemplate, Kind::kVolume}) {
    if (text != name_of(kind)) continue;
    choice.kind = kind;
    return;
  }
  throw UsageError(fmt::format("\"{}\" is no surface; expected auto, template or volume", text));
}

void from_text(std::string_view text, SurfaceChoice::Detail& detail) {
  for (const auto each : {Detail::kAutomatic, Detail::kCoarse, Detail::kFull}) {
    if (text != name_of(each)) continue;
    detail = each;
    return;
  }
  throw UsageError(fmt::format("\"{}\" is no detail; expected auto, coarse or full", text));
}

std::string to_string(SurfaceChoice::Detail detail) { return std::string(name_of(detail)); }

std::size_t vertices_of(const SurfaceChoice& choice) {
  constexpr std::size_t kTimesOfFull = 4;
  return choice.detail == Detail::kFull ? kTimesOfFull * choice.target_vertices : choice.target_vertices;
}

std::string to_string(const SurfaceChoice& choice) { return std::string(name_of(choice.kind)); }

bool expects_distances(const Sample& sample) { return count_photographs(sample) < kEnoughMasks; }

std::string obstacle_to_volume(const Sample& sample, const InitialShape& shape, bool has_distances) {
  const bool is_expected = has_distances && expects_distances(sample);
  if (!sample.network_frame && !is_expected) return "the sample has no photographs";
  if (shape.kind != InitialShape::Kind::kEllipsoid) return "an initial mesh was given";
  if (is_expected) return "";
  if (sample.fit_masks.size() < kEnoughMasks) {
    return fmt::format("{} masks; a volume needs {}", sample.fit_masks.size(), kEnoughMasks);
  }
  return look_from_around(sample) ? "" : "the cameras look from one side";
}

std::string surface_summary(const SurfaceFigures& figures) {
  std::string line = fmt::format("{} voxels, {} masks", figures.resolution, figures.used);
  if (figures.overruled > 0) line += fmt::format(", {} overruled by photographs", figures.overruled);
  if (figures.dropped > 0) {
    line += fmt::format(", {} small part{} dropped", figures.dropped, figures.dropped > 1 ? "s" : "");
  }
  if (figures.photographs > 0) {
    line += fmt::format(", {:.0f}% refined by {} photographs", 100 * figures.refined, figures.photographs);
  }
  return line + fmt::format(", {:.0f} ms", figures.milliseconds);
}

}  // namespace p2mpp
