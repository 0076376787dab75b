#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cameras/read_capture.h"
#include "capture/fit_views.h"
#include "capture/open_sample.h"
#include "capture/sample_request.h"
#include "io/test_list.h"

namespace p2mpp {

/// A request for one sample to a worker or a server: its files, its folder or an entry of a test list.
struct WorkerRequest {
  std::string id;    ///< names the answer, and the files of a sample that is given by its files or its folder
  int priority = 0;  ///< higher ones first
  std::size_t line = 0;
  std::optional<std::chrono::milliseconds> deadline = {};  ///< of its answer, counted from its acceptance
  std::filesystem::path output;                            ///< folder for the files; empty: the worker's own

  std::optional<ListEntry> entry;  ///< below the worker's roots; the following are empty

  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;       ///< rows of five numbers; empty: camera_rows
  std::vector<CameraRow> camera_rows;  ///< one an image

  std::filesystem::path sample = {};   ///< a sample's folder or a capture; there are no images then
  std::filesystem::path archive = {};  ///< a ZIP archive that is unpacked into `sample`; empty: none
  CaptureOptions source = {};          ///< with a turntable, if the photographs are from one
  std::size_t view_count = 0;          ///< see SampleRequest
  /// Of photographs without cameras: the words of p2mpp-photos --known-distance, "IMAGE:x,y" four times and a length.
  std::vector<std::array<std::string, 5>> known_distances = {};
  std::string printed_bar = {};         ///< likewise, of --printed-bar; empty: as designed
  std::filesystem::path readable = {};  ///< see ReadingScope; empty: everything
  std::string client = {};              ///< clients take turns
  std::size_t pixels = 0;               ///< of its images, if it is known before they are read

  /// Options that replace those of the worker, checked: see set_requested(). None with an entry of a test list, which
  /// has the options of the run.
  nlohmann::json options = nlohmann::json::object();
};

inline constexpr std::size_t kMaxRequestBytes = 1 << 20;

/// A line as JSON. Throws InputError (one clause) unless it is one object.
[[nodiscard]] nlohmann::json parse_request_line(std::string_view text);

/// {"id", "images": [...], "cameras": FILE or [[5 numbers], ...], "output", "priority", "deadline_ms", and the options
/// of RunOptions that requests may have}, the same with "sample": FOLDER, "views": N and "turntable":
/// {"elevation", "clockwise", "fov"} in place of "images" and "cameras", or {"id", "entry": "CATEGORY_MODEL_00.dat",
/// "line", "priority", "deadline_ms"}. `line` is the request's own where it names none. Throws InputError (one clause)
/// for a key that is missing, unknown or of another type.
[[nodiscard]] WorkerRequest parse_request(const nlohmann::json& json, std::size_t line);

/// The request of a client that must not name a file of this machine. It is as above without "images", "cameras",
/// "entry", "line" and "output", and "initial" must not be a file. If `has_sample`, "sample" is required and must be a
/// relative path inside the root. Otherwise "sample" is not allowed, because the client sends the files, and there may
/// be "known_distances": [["IMAGE:x,y" x 4, LENGTH], ...] and "printed_bar": LENGTH. "id" is optional. The caller sets
/// `readable`.
[[nodiscard]] WorkerRequest parse_remote_request(const nlohmann::json& json, bool has_sample);

/// Opens the sample of a request that is no entry of a list, in the caller's ReadingScope. `reading`: the settings of
/// all requests, which the request completes. Throws as locate_sample() and open_sample().
[[nodiscard]] OpenedSample open_requested_sample(const WorkerRequest& request, SampleRequest reading);

/// The "id" of any JSON value; empty if it has none.
[[nodiscard]] std::string request_id(const nlohmann::json& json);

}  // namespace p2mpp
