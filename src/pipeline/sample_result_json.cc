#include "pipeline/sample_result_json.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace p2mpp {
namespace {

// JSON has no NaN: NaN is written as null.
double number(const nlohmann::json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

SampleStatus status_from(const std::string& name) {
  for (const SampleStatus status : {SampleStatus::kDone, SampleStatus::kNotScored, SampleStatus::kFailed}) {
    if (name == to_string(status)) return status;
  }
  throw nlohmann::json::other_error::create(501, "unknown status", nullptr);
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

FitFigures fit_from(const nlohmann::json& json) {
  FitFigures fit;
  json.at("masks").get_to(fit.masks);
  json.at("used").get_to(fit.used);
  json.at("iou_before").get_to(fit.iou_before);
  json.at("iou_after").get_to(fit.iou_after);
  json.at("mask_correction").get_to(fit.mask_correction);
  json.at("steps").get_to(fit.steps);
  json.at("intersecting_before").get_to(fit.intersecting_before);
  json.at("intersecting_after").get_to(fit.intersecting_after);
  json.at("milliseconds").get_to(fit.milliseconds);
  json.at("note").get_to(fit.note);
  return fit;
}

}  // namespace

nlohmann::json to_json(const FitFigures& fit) {
  return {{"masks", fit.masks},
          {"used", fit.used},
          {"iou_before", fit.iou_before},
          {"iou_after", fit.iou_after},
          {"mask_correction", fit.mask_correction},
          {"steps", fit.steps},
          {"intersecting_before", fit.intersecting_before},
          {"intersecting_after", fit.intersecting_after},
          {"milliseconds", fit.milliseconds},
          {"note", fit.note}};
}

nlohmann::json to_json(const SampleResult& result) {
  nlohmann::json json = {{"id", result.id},
                         {"line", result.line},
                         {"category", result.category},
                         {"status", to_string(result.status)},
                         {"reason", result.reason},
                         {"milliseconds", result.times.milliseconds},
                         {"compute_ms", result.compute_ms},
                         {"sha256", result.files}};
  if (result.fit) json["fit"] = to_json(*result.fit);
  if (!result.warnings.empty()) json["warnings"] = result.warnings;
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
  json.at("line").get_to(result.line);
  json.at("category").get_to(result.category);
  result.status = status_from(json.at("status").get<std::string>());
  json.at("reason").get_to(result.reason);
  json.at("milliseconds").get_to(result.times.milliseconds);
  json.at("compute_ms").get_to(result.compute_ms);
  json.at("sha256").get_to(result.files);
  if (const auto fit = json.find("fit"); fit != json.end()) result.fit = fit_from(*fit);
  if (json.contains("warnings")) json.at("warnings").get_to(result.warnings);
  if (const auto scores = json.find("scores"); scores != json.end()) {
    result.scores = Scores{.vertices = metrics_from(scores->at("vertices")),
                           .surface = metrics_from(scores->at("surface")),
                           .coarse = metrics_from(scores->at("coarse"))};
  }
  return result;
}

}  // namespace p2mpp
