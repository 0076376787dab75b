#include "cameras/read_capture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/camera_formats.h"
#include "cameras/colmap/colmap_folder.h"
#include "cameras/transforms/transforms_json.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_photographs(const fs::path& file) {
  throw UsageError(
      fmt::format("--photographs: {} names its photographs itself; expected a COLMAP model or another "
                  "program's cameras",
                  display(file)));
}

/// A format of camera_formats(), the file or folder that it reads, and where the photographs are.
struct FoundFormat {
  const CameraFormat* format;
  fs::path file, root;
};

std::optional<FoundFormat> find_cameras(const SearchedPath& path) {
  for (const CameraFormat& format : camera_formats()) {
    if (FoundCameras found = format.find(path)) {
      return FoundFormat{&format, *std::move(found), path.is_file() ? path.path().parent_path() : path.path()};
    }
  }
  return std::nullopt;
}

/// What to read: one of these, or none of a path that is no capture.
struct FoundCapture {
  std::optional<ColmapFolder> model = {};
  std::optional<fs::path> transforms = {};
  std::optional<FoundFormat> cameras = {};
};

/// The first format that a path has. Of a .json, other programs' files are told apart by their content.
FoundCapture find_capture(const SearchedPath& path) {
  if (std::optional<ColmapFolder> model = find_colmap(path)) return {.model = std::move(model)};
  std::optional<fs::path> transforms = find_transforms(path);
  if (transforms && *transforms != path.path()) return {.transforms = std::move(transforms)};
  if (std::optional<FoundFormat> cameras = find_cameras(path)) return {.cameras = std::move(cameras)};
  if (transforms) return {.transforms = std::move(transforms)};
  return {.model = find_colmap_below(path.path())};
}

}  // namespace

bool is_capture(const fs::path& path) {
  const FoundCapture found = find_capture(SearchedPath(path));
  return found.model || found.transforms || found.cameras;
}

std::string capture_id(const fs::path& path) {
  fs::path full = fs::absolute(path).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  if (full.extension() == ".json" || is_file(full)) full = full.parent_path();
  const auto is_number = [](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  };
  if (is_number(full.filename().string()) && full.parent_path().has_filename()) full = full.parent_path();
  if (full.filename() == "sparse" && full.parent_path().has_filename()) full = full.parent_path();
  return full.filename().string();
}

Capture read_capture(const fs::path& path, const CaptureOptions& options) {
  if (options.is_turntable) return read_turntable(path, options.turntable);
  const FoundCapture found = find_capture(SearchedPath(path));
  if (found.model) return read_colmap(*found.model, options.images);
  if (found.transforms) {
    if (!options.images.empty()) refuse_photographs(*found.transforms);
    return read_transforms(*found.transforms);
  }
  if (found.cameras) {
    const auto& [format, file, root] = *found.cameras;
    return format->read(file, options.images.empty() ? root : options.images, format->kind);
  }
  const std::string step = missing_step(path);
  throw InputError(fmt::format("{}: {}; expected the cameras of {}", display(path),
                               !step.empty()     ? step
                               : may_exist(path) ? "is not a capture"
                                                 : "no such file or folder",
                               readable_formats()));
}

std::string readable_formats() {
  return "a COLMAP model (cameras and images as .bin or .txt, in the folder or in sparse/0), transforms.json, "
         "Metashape (XML), RealityCapture (CSV, XMP), Meshroom, Pix4D, OpenMVG, OpenMVS, MVE, Bundler, VisualSFM, "
         "OpenSfM, "
         "Open3D, NeuS, LLFF, ScanNet, Polycam, Record3D, Stray Scanner, 3D Scanner App, or matrices in text";
}

namespace {

/// The name of a lens by its numbers, where the file has no name for it.
std::string lens_kind(const Lens& lens) {
  if (lens.model == LensModel::kFisheye) return "fisheye";
  const bool is_plain = lens.coefficients == std::array<double, 8>{} && lens.extras == LensExtras{};
  return is_plain ? "pinhole" : "with distortion";
}

}  // namespace

std::vector<std::string> read_words(const Capture& capture) {
  if (capture.photographs.empty()) return {};
  constexpr std::size_t kMostNames = 4;
  std::set<std::string> names, sizes, lenses;
  for (const Photograph& photograph : capture.photographs) {
    const Lens& lens = photograph.lens;
    // Files that have a matrix for each photograph give its lens in other last digits.
    lenses.insert(fmt::format("{:.4g} {:.4g} {:.4g} {:.4g}", lens.fx, lens.fy, lens.cx, lens.cy));
    if (names.size() < kMostNames) names.insert(photograph.lens_name.empty() ? lens_kind(lens) : photograph.lens_name);
    if (sizes.size() < kMostNames) sizes.insert(fmt::format("{}x{}", photograph.width, photograph.height));
  }
  const std::string version = capture.version.empty() ? "" : fmt::format(" {}", printable(capture.version, 40));
  std::vector<std::string> lines = {fmt::format(
      "read as {}{}: {} cameras of {} pixels; {} {}: {}, the first with f {:.6g}", capture.kind, version,
      capture.photographs.size(), fmt::join(sizes, " and "), lenses.size(), lenses.size() == 1 ? "lens" : "lenses",
      printable(fmt::format("{}", fmt::join(names, " and "))), capture.photographs.front().lens.fx)};
  for (const std::string& note : capture.notes) {
    if (note.find("left out") != std::string::npos) lines.push_back(note);
  }
  if (lines.size() == 1) lines.front() += "; nothing left out";
  return lines;
}

}  // namespace p2mpp
