#include "requests/worker_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "io/camera_rows.h"
#include "io/capture_archive.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "requests/option_request.h"
#include "results/run_options.h"

namespace p2mpp {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr auto kFilesKeys = std::to_array<const char*>({"id", "images", "cameras", "output"});
constexpr auto kFolderKeys = std::to_array<const char*>({"id", "sample", "views", "turntable", "output"});
constexpr auto kReferenceKeys = std::to_array<const char*>({"id", "sample", "views", "turntable"});
constexpr auto kUploadKeys = std::to_array<const char*>({"id", "views", "turntable", "known_distances", "printed_bar"});
constexpr auto kTurntableKeys = std::to_array<const char*>({"elevation", "clockwise", "fov"});
constexpr auto kEntryKeys = std::to_array<const char*>({"id", "entry", "line", "priority", "deadline_ms"});
constexpr int kMaxPriority = 1'000'000;
constexpr long long kMaxDeadlineMs = 24LL * 60 * 60 * 1000;

[[noreturn]] void refuse(std::string_view key, std::string_view expected) {
  throw InputError(fmt::format("\"{}\": expected {}", key, expected));
}

using RequestKeys = std::span<const char* const>;

void check_keys(const nlohmann::json& json, RequestKeys own, const std::vector<std::string>& shared = {}) {
  std::vector<std::string> known(own.begin(), own.end());
  known.insert(known.end(), shared.begin(), shared.end());
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    throw InputError(fmt::format("no key \"{}\"; expected {}", printable(key, 40), fmt::join(known, ", ")));
  }
}

std::string get_text(const nlohmann::json& json, const char* key, std::string_view expected) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) refuse(key, expected);
  auto text = found->get<std::string>();
  if (text.empty() || text.find('\0') != std::string::npos) refuse(key, expected);
  return text;
}

// A whole number from low to high, or the default where the key is missing.
long long get_whole(const nlohmann::json& json, const char* key, long long low, long long high, long long otherwise) {
  const auto found = json.find(key);
  if (found == json.end()) return otherwise;
  const bool fits = found->is_number_unsigned() ? found->get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                                                : found->is_number_integer() && found->get<std::int64_t>() <= high;
  if (!fits || found->get<std::int64_t>() < low) refuse(key, fmt::format("a whole number from {} to {}", low, high));
  return found->get<std::int64_t>();
}

CameraRow parse_camera_row(const nlohmann::json& row) {
  constexpr std::string_view kExpected = "rows of five finite numbers: azimuth, elevation, 0, distance, 0";
  if (!row.is_array() || row.size() != kCameraColumns) refuse("cameras", kExpected);
  std::array<float, kCameraColumns> numbers{};
  for (std::size_t i = 0; i < kCameraColumns; ++i) {
    if (!row[i].is_number() || !std::isfinite(row[i].get<float>())) refuse("cameras", kExpected);
    numbers[i] = row[i].get<float>();
  }
  const CameraRow camera{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
  with_prefix("\"cameras\": ", [&] { check_camera(camera); });
  return camera;
}

void parse_cameras(const nlohmann::json& json, WorkerRequest& request) {
  const auto found = json.find("cameras");
  if (found == json.end() || !found->is_array()) {
    request.cameras = get_text(json, "cameras", "a file's name, or rows of five numbers");
    return;
  }
  if (found->size() != request.images.size()) refuse("cameras", "a row for each image");
  for (const nlohmann::json& row : *found) request.camera_rows.push_back(parse_camera_row(row));
}

void parse_options(const nlohmann::json& json, bool may_name_files, WorkerRequest& request) {
  request.priority = static_cast<int>(get_whole(json, "priority", -kMaxPriority, kMaxPriority, 0));
  if (json.contains("deadline_ms"))
    request.deadline = Milliseconds(get_whole(json, "deadline_ms", 1, kMaxDeadlineMs, 1));
  RunOptions unused;
  set_requested(json, unused, may_name_files);  // refuses what is wrong
  for (const std::string& key : request_keys<RunOptions>()) {
    if (json.contains(key)) request.options[key] = json[key];
  }
}

// The keys of all requests but those for an entry of a list.
std::vector<std::string> option_keys() {
  std::vector<std::string> keys = request_keys<RunOptions>();
  keys.insert(keys.begin(), {"priority", "deadline_ms"});
  return keys;
}

void parse_files(const nlohmann::json& json, WorkerRequest& request) {
  check_keys(json, kFilesKeys, option_keys());
  const auto images = json.find("images");
  const auto expected = fmt::format("a list of {} to {} files' names", kMinViews, kMaxViews);
  if (images == json.end() || !images->is_array() || images->size() < kMinViews || images->size() > kMaxViews) {
    refuse("images", expected);
  }
  for (const nlohmann::json& image : *images) {
    if (!image.is_string() || image.get_ref<const std::string&>().empty()) refuse("images", expected);
    request.images.emplace_back(image.get<std::string>());
  }
  parse_cameras(json, request);
  // Its checks of the id and the number of images are those of `predict`.
  static_cast<void>(named_sample(request.id, request.images, request.cameras));
}

double get_number(const nlohmann::json& json, const char* key, double low, double high) {
  const auto found = json.find(key);
  const std::string expected = fmt::format("{{\"{}\": a number from {} to {}}}", key, low, high);
  if (found == json.end() || !found->is_number()) refuse("turntable", expected);
  const double value = found->get<double>();
  if (!(value >= low && value <= high)) refuse("turntable", expected);
  return value;
}

Turntable parse_turntable(const nlohmann::json& json) {
  if (!json.is_object()) refuse("turntable", R"({"elevation": degrees, "clockwise": true, "fov": degrees})");
  check_keys(json, kTurntableKeys);
  Turntable turntable;
  turntable.elevation_deg = get_number(json, "elevation", -kMaxTurntableElevationDeg, kMaxTurntableElevationDeg);
  if (json.contains("fov"))
    turntable.field_of_view_deg = get_number(json, "fov", kMinFieldOfViewDeg, kMaxFieldOfViewDeg);
  if (const auto clockwise = json.find("clockwise"); clockwise != json.end()) {
    if (!clockwise->is_boolean()) refuse("turntable", R"({"clockwise": true or false})");
    turntable.clockwise = clockwise->get<bool>();
  }
  return turntable;
}

void parse_views(const nlohmann::json& json, WorkerRequest& request) {
  if (json.contains("views")) {
    request.view_count = static_cast<std::size_t>(get_whole(json, "views", kMinViews, kMaxViews, 0));
  }
  if (const auto turntable = json.find("turntable"); turntable != json.end()) {
    request.source.is_turntable = true;
    request.source.turntable = parse_turntable(*turntable);
  }
}

constexpr std::string_view kKnownDistance = R"([["IMAGE:x,y", "IMAGE:x,y", "IMAGE:x,y", "IMAGE:x,y", "120mm"], ...])";

/// "IMAGE:x,y": a name that is no option, and pixels.
bool is_click(const std::string& word) {
  const std::size_t colon = word.rfind(':');
  const std::size_t comma = colon == std::string::npos ? colon : word.find(',', colon);
  return colon != 0 && comma != std::string::npos && word.front() != '-' &&
         parse_finite(word.substr(colon + 1, comma - colon - 1)) && parse_finite(word.substr(comma + 1));
}

void parse_sizes(const nlohmann::json& json, WorkerRequest& request) {
  if (json.contains("printed_bar")) {
    request.printed_bar = get_text(json, "printed_bar", "a length such as 98.5mm");
    if (!parse_length(request.printed_bar)) refuse("printed_bar", "a length such as 98.5mm");
  }
  const auto given = json.find("known_distances");
  if (given == json.end()) return;
  constexpr std::size_t kMost = 20;
  if (!given->is_array() || given->size() > kMost) refuse("known_distances", kKnownDistance);
  for (const nlohmann::json& words : *given) {
    std::array<std::string, 5>& distance = request.known_distances.emplace_back();
    if (!words.is_array() || words.size() != distance.size()) refuse("known_distances", kKnownDistance);
    for (std::size_t i = 0; i < distance.size(); ++i) {
      if (!words[i].is_string()) refuse("known_distances", kKnownDistance);
      distance[i] = words[i].get<std::string>();
      const bool is_right = i < 4 ? is_click(distance[i]) : parse_length(distance[i]).has_value();
      if (!is_right || distance[i].find('\0') != std::string::npos) refuse("known_distances", kKnownDistance);
    }
  }
}

void parse_folder(const nlohmann::json& json, WorkerRequest& request) {
  check_keys(json, kFolderKeys, option_keys());
  check_sample_id(request.id);
  request.sample = get_text(json, "sample", "a sample's folder or a capture");
  parse_views(json, request);
}

void parse_entry(const nlohmann::json& json, WorkerRequest& request) {
  check_keys(json, kEntryKeys);
  constexpr long long kMaxLine = 1LL << 53;  // what a double holds exactly: some JSON writers have no others
  request.line = static_cast<std::size_t>(get_whole(json, "line", 1, kMaxLine, static_cast<long long>(request.line)));
  request.entry = list_entry(get_text(json, "entry", "a list's line, CATEGORY_MODEL_00.dat"), request.line);
}

void parse_output(const nlohmann::json& json, WorkerRequest& request) {
  if (json.contains("output")) request.output = get_text(json, "output", "a folder's name");
}

nlohmann::json parse_one_object(std::string_view text) {
  try {
    return parse_json(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}; expected one object a line", error.what()));
  }
}

}  // namespace

nlohmann::json parse_request_line(std::string_view text) {
  nlohmann::json json = parse_one_object(text);
  if (!json.is_object()) throw InputError("is not a JSON object; expected {\"id\": ..., ...}");
  return json;
}

WorkerRequest parse_request(const nlohmann::json& json, std::size_t line) {
  WorkerRequest request;
  request.id = get_text(json, "id", "a text that names the sample");
  request.line = line;
  if (json.contains("entry")) {
    parse_entry(json, request);
  } else if (json.contains("sample")) {
    parse_folder(json, request);
  } else {
    parse_files(json, request);
  }
  parse_options(json, true, request);
  parse_output(json, request);
  return request;
}

WorkerRequest parse_remote_request(const nlohmann::json& json, bool has_sample) {
  check_keys(json, has_sample ? RequestKeys(kReferenceKeys) : RequestKeys(kUploadKeys), option_keys());
  WorkerRequest request;
  if (has_sample) {
    const std::string name = get_text(json, "sample", "a folder below the server's --root");
    try {
      check_name_below(name);
    } catch (const InputError& error) {
      refuse("sample", fmt::format("a folder below the server's --root; the name {}", error.what()));
    }
    request.sample = name;
  }
  if (json.contains("id")) {
    request.id = get_text(json, "id", "a text that names the sample");
    check_sample_id(request.id);
  }
  parse_views(json, request);
  parse_sizes(json, request);
  parse_options(json, false, request);
  return request;
}

OpenedSample open_requested_sample(const WorkerRequest& request, SampleRequest reading) {
  if (request.sample.empty()) {
    SamplePaths paths = named_sample(request.id, request.images, request.cameras);
    paths.rows = request.camera_rows;
    return open_sample(paths, reading);
  }
  reading.view_count = request.view_count;
  reading.capture.source = request.source;
  if (!request.readable.empty() && request.archive.empty())
    require_folder(request.sample, "a sample's folder or a capture");
  const std::filesystem::path sample =
      request.archive.empty() ? request.sample : unpack_capture_archive(request.archive, request.sample);
  SamplePaths paths = locate_sample(sample, reading);
  paths.id = request.id;
  return open_sample(paths, reading);
}

std::string request_id(const nlohmann::json& json) {
  const auto found = json.find("id");
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace p2mpp
