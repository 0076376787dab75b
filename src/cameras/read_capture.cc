#include "cameras/read_capture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/camera_formats.h"
#include "cameras/colmap/colmap_folder.h"
#include "cameras/transforms/transforms_json.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

/// COLMAP's models and transforms.json. The formats of other programs: camera_formats.cc.
struct CaptureFormat {
  bool (*is_in)(const fs::path& path);  ///< opens no file
  Capture (*read)(const fs::path& path, const CaptureOptions& options);
};

[[noreturn]] void refuse_photographs(const fs::path& file) {
  throw UsageError(
      fmt::format("--photographs: {} names its photographs itself; expected a COLMAP model or another "
                  "program's cameras",
                  display(file)));
}

/// In the order in which they are tried.
constexpr std::array kFormats = {
    CaptureFormat{[](const fs::path& path) { return find_colmap(path).has_value(); },
                  [](const fs::path& path, const CaptureOptions& options) {
                    return read_colmap(find_colmap(path).value(), options.images);
                  }},
    CaptureFormat{[](const fs::path& path) { return find_transforms(path).has_value(); },
                  [](const fs::path& path, const CaptureOptions& options) {
                    if (!options.images.empty()) refuse_photographs(find_transforms(path).value());
                    return read_transforms(find_transforms(path).value());
                  }},
};

/// The format of another program, and what it reads.
struct FoundFormat {
  const CameraFormat* format;
  fs::path found;
};

std::optional<FoundFormat> find_cameras(const fs::path& path) {
  for (const CameraFormat& format : camera_formats()) {
    if (std::optional<fs::path> found = format.find(path)) return FoundFormat{&format, *std::move(found)};
  }
  return std::nullopt;
}

/// Of a .json, other programs' files are told apart by their content.
bool is_first(const CaptureFormat& format, const fs::path& path) {
  return format.is_in(path) && (&format == kFormats.data() || !is_file(path) || !find_cameras(path));
}

}  // namespace

bool is_capture(const fs::path& path) {
  return std::ranges::any_of(kFormats, [&path](const CaptureFormat& format) { return format.is_in(path); }) ||
         find_cameras(path).has_value() || find_colmap_below(path).has_value();
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
  for (const CaptureFormat& format : kFormats) {
    if (is_first(format, path)) return format.read(path, options);
  }
  if (const std::optional<FoundFormat> cameras = find_cameras(path)) {
    const fs::path root = !options.images.empty() ? options.images : is_file(path) ? path.parent_path() : path;
    return cameras->format->read(cameras->found, root, cameras->format->kind);
  }
  if (const std::optional<ColmapFolder> below = find_colmap_below(path)) return read_colmap(*below, options.images);
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
