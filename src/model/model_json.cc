#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "base/json_text.h"
#include "model/model.h"
#include "model/network_layout.h"
#include "p2mpp/error.h"
#include "p2mpp/sample.h"

namespace p2mpp {
namespace {

constexpr int kImageSide = 224;
constexpr std::size_t kMaxLevels = 6;   // each level has four times the triangles of the one before
constexpr std::int64_t kMinLayers = 2;  // of a block of graph convolutions: the first and the last
constexpr std::int64_t kMaxSize = 1 << 24;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw InputError(fmt::format("{}: {}", path.string(), what));
}

nlohmann::json parse(const std::filesystem::path& path, std::string_view text) {
  try {
    return parse_json(text);
  } catch (const InputError& error) {
    fail(path, fmt::format("{}; expected the file that p2mpp-export wrote", error.what()));
  }
}

[[noreturn]] void fail_type(const std::filesystem::path& path, const char* key) {
  fail(path, fmt::format("\"{}\" is missing or of the wrong type", key));
}

// The value of a key as T, which is not a number. Throws InputError naming the key.
template <typename T>
T get(const std::filesystem::path& path, const nlohmann::json& object, const char* key) {
  static_assert(!std::is_arithmetic_v<T>, "the library converts 1.5 and true to 1, and 4294967297, too");
  try {
    return object.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {
    fail_type(path, key);
  }
}

std::int64_t whole_number(const std::filesystem::path& path, const nlohmann::json& value, const char* key) {
  if (!value.is_number_integer()) fail_type(path, key);
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest) {
    fail(path, fmt::format("\"{}\" holds {}; expected at most {}", key, value.dump(), kLargest));
  }
  return value.get<std::int64_t>();
}

std::vector<std::int64_t> whole_numbers(const std::filesystem::path& path, const nlohmann::json& object,
                                        const char* key) {
  std::vector<std::int64_t> numbers;
  for (const nlohmann::json& value : get<std::vector<nlohmann::json>>(path, object, key))
    numbers.push_back(whole_number(path, value, key));
  return numbers;
}

int checked_format(const std::filesystem::path& path, const nlohmann::json& json) {
  if (get<std::string>(path, json, "format") != "p2mpp-model") fail(path, "\"format\" is not \"p2mpp-model\"");
  const std::int64_t version = whole_number(path, get<nlohmann::json>(path, json, "version"), "version");
  if (version > kNewestModelFormat) {
    fail(path, fmt::format("format version {} is newer than this program; expected {}", version, kNewestModelFormat));
  }
  if (version < 1)
    fail(path, fmt::format("format version {} does not exist; expected 1 to {}", version, kNewestModelFormat));
  const std::int64_t side = whole_number(path, get<nlohmann::json>(path, json, "image_size"), "image_size");
  if (side != kImageSide) fail(path, fmt::format("\"image_size\" is {}; expected {}", side, kImageSide));
  return static_cast<int>(version);
}

Semantics parse_semantics(const std::filesystem::path& path, const std::string& text) {
  for (const Semantics semantics : {Semantics::kTf, Semantics::kDesignB, Semantics::kClean}) {
    if (text == to_string(semantics)) return semantics;
  }
  fail(path, fmt::format("\"semantics\" is \"{}\"; expected tf, design_b or clean", text));
}

std::vector<std::size_t> view_indices(const std::filesystem::path& path, const nlohmann::json& json) {
  const std::vector<std::int64_t> indices = whole_numbers(path, json, "view_indices");
  std::vector<std::size_t> result;
  for (const std::int64_t index : indices) {
    if (index < 0) fail(path, fmt::format("\"view_indices\" holds {}; expected numbers from 0", index));
    result.push_back(static_cast<std::size_t>(index));
  }
  const std::size_t different = std::set(result.begin(), result.end()).size();
  if (different < result.size() || different < kMinViews || different > kMaxViews) {
    fail(path, fmt::format("\"view_indices\" is {}; expected {} to {} different numbers",
                           json.at("view_indices").dump().substr(0, 60), kMinViews, kMaxViews));
  }
  return result;
}

float finite_number(const std::filesystem::path& path, const nlohmann::json& value, const char* key) {
  if (!value.is_number() || !std::isfinite(value.get<float>())) {
    fail(path, fmt::format("\"{}\" holds something that is not a finite number", key));
  }
  return value.get<float>();
}

void check_size(const std::filesystem::path& path, const char* key, std::int64_t size, std::int64_t least = 1) {
  if (size < least || size > kMaxSize) {
    fail(path, fmt::format("\"{}\" holds {}; expected {} to {}", key, size, least, kMaxSize));
  }
}

std::int64_t size_of(const std::filesystem::path& path, const nlohmann::json& sizes, const char* key,
                     std::int64_t least = 1) {
  const std::int64_t size = whole_number(path, get<nlohmann::json>(path, sizes, key), key);
  check_size(path, key, size, least);
  return size;
}

std::vector<std::int64_t> model_sizes(const std::filesystem::path& path, const nlohmann::json& sizes, const char* key,
                                      std::int64_t least = 1) {
  std::vector<std::int64_t> list = whole_numbers(path, sizes, key);
  for (const std::int64_t size : list) check_size(path, key, size, least);
  return list;
}

CnnSizes cnn_sizes(const std::filesystem::path& path, const nlohmann::json& sizes, const char* key,
                   std::size_t convolutions) {
  const nlohmann::json cnn = get<nlohmann::json>(path, sizes, key);
  CnnSizes result{model_sizes(path, cnn, "channels"), model_sizes(path, cnn, "kernels")};
  if (result.channels.size() != convolutions || result.kernels.size() != convolutions) {
    fail(path, fmt::format("\"{}\" has {} channels and {} kernels; expected {} each", key, result.channels.size(),
                           result.kernels.size(), convolutions));
  }
  return result;
}

// Sizes that follow from others may be left out, but must not contradict them.
void check_derived(const std::filesystem::path& path, const nlohmann::json& sizes, const char* key,
                   const std::vector<std::int64_t>& expected) {
  if (!sizes.contains(key) || model_sizes(path, sizes, key) == expected) return;
  fail(path, fmt::format("\"{}\" is {}; expected {}, as the other sizes say", key, sizes.at(key).dump().substr(0, 60),
                         nlohmann::json(expected).dump()));
}

template <std::size_t kCount>
std::vector<std::int64_t> channels_read(const CnnSizes& cnn, const std::array<std::size_t, kCount>& maps) {
  std::vector<std::int64_t> channels;
  for (const std::size_t map : maps) channels.push_back(cnn.channels[map]);
  return channels;
}

// Models that do not name them read three.
std::int64_t image_channels(const std::filesystem::path& path, const nlohmann::json& sizes, Semantics semantics) {
  constexpr const char* kKey = "image_channels";
  constexpr std::int64_t kColours{kColourChannels};
  constexpr std::int64_t kMasked{kMaskedImageChannels};
  if (!sizes.contains(kKey)) return kColours;
  const nlohmann::json& channels = sizes.at(kKey);
  if (!channels.is_number_integer() || (channels != kColours && channels != kMasked)) {
    fail(path, fmt::format("\"{}\" is {}; expected {} or {}", kKey,
                           channels.is_number() ? channels.dump() : "not a number", kColours, kMasked));
  }
  if (channels == kMasked && semantics != Semantics::kClean) {
    fail(path, fmt::format("\"{}\" is {} with the semantics {}; expected {}: only clean has a mask", kKey, kMasked,
                           to_string(semantics), kColours));
  }
  return channels.get<std::int64_t>();
}

// Models that do not name it read none.
bool mask_evidence(const std::filesystem::path& path, const nlohmann::json& sizes, std::int64_t channels) {
  constexpr const char* kKey = "stage2_mask_evidence";
  if (!sizes.contains(kKey)) return false;
  const nlohmann::json& value = sizes.at(kKey);
  if (!value.is_boolean()) fail(path, fmt::format("\"{}\" is not true or false", kKey));
  if (value.get<bool>() && channels != std::int64_t{kMaskedImageChannels}) {
    fail(path, fmt::format("\"{}\" is true with images of {} channels; expected {}: the others have no mask", kKey,
                           channels, kMaskedImageChannels));
  }
  return value.get<bool>();
}

NetworkSizes network_sizes(const std::filesystem::path& path, const nlohmann::json& json, Semantics semantics) {
  NetworkSizes sizes{.image_channels = image_channels(path, json, semantics),
                     .stage1_cnn = cnn_sizes(path, json, "stage1_cnn", kStage1Convolutions),
                     .stage2_cnn = cnn_sizes(path, json, "stage2_cnn", kStage2Convolutions),
                     .hidden = size_of(path, json, "hidden"),
                     .gcn_layers = model_sizes(path, json, "gcn_layers", kMinLayers),
                     .drb_hidden = size_of(path, json, "drb_hidden"),
                     .drb_blocks = size_of(path, json, "drb_blocks"),
                     .drb_layers = size_of(path, json, "drb_layers", kMinLayers),
                     .vertices = model_sizes(path, json, "vertices"),
                     .hypotheses = size_of(path, json, "hypotheses"),
                     .faces = json.contains("faces") ? model_sizes(path, json, "faces") : std::vector<std::int64_t>()};
  sizes.stage2_mask_evidence = mask_evidence(path, json, sizes.image_channels);
  const std::size_t levels = sizes.vertices.size();
  if (levels < 1 || levels > kMaxLevels) {
    fail(path, fmt::format("\"vertices\" names {} levels; expected 1 to {}", levels, kMaxLevels));
  }
  if (sizes.gcn_layers.size() != levels) {
    fail(path,
         fmt::format("\"gcn_layers\" names {} blocks; expected {}, one a level", sizes.gcn_layers.size(), levels));
  }
  check_derived(path, json, "stage1_channels", channels_read(sizes.stage1_cnn, kStage1Maps));
  check_derived(path, json, "stage2_channels", channels_read(sizes.stage2_cnn, kStage2Maps));
  return sizes;
}

std::array<double, 2> two_numbers(const std::filesystem::path& path, const nlohmann::json& json, const char* key) {
  const auto values = get<std::vector<nlohmann::json>>(path, json, key);
  if (values.size() != 2 || !values[0].is_number() || !values[1].is_number()) fail_type(path, key);
  return {values[0].get<double>(), values[1].get<double>()};
}

std::array<double, 2> range(const std::filesystem::path& path, const nlohmann::json& json, const char* key) {
  const std::array<double, 2> limits = two_numbers(path, json, key);
  if (!std::isfinite(limits[0]) || !std::isfinite(limits[1]) || limits[0] > limits[1]) {
    fail(path, fmt::format("\"{}\" is {}; expected the lowest and the highest value", key, json.at(key).dump()));
  }
  return limits;
}

std::array<double, 2> typical_iou(const std::filesystem::path& path, const nlohmann::json& json) {
  const std::array<double, 2> iou = two_numbers(path, json, "typical_iou");
  if (!(iou[0] > 0 && iou[0] <= 1 && iou[1] >= 0 && iou[1] <= 1)) {
    fail(path, fmt::format("\"typical_iou\" is {}; expected mean and standard deviation, of 0 to 1",
                           json.at("typical_iou").dump()));
  }
  return iou;
}

// "trained_views": {"cameras": "published" or "pinhole", "distance": [0.65, 0.9], "elevation_deg": [25, 30],
// "typical_iou": [0.87, 0.06]}, of which the last may be left out. Models that do not have it were trained on
// ShapeNet's renderings.
TrainedViews trained_views(const std::filesystem::path& path, const nlohmann::json& json) {
  if (!json.contains("trained_views")) return {};
  const nlohmann::json views = get<nlohmann::json>(path, json, "trained_views");
  const std::string cameras = get<std::string>(path, views, "cameras");
  if (cameras != "published" && cameras != "pinhole") {
    fail(path, fmt::format("\"cameras\" is \"{}\"; expected published or pinhole", cameras));
  }
  TrainedViews result{
      .cameras = cameras == "pinhole" ? TrainedViews::Cameras::kPinhole : TrainedViews::Cameras::kPublished,
      .distance = range(path, views, "distance"),
      .elevation_deg = range(path, views, "elevation_deg")};
  if (result.distance[0] <= 0) fail(path, "\"distance\" begins at 0 or below; expected positive numbers");
  if (views.contains("typical_iou")) result.typical_iou = typical_iou(path, views);
  return result;
}

// The results of p2mpp-calibrate; empty if it has not run.
std::vector<std::vector<float>> fp8_largest_inputs(const std::filesystem::path& path, const nlohmann::json& json,
                                                   const NetworkSizes& sizes) {
  constexpr const char* kKey = "fp8_largest_inputs";
  if (!json.contains(kKey)) return {};
  const auto blocks = get<std::vector<std::vector<nlohmann::json>>>(path, json, kKey);
  if (std::ssize(blocks) != sizes.drb_blocks) {
    fail(path, fmt::format("\"{}\" has {} blocks; expected {}", kKey, blocks.size(), sizes.drb_blocks));
  }
  std::vector<std::vector<float>> result;
  for (const std::vector<nlohmann::json>& layers : blocks) {
    if (std::ssize(layers) != sizes.drb_layers) {
      fail(path, fmt::format("\"{}\" has a block of {} layers; expected {}", kKey, layers.size(), sizes.drb_layers));
    }
    std::vector<float>& block = result.emplace_back();
    for (const nlohmann::json& layer : layers) {
      block.push_back(finite_number(path, layer, kKey));
      if (block.back() <= 0) fail(path, fmt::format("\"{}\" holds {}; expected numbers above 0", kKey, layer.dump()));
    }
  }
  return result;
}

// The rows of a matrix, each of `columns` values.
const nlohmann::json& checked_rows(const std::filesystem::path& path, const nlohmann::json& json, const char* key,
                                   std::size_t columns) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_array() || it->empty()) fail(path, fmt::format("\"{}\" is missing or empty", key));
  for (const nlohmann::json& row : *it) {
    if (!row.is_array() || row.size() != columns) {
      fail(path, fmt::format("\"{}\" has a row that is not {} numbers long", key, columns));
    }
  }
  return *it;
}

}  // namespace

ModelInfo parse_model_json(const std::filesystem::path& path, std::string_view text) {
  const nlohmann::json json = parse(path, text);
  if (!json.is_object()) fail(path, "not a JSON object; expected the file that p2mpp-export wrote");
  ModelInfo info;
  info.format_version = checked_format(path, json);
  info.name = get<std::string>(path, json, "name");
  info.semantics = parse_semantics(path, get<std::string>(path, json, "semantics"));
  info.weights_from = get<std::string>(path, json, "weights_from");
  info.view_indices = view_indices(path, json);
  info.trained_views = trained_views(path, json);
  info.folder = path.parent_path();
  info.sizes = network_sizes(path, get<nlohmann::json>(path, json, "sizes"), info.semantics);
  info.fp8_largest_inputs = fp8_largest_inputs(path, json, info.sizes);
  for (const auto& [file, facts] : get<std::map<std::string, nlohmann::json>>(path, json, "files")) {
    info.sha256[file] = get<std::string>(path, facts, "sha256");
  }
  return info;
}

LocalGraph parse_local_graph(const std::filesystem::path& path, std::string_view text) {
  const nlohmann::json json = parse(path, text);
  LocalGraph graph;
  for (const nlohmann::json& row : checked_rows(path, json, "hypotheses", 3)) {
    graph.hypotheses.emplace_back(finite_number(path, row[0], "hypotheses"), finite_number(path, row[1], "hypotheses"),
                                  finite_number(path, row[2], "hypotheses"));
  }
  const std::size_t count = graph.hypotheses.size();
  const nlohmann::json& rows = checked_rows(path, json, "support", count);
  if (rows.size() != count) fail(path, fmt::format("\"support\" has {} rows; expected {}", rows.size(), count));
  graph.support.resize(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      graph.support(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          finite_number(path, rows[i][j], "support");
    }
  }
  return graph;
}

}  // namespace p2mpp
