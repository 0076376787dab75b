#include "capture/formats/read_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "capture/formats/colmap_folder.h"
#include "capture/formats/transforms_json.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

struct CaptureFormat {
  bool (*is_in)(const fs::path& path);  ///< opens no file
  Capture (*read)(const fs::path& path, const CaptureOptions& options);
};

/// In the order in which they are tried.
constexpr std::array kFormats = {
    CaptureFormat{[](const fs::path& path) { return find_colmap(path).has_value(); },
                  [](const fs::path& path, const CaptureOptions& options) {
                    return read_colmap(find_colmap(path).value(), options.images);
                  }},
    CaptureFormat{[](const fs::path& path) { return find_transforms(path).has_value(); },
                  [](const fs::path& path, const CaptureOptions& options) {
                    return read_transforms(find_transforms(path).value(), options.confined);
                  }},
};

}  // namespace

bool is_capture(const fs::path& path) {
  return std::ranges::any_of(kFormats, [&path](const CaptureFormat& format) { return format.is_in(path); });
}

std::string capture_id(const fs::path& path) {
  fs::path full = fs::absolute(path).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  if (full.extension() == ".json") full = full.parent_path();
  const auto is_number = [](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  };
  if (is_number(full.filename().string()) && full.parent_path().has_filename()) full = full.parent_path();
  if (full.filename() == "sparse" && full.parent_path().has_filename()) full = full.parent_path();
  return full.filename().string();
}

Capture read_capture(const fs::path& path, const CaptureOptions& options) {
  if (options.turntable) return read_turntable(path, *options.turntable);
  for (const CaptureFormat& format : kFormats) {
    if (format.is_in(path)) return format.read(path, options);
  }
  std::error_code ignored;
  throw InputError(
      fmt::format("{}: {}; expected a COLMAP model (cameras and images as .bin or .txt, in the folder or in "
                  "sparse/0) or transforms.json",
                  display(path), fs::exists(path, ignored) ? "is not a capture" : "no such file or folder"));
}

}  // namespace p2mpp
