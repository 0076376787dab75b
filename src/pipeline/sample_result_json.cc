#include "pipeline/sample_result_json.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "check/sample_check.h"

namespace p2mpp {
namespace {

[[noreturn]] void refuse(const char* what) { throw nlohmann::json::other_error::create(501, what, nullptr); }

// JSON has no NaN: NaN is written as null.
double number(const nlohmann::json& json) {
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!json.is_number()) refuse("not a number");
  return json.get<double>();
}

double duration(const nlohmann::json& json) {
  const double milliseconds = number(json);
  if (milliseconds < 0) refuse("a time below 0");
  return milliseconds;
}

// The library would convert true, 1.5, -1 and what is beyond the type.
template <typename Whole>
void get_whole(const nlohmann::json& json, Whole& value) {
  const bool is_whole = json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0);
  if (!is_whole || !std::in_range<Whole>(json.get<std::uint64_t>())) refuse("not a count");
  value = static_cast<Whole>(json.get<std::uint64_t>());
}

std::vector<SampleWarning> warnings_from(const nlohmann::json& json) {
  if (!json.is_array()) refuse("not a list");
  std::vector<SampleWarning> warnings;
  for (const nlohmann::json& item : json) {
    SampleWarning& warning = warnings.emplace_back();
    item.at("code").get_to(warning.code);
    if (!item.at("view").is_null()) get_whole(item.at("view"), warning.view.emplace());
    item.at("message").get_to(warning.message);
  }
  return warnings;
}

void get_milliseconds(const nlohmann::json& json, PartTimes& times) {
  if (!json.is_array() || json.size() != times.milliseconds.size()) refuse("not a time of each part");
  for (std::size_t i = 0; i < json.size(); ++i) times.milliseconds[i] = duration(json[i]);
}

SampleStatus status_from(const std::string& name) {
  for (const SampleStatus status : {SampleStatus::kDone, SampleStatus::kNotScored, SampleStatus::kFailed}) {
    if (name == to_string(status)) return status;
  }
  refuse("unknown status");
}

nlohmann::json figures(const ShapeMetrics& metrics) {
  nlohmann::json json;
  for (const MetricField& field : kMetricFields) json[std::string(field.name)] = metrics.*field.value;
  return json;
}

ShapeMetrics metrics_from(const nlohmann::json& json) {
  ShapeMetrics metrics;
  for (const MetricField& field : kMetricFields) metrics.*field.value = number(json.at(std::string(field.name)));
  return metrics;
}

/// Reads a figure, for for_each_figure().
auto make_reader(const nlohmann::json& json) {
  return [&json]<typename Figure>(const char* name, Figure& figure) {
    const nlohmann::json& value = json.at(name);
    if constexpr (std::is_integral_v<Figure>) {
      get_whole(value, figure);
    } else if constexpr (std::is_floating_point_v<Figure>) {
      figure = number(value);
    } else {
      value.get_to(figure);
    }
  };
}

}  // namespace

nlohmann::json to_json(const SampleResult& result) {
  nlohmann::json json = {{"id", result.id},
                         {"line", result.line},
                         {"category", result.category},
                         {"status", to_string(result.status)},
                         {"reason", result.reason},
                         {"milliseconds", result.times.milliseconds},
                         {"compute_ms", result.compute_ms},
                         {"sha256", result.files}};
  if (result.fit) json["fit"] = figures_json(*result.fit);
  if (result.surface) json["surface"] = figures_json(*result.surface);
  if (!result.no_volume.empty()) json["no_volume"] = result.no_volume;
  if (result.texture) json["texture"] = figures_json(*result.texture);
  if (!result.warnings.empty()) json["warnings"] = to_json(result.warnings);
  if (result.scores) {
    json["scores"] = {{"vertices", figures(result.scores->vertices)},
                      {"surface", figures(result.scores->surface)},
                      {"coarse", figures(result.scores->coarse)}};
  }
  return json;
}

SampleResult sample_result_from(const nlohmann::json& json) {
  SampleResult result;
  json.at("id").get_to(result.id);
  get_whole(json.at("line"), result.line);
  json.at("category").get_to(result.category);
  result.status = status_from(json.at("status").get<std::string>());
  json.at("reason").get_to(result.reason);
  get_milliseconds(json.at("milliseconds"), result.times);
  result.compute_ms = duration(json.at("compute_ms"));
  json.at("sha256").get_to(result.files);
  if (json.contains("fit")) for_each_figure(result.fit.emplace(), make_reader(json.at("fit")));
  if (json.contains("surface")) for_each_figure(result.surface.emplace(), make_reader(json.at("surface")));
  if (json.contains("no_volume")) json.at("no_volume").get_to(result.no_volume);
  if (json.contains("texture")) for_each_figure(result.texture.emplace(), make_reader(json.at("texture")));
  if (json.contains("warnings")) result.warnings = warnings_from(json.at("warnings"));
  if (const auto scores = json.find("scores"); scores != json.end()) {
    result.scores = Scores{.vertices = metrics_from(scores->at("vertices")),
                           .surface = metrics_from(scores->at("surface")),
                           .coarse = metrics_from(scores->at("coarse"))};
  }
  return result;
}

}  // namespace p2mpp
