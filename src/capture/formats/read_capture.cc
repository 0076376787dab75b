#include "capture/formats/read_capture.h"

#include <fmt/format.h>

#include "base/text.h"
#include "capture/formats/colmap_folder.h"
#include "capture/formats/transforms_json.h"
#include "p2mpp/error.h"

namespace p2mpp {

bool is_capture(const std::filesystem::path& path) { return find_colmap(path) || find_transforms(path); }

Capture read_capture(const std::filesystem::path& path, const CaptureOptions& options) {
  if (options.turntable) return read_turntable(path, *options.turntable);
  if (const std::optional<ColmapFolder> folder = find_colmap(path)) return read_colmap(*folder, options.images);
  if (const std::optional<std::filesystem::path> file = find_transforms(path)) return read_transforms(*file);
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path, ignored);
  throw InputError(
      fmt::format("{}: {}; expected a COLMAP model (cameras and images as .bin or .txt, in the folder or in "
                  "sparse/0) or transforms.json",
                  display(path), exists ? "is not a capture" : "no such file or folder"));
}

}  // namespace p2mpp
