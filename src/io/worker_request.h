#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fit_views.h"
#include "io/test_list.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// One sample that a worker is asked for, either by its files or as an entry of a test list.
struct WorkerRequest {
  std::string id;    ///< names the answer, and the files of a sample that is given by its files
  int priority = 0;  ///< higher ones first
  std::size_t line = 0;
  std::filesystem::path output;  ///< folder for the files; empty: the worker's own

  std::optional<ListEntry> entry;  ///< below the worker's roots; the following are empty

  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;       ///< rows of five numbers; empty: camera_rows
  std::vector<CameraRow> camera_rows;  ///< one an image

  /// Instead of the worker's own, for samples that are given by their files: those of a list have the run's.
  std::optional<FitViews> fit = {};
  std::optional<int> fit_steps = {};
  std::optional<std::string> initial = {};  ///< as set_kind() reads it
  std::optional<std::size_t> target_vertices = {};
};

inline constexpr std::size_t kMaxRequestBytes = 1 << 20;

/// A line as JSON. Throws InputError (one clause) unless it is one object.
[[nodiscard]] nlohmann::json parse_request_line(std::string_view text);

/// {"id", "images": [...], "cameras": FILE or [[5 numbers], ...], "output", "priority", "fit_views", "fit_steps",
/// "initial", "target_vertices"} or {"id", "entry": "CATEGORY_MODEL_00.dat", "line", "priority"}. `line` is the
/// request's own where it names none. Throws InputError (one clause) for a key that is missing, unknown or of another
/// type.
[[nodiscard]] WorkerRequest parse_request(const nlohmann::json& json, std::size_t line);

/// The "id" of anything, as far as it has one; else empty.
[[nodiscard]] std::string request_id(const nlohmann::json& json);

}  // namespace p2mpp
