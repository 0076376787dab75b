#include "cli/support/capture_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "capture/mask_files.h"
#include "cli/support/options.h"
#include "io/sample_folder.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kGroup = "Photographs";
constexpr double kLargest = 1e12;

std::optional<Eigen::Vector3d> vector_of(const std::vector<double>& numbers) {
  if (numbers.empty()) return std::nullopt;
  return Eigen::Vector3d(numbers[0], numbers[1], numbers[2]);
}

void add_vector(CLI::App& command, const std::string& name, std::vector<double>& values, const std::string& help) {
  command.add_option(name, values, help)
      ->type_name("X,Y,Z")
      ->delimiter(',')
      ->expected(3)
      ->allow_extra_args(false)
      ->check(number(-kLargest, kLargest))
      ->group(kGroup);
}

void add_turntable_options(CLI::App& command, CaptureArguments& arguments) {
  CLI::Option* turntable = command.add_flag(
      "--turntable", arguments.turntable,
      "The path is a folder of photographs at equal angles around the object, in the order of their names");
  turntable->group(kGroup);
  command
      .add_option("--elevation", arguments.elevation_deg,
                  "With --turntable: the camera's angle above the table's plane, as seen from the object")
      ->type_name("DEGREES")
      ->check(number(-89, 89))
      ->needs(turntable)
      ->group(kGroup);
  command
      .add_flag("--clockwise", arguments.clockwise,
                "With --turntable: the table, seen from above, turns clockwise (default: counter-clockwise)")
      ->needs(turntable)
      ->group(kGroup);
  command
      .add_option("--fov", arguments.field_of_view_deg,
                  "With --turntable: the angle of view along the longer side (default: 69.4, a phone's main camera)")
      ->type_name("DEGREES")
      ->check(number(1, 150))
      ->needs(turntable)
      ->group(kGroup);
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

void add_capture_options(CLI::App& command, CaptureArguments& arguments) {
  command
      .add_option("--photographs", arguments.images,
                  "Folder of a COLMAP model's photographs (default: images/ beside the model)")
      ->type_name("FOLDER")
      ->check(file_name())
      ->group(kGroup);
  command
      .add_option(
          "--masks", arguments.masks,
          "Folder with a mask for each photograph, of its name: the object is white or opaque (default: masks/ beside "
          "the photographs, if it is there)")
      ->type_name("FOLDER")
      ->check(file_name())
      ->group(kGroup);
  command
      .add_option("--background", arguments.background,
                  "Colour behind the object in photographs without transparency and mask; auto: the border's")
      ->type_name("auto|R,G,B")
      ->check(file_name())
      ->capture_default_str()
      ->group(kGroup);
  add_turntable_options(command, arguments);
  add_vector(command, "--up", arguments.up, "The object's upward direction in the capture (default: from the cameras)");
  add_vector(command, "--centre", arguments.centre,
             "The centre of the object's bounding box in the capture (default: from the masks)");
  command
      .add_option("--scale", arguments.scale,
                  "The diagonal of the object's bounding box in the capture's unit, divided by 0.57 (default: from the "
                  "masks)")
      ->type_name("X")
      ->check(number(1 / kLargest, kLargest))
      ->group(kGroup);
  command
      .add_flag("--no-refine-poses", arguments.keep_poses,
                "Take the capture's cameras as they are (default: errors up to 3 degrees are corrected where the masks "
                "show them)")
      ->group(kGroup);
  // They describe one capture, so a configuration file has no place for them.
  for (CLI::Option* option : command.get_options()) {
    if (option->get_group() == kGroup) option->configurable(false);
  }
}

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
  options.refine_poses = !arguments.keep_poses;
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
