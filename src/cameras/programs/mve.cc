#include <fmt/format.h>

#include <map>
#include <string>

#include "base/text.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/parsing/text_rows.h"
#include "cameras/programs/camera_files.h"
#include "p2mpp/error.h"

/// The meta.ini of a view of MVE. Source: MVE, libs/mve/camera.cc and image_tools.h.
namespace p2mpp {
namespace {

/// The keys below [camera].
std::map<std::string, std::string> camera_keys(std::string_view ini) {
  std::map<std::string, std::string> keys;
  bool is_camera = false;
  LineReader lines(ini);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(line);
    if (line.starts_with('[')) is_camera = line == "[camera]";
    const std::size_t equal = line.find('=');
    if (!is_camera || line.starts_with('#') || equal == std::string_view::npos) continue;
    keys[std::string(trimmed(line.substr(0, equal)))] = trimmed(line.substr(equal + 1));
  }
  return keys;
}

}  // namespace

std::optional<ListedCamera> parse_mve_view(std::string_view ini, const std::string& name, int width, int height,
                                           bool is_undistorted) {
  const std::map<std::string, std::string> keys = camera_keys(ini);
  const auto numbers = [&](const char* key, std::size_t count, std::vector<double> otherwise) {
    const auto found = keys.find(key);
    if (found == keys.end()) return otherwise;
    return Columns(found->second, fmt::format("{}: {}", name, key)).numbers("parameter", count);
  };
  const double focal = numbers("focal_length", 1, {0})[0];
  if (focal == 0) return std::nullopt;
  const double aspect = numbers("pixel_aspect", 1, {1})[0];
  if (!(aspect > 0)) throw InputError(name + ": pixel_aspect is not positive; expected a positive number");
  const std::vector<double> point = numbers("principal_point", 2, {0.5, 0.5});
  const std::vector<double> distortion = numbers("radial_distortion", 2, {0, 0});
  ListedCamera camera{.file = {}, .where = name};
  camera.width = width;
  camera.height = height;
  const bool is_portrait = width * aspect < height;
  camera.lens.fx = is_portrait ? focal * height / aspect : focal * width;
  camera.lens.fy = camera.lens.fx * aspect;
  camera.lens.cx = point[0] * width;
  camera.lens.cy = point[1] * height;
  if (!is_undistorted) camera.lens.coefficients = {distortion[0], distortion[1]};
  const ScaledRotation rotation = nearest_rotation(matrix3(numbers("rotation", 9, std::vector<double>(9))), name);
  camera.cam_from_source = {rotation.rotation, vector3(numbers("translation", 3, {0, 0, 0}))};
  return camera;
}

}  // namespace p2mpp
