#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "cameras/read_capture.h"

namespace p2mpp {

/// A format of cameras other than COLMAP's models and transforms.json: a row for each program.
struct CameraFormat {
  const char* kind;  ///< as Capture::kind
  /// The file or folder to read, if the path is it or has it. Reads at most the start of files.
  std::optional<std::filesystem::path> (*find)(const std::filesystem::path& path);
  /// `root`: below which the photographs are.
  Capture (*read)(const std::filesystem::path& found, const std::filesystem::path& root, const char* kind);
};

[[nodiscard]] std::span<const CameraFormat> camera_formats();

/// What a path without readable cameras seems to be, and the step that is missing: "has 24 photographs and no cameras;
/// expected ...". Empty if it is nothing known.
[[nodiscard]] std::string missing_step(const std::filesystem::path& path);

}  // namespace p2mpp
