#include "capture/formats/read_capture.h"

#include <fmt/format.h>

#include "base/text.h"
#include "capture/formats/colmap_folder.h"
#include "capture/formats/transforms_json.h"
#include "p2mpp/error.h"

namespace p2mpp {

bool is_capture(const std::filesystem::path& path) { return find_colmap(path) || find_transforms(path); }

std::string capture_id(const std::filesystem::path& path) {
  std::filesystem::path full = std::filesystem::absolute(path).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  if (full.extension() == ".json") full = full.parent_path();
  const auto is_number = [](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  };
  if (is_number(full.filename().string()) && full.parent_path().has_filename()) full = full.parent_path();
  if (full.filename() == "sparse" && full.parent_path().has_filename()) full = full.parent_path();
  return full.filename().string();
}

Capture read_capture(const std::filesystem::path& path, const CaptureOptions& options) {
  if (options.turntable) return read_turntable(path, *options.turntable);
  if (const std::optional<ColmapFolder> folder = find_colmap(path)) return read_colmap(*folder, options.images);
  if (const std::optional<std::filesystem::path> file = find_transforms(path)) {
    return read_transforms(*file, options.confined);
  }
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path, ignored);
  throw InputError(
      fmt::format("{}: {}; expected a COLMAP model (cameras and images as .bin or .txt, in the folder or in "
                  "sparse/0) or transforms.json",
                  display(path), exists ? "is not a capture" : "no such file or folder"));
}

}  // namespace p2mpp
