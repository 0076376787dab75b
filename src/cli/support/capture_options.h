#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "capture/formats/read_capture.h"
#include "capture/sample_from_capture.h"

namespace p2mpp::cli {

/// How photographs of a capture are read and prepared: the options that `predict`, `import` and `check` share.
struct CaptureArguments {
  std::filesystem::path images, masks;
  std::string background = "auto";
  bool turntable = false;
  std::optional<double> elevation_deg, field_of_view_deg;
  bool clockwise = false;
  std::vector<double> up, centre;  ///< three numbers, or empty
  std::optional<double> scale;
  bool keep_poses = false;  ///< --no-refine-poses
  FitViews fit = {};        ///< whose masks are kept for the fit; not among the options below
};

/// Adds --photographs, --masks, --background, --turntable, --elevation, --clockwise, --fov, --up, --centre, --scale and
/// --no-refine-poses.
void add_capture_options(CLI::App& command, CaptureArguments& arguments);

/// Whether a path is read as a capture rather than as a sample's folder.
[[nodiscard]] bool is_capture_path(const std::filesystem::path& path, const CaptureArguments& arguments);

/// Throws InputError if a path is a capture, for commands that read samples' folders only.
void refuse_capture(const std::filesystem::path& path);

/// A capture that was read and prepared.
struct LoadedCapture {
  Capture capture;
  PreparedCapture prepared;
};

/// Reads and prepares a capture. `views`: photographs to use, from 0; empty: the best `view_count`. Throws what
/// read_capture() and sample_from_capture() throw, and UsageError for options that contradict each other.
[[nodiscard]] LoadedCapture load_capture(const std::filesystem::path& path, const CaptureArguments& arguments,
                                         const std::vector<std::size_t>& views, std::size_t view_count,
                                         std::size_t max_pixels, int threads);

/// A description of the capture, one line each: cameras, masks, the object's frame, the chosen views.
[[nodiscard]] std::vector<std::string> describe(const LoadedCapture& loaded);

/// The same for --json.
[[nodiscard]] nlohmann::ordered_json to_json(const LoadedCapture& loaded);

}  // namespace p2mpp::cli
