#include "cli/support/capture_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "capture/mask_files.h"
#include "io/sample_folder.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Eigen::Vector3d> vector_of(const std::vector<double>& numbers) {
  if (numbers.empty()) return std::nullopt;
  return Eigen::Vector3d(numbers[0], numbers[1], numbers[2]);
}

CaptureOptions reading_options(const CaptureArguments& arguments) {
  CaptureOptions options;
  if (!arguments.images.empty()) options.images = arguments.images;
  if (!arguments.turntable) return options;
  if (!arguments.elevation_deg) throw UsageError("--turntable also needs --elevation DEGREES");
  Turntable turntable;
  turntable.elevation_deg = *arguments.elevation_deg;
  turntable.clockwise = arguments.clockwise;
  if (arguments.field_of_view_deg && *arguments.field_of_view_deg < std::numbers::pi) {
    throw UsageError(
        fmt::format("--fov: {:g} looks like radians; expected degrees, such as 69.4", *arguments.field_of_view_deg));
  }
  if (arguments.field_of_view_deg) turntable.field_of_view_deg = *arguments.field_of_view_deg;
  options.turntable = turntable;
  return options;
}

// The first option that only a capture takes; nullptr if none was given.
const char* given_option(const CaptureArguments& arguments) {
  if (!arguments.images.empty()) return "--photographs";
  if (!arguments.masks.empty()) return "--masks";
  if (arguments.background != CaptureArguments().background) return "--background";
  if (!arguments.up.empty()) return "--up";
  if (!arguments.centre.empty()) return "--centre";
  if (arguments.scale) return "--scale";
  return nullptr;
}

std::string describe_masks(const PreparedCapture& prepared) {
  std::map<std::string, std::size_t> counts;
  for (const PhotographReport& report : prepared.photographs) {
    if (report.problem.empty()) ++counts[report.mask];
  }
  std::vector<std::string> parts;
  for (const auto& [origin, count] : counts) parts.push_back(fmt::format("{} by {}", count, origin));
  return fmt::format("masks: {}", fmt::join(parts, ", "));
}

std::string triple(const Eigen::Vector3d& vector) {
  return fmt::format("{:.6g},{:.6g},{:.6g}", vector.x(), vector.y(), vector.z());
}

Json array_of(const Eigen::Vector3d& vector) { return {vector.x(), vector.y(), vector.z()}; }

std::string chosen_names(const LoadedCapture& loaded) {
  std::vector<std::string> names;
  for (const std::size_t i : loaded.prepared.chosen) {
    names.push_back(fmt::format("{} ({})", i, loaded.prepared.photographs[i].name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool is_capture_path(const std::filesystem::path& path, const CaptureArguments& arguments) {
  if (arguments.turntable) return true;
  if (!is_sample_folder(path)) return is_capture(path);
  if (const char* option = given_option(arguments); option != nullptr) {
    throw UsageError(
        fmt::format("{}: {} is a sample's folder, whose cameras and masks are complete; expected a capture", option,
                    path.string()));
  }
  return false;
}

void refuse_capture(const std::filesystem::path& path) {
  if (is_sample_folder(path) || !is_capture(path)) return;
  throw InputError(fmt::format(
      "{0}: is a capture; expected a sample's folder, as `p2mpp import {0} --out FOLDER` writes it", path.string()));
}

LoadedCapture load_capture(const std::filesystem::path& path, const CaptureArguments& arguments,
                           const std::vector<std::size_t>& views, std::size_t view_count, std::size_t max_pixels,
                           int threads) {
  PrepareOptions options;
  options.background = parse_background(arguments.background);
  options.frame.up = vector_of(arguments.up);
  if (options.frame.up && options.frame.up->isZero()) {
    throw UsageError("--up: is 0,0,0; expected a direction, such as 0,0,1");
  }
  options.frame.centre = vector_of(arguments.centre);
  options.frame.scale = arguments.scale;
  options.masks = arguments.masks;
  options.refine_poses = arguments.refine_poses;
  options.fit = arguments.fit;
  options.views = views;
  options.view_count = view_count;
  options.max_pixels = max_pixels;
  options.threads = threads;
  LoadedCapture loaded{read_capture(path, reading_options(arguments)), {}};
  if (options.masks.empty()) use_masks_beside(loaded.capture);
  loaded.prepared = sample_from_capture(loaded.capture, capture_id(path), options);
  if (const std::size_t count = loaded.prepared.chosen.size(); views.empty() && count < view_count) {
    loaded.capture.notes.push_back(fmt::format(
        "the network gets {} views instead of {}: no other photographs are different and usable", count, view_count));
  }
  return loaded;
}

std::vector<std::string> describe(const LoadedCapture& loaded) {
  const auto& [capture, prepared] = loaded;
  const Similarity& frame = prepared.frame.source_from_world;
  std::vector<std::string> lines = {
      fmt::format("{}: {} photographs, {}", capture.where, capture.photographs.size(), capture.kind)};
  lines.insert(lines.end(), capture.notes.begin(), capture.notes.end());
  lines.push_back(describe_masks(prepared));
  if (const PoseRefinement& refinement = prepared.refinement; refinement.applied) {
    lines.push_back(fmt::format(
        "cameras: corrected from the masks by {:.2f} degrees on average, {:.2f} at most; --no-refine-poses keeps them",
        refinement.mean_deg, refinement.largest_deg));
  }
  lines.push_back(fmt::format("object: --centre {} --scale {:.6g} --up {} (up: {})", triple(frame.translation),
                              frame.scale, triple(frame.rotation * Eigen::Vector3d::UnitY()),
                              prepared.frame.up.origin));
  if (prepared.frame.most / prepared.frame.least > 1.3) {
    lines.push_back(fmt::format("the views leave its size open: {:.2f} to {:.2f} times this", prepared.frame.least,
                                prepared.frame.most));
  }
  lines.push_back(fmt::format("views: {}", chosen_names(loaded)));
  return lines;
}

Json to_json(const LoadedCapture& loaded) {
  const auto& [capture, prepared] = loaded;
  const Similarity& frame = prepared.frame.source_from_world;
  Json photographs = Json::array();
  for (const PhotographReport& report : prepared.photographs) {
    Json json = {{"name", report.name}, {"mask", report.mask}};
    if (!report.problem.empty()) json["problem"] = report.problem;
    json["contradicts"] = report.contradicts;
    json["unexplained"] = report.fit.unexplained;
    photographs.push_back(std::move(json));
  }
  return {{"kind", capture.kind},
          {"where", capture.where},
          {"notes", capture.notes},
          {"centre", array_of(frame.translation)},
          {"scale", frame.scale},
          {"up", array_of(frame.rotation * Eigen::Vector3d::UnitY())},
          {"up_from", prepared.frame.up.origin},
          {"size", array_of(prepared.frame.size)},
          {"refined_poses", prepared.refinement.applied},
          {"refined_mean_deg", prepared.refinement.mean_deg},
          {"refined_largest_deg", prepared.refinement.largest_deg},
          {"views", prepared.chosen},
          {"duplicates", prepared.duplicates},
          {"photographs", std::move(photographs)}};
}

}  // namespace p2mpp::cli
