#include "cli/commands/prediction_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/support/console.h"
#include "eval/engine_facts.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPartWidth = 7;
constexpr std::size_t kTotalWidth = 9;

std::size_t width(Part part) { return std::max(kPartWidth, to_string(part).size()); }

std::string part_names() {
  std::string line;
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const Part part = static_cast<Part>(i);
    line += fmt::format(" {:>{}}", to_string(part), width(part));
  }
  return line + fmt::format(" {:>{}}\n", "total ms", kTotalWidth);
}

std::string part_figures(const PartTimes& times) {
  std::string line;
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const Part part = static_cast<Part>(i);
    line += fmt::format(" {:>{}.1f}", times[part], width(part));
  }
  return line + fmt::format(" {:>{}.1f}\n", times.total(), kTotalWidth);
}

Json to_json(const PartTimes& times) {
  Json json;
  for (std::size_t i = 0; i < kPartCount; ++i) json[to_string(static_cast<Part>(i))] = times.milliseconds[i];
  json["total"] = times.total();
  return json;
}

Json to_json(const Prediction& prediction) {
  Json json = {{"id", prediction.id}};
  for (const auto& path : prediction.files) json[path.extension().string().substr(1)] = path.string();
  json["coarse"] = Json::array();
  for (const auto& path : prediction.coarse) json["coarse"].push_back(path.string());
  json["vertices"] = prediction.vertices;
  json["faces"] = prediction.faces;
  json["milliseconds"] = to_json(prediction.times);
  json.update(to_json(prediction.pictures));
  return json;
}

}  // namespace

PredictionReport::PredictionReport(const Engine& engine, Frame frame, std::size_t sample_count, bool json)
    : json_(json) {
  document_ = {{"model", p2mpp::to_json(engine.model())},
               {"device", p2mpp::to_string(engine.device().device)},
               {"backend", engine.backend()},
               {"precision", p2mpp::to_string(engine.precision())},
               {"batch", engine.batch()},
               {"threads", engine.threads()},
               {"instruction_set", p2mpp::to_string(engine.instruction_set())},
               {"frame", p2mpp::to_string(frame)}};
  document_["samples"] = std::vector<Json>(sample_count);
}

void PredictionReport::add(std::size_t index, const Prediction& prediction) {
  if (json_) {
    document_["samples"][index] = to_json(prediction);
    return;
  }
  print(fmt::format("{}: {} vertices, {} faces\n", prediction.files.front().string(), prediction.vertices,
                    prediction.faces));
  print(picture_lines(prediction.pictures));
  if (!header_printed_) print(part_names());
  header_printed_ = true;
  print(part_figures(prediction.times));
  flush_output();
}

void PredictionReport::add_failure(std::size_t index, const std::string& id, const std::string& problem) {
  ++failed_;
  document_["samples"][index] = {{"id", id}, {"problem", problem}};
}

void PredictionReport::finish() {
  if (!json_) return;
  document_["failed"] = failed_;
  print_json(document_);
}

}  // namespace p2mpp::cli
