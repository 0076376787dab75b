#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/camera_formats.h"
#include "cameras/capture.h"
#include "cameras/parsing/left_out.h"
#include "cameras/programs/camera_files.h"
#include "cameras/turntable.h"
#include "io/image/image_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

/// scan01/scan01_001.jpg of scan01/metadata/scan01_001.json, or the picture that was made of a focus stack.
std::optional<fs::path> named_photograph(const fs::path& metadata) {
  const fs::path scan = metadata.parent_path().parent_path();
  std::string name = metadata.stem().string();
  const std::size_t stack = name.rfind("_fs");
  if (stack != std::string::npos) name = "stacked/stacked_" + name.substr(0, stack);
  for (const char* extension : kImageExtensions) {
    fs::path file = scan / name;
    file += extension;
    if (is_file(file)) return file;
  }
  return std::nullopt;
}

/// The table turns in the other direction.
PoseAlternative turned_back(const Capture& capture) {
  PoseAlternative alternative{"the table turns the other way than its angles say", {}};
  alternative.is_convention = true;
  for (const Photograph& photograph : capture.photographs) {
    const Eigen::Vector3d centre = photograph.centre();
    alternative.cam_from_source.push_back(
        orbit_pose(-std::atan2(centre.z(), centre.x()), std::asin(std::clamp(centre.y(), -1.0, 1.0))));
  }
  return alternative;
}

}  // namespace

/// A scan of OpenScan3: the camera's angles for each photograph, and no lens. The motors' signs differ between
/// scanners, so that the masks may choose the other direction. Source: OpenScan3, openscan_firmware/models/scan.py.
Capture read_openscan(const fs::path& folder, const fs::path& /*root*/, const char* kind) {
  Capture capture;
  capture.kind = kind;
  capture.where = display(folder);
  capture.folder = folder.parent_path();
  capture.up = Eigen::Vector3d::UnitY();
  capture.up_is_measured = true;
  std::set<fs::path> seen;  // of a focus stack, several files have one picture
  std::vector<std::string> missing;
  LeftOut left_out;
  for (const fs::path& file : files_in(folder)) {
    if (lower_extension(file) != ".json") continue;
    left_out.read([&] {
      const OrbitAngles angles = parse_openscan(read_file(file), display(file));
      const std::optional<fs::path> image = named_photograph(file);
      if (!image) {
        missing.push_back(file.stem().string());
      } else if (seen.insert(*image).second) {
        capture.photographs.push_back({.image = *image,
                                       .mask = {},
                                       .lens = {},
                                       .cam_from_source = orbit_pose(-angles.azimuth, angles.elevation),
                                       .upright = true,
                                       .name = image->lexically_relative(capture.folder).string()});
      }
    });
  }
  for (const std::string& note : left_out.notes(capture.where, capture.photographs.size() + missing.size())) {
    capture.notes.push_back(fmt::format("{}: {}", capture.where, note));
  }
  const bool is_assumed = set_orbit_lens(std::nullopt, capture);
  capture = check_images(std::move(capture), missing, folder.parent_path());
  capture.alternatives.push_back(turned_back(capture));
  if (is_assumed) add_other_lenses(capture);
  return capture;
}

}  // namespace p2mpp
