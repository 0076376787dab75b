#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/json_text.h"
#include "check/sample_check.h"
#include "cli/commands/prediction_run.h"
#include "cli/support/console.h"
#include "eval/engine_facts.h"
#include "pipeline/sample_result_json.h"

namespace p2mpp::cli {
namespace {
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

/// Which surface a mesh that was fitted has, and why; empty: do not print it.
std::string surface_line(const SampleResult& result) {
  constexpr std::size_t kMany = 100;
  if (result.surface) return "volume: " + surface_summary(*result.surface);
  std::string line = result.no_volume;
  if (const std::size_t faces = result.fit ? result.fit->intersecting_after : 0; faces >= kMany) {
    line += fmt::format("{}{} faces intersect others{}", line.empty() ? "" : "; ", faces,
                        line.empty() ? "; --surface volume makes none" : "");
  }
  return line.empty() ? line : "template: " + line;
}

Json prediction_document(const Job& job, const PipelineOptions& output, const SamplePictures& pictures) {
  const std::string& id = job.result.id;
  Json json = {{"id", id}};
  for (const MeshFormat format : output.run.meshes.formats) {
    json[p2mpp::to_string(format)] = prediction_path(output.out, id, format).string();
  }
  for (const std::filesystem::path& file : finished_paths(output.out, id, output.run.meshes.finish)) {
    json["finished"].push_back(file.string());
  }
  json["coarse"] = Json::array();
  const std::size_t levels = output.run.meshes.coarse ? job.coarse.size() : 0;
  for (std::size_t level = 1; level <= levels; ++level) {
    json["coarse"].push_back(coarse_path(output.out, id, level).string());
  }
  if (!job.result.warnings.empty()) json["warnings"] = p2mpp::to_json(job.result.warnings);
  json["vertices"] = job.meshes.back().mesh.vertices.size();
  json["faces"] = job.meshes.back().mesh.triangles.size();
  if (job.result.fit) json["fit"] = figures_json(*job.result.fit);
  if (job.result.surface) json["surface"] = figures_json(*job.result.surface);
  if (!job.result.no_volume.empty()) json["no_volume"] = job.result.no_volume;
  if (job.result.texture) json["texture"] = figures_json(*job.result.texture);
  json["milliseconds"] = to_json(job.result.times);
  json.update(to_json(pictures));
  return json;
}

}  // namespace

PredictionReport::PredictionReport(const Engine& engine, const MeshOutput& meshes, std::size_t sample_count, bool json)
    : json_(json) {
  document_ = {{"model", p2mpp::to_json(engine.model())},
               {"device", p2mpp::to_string(engine.device().device)},
               {"backend", engine.backend()},
               {"precision", p2mpp::to_string(engine.precision())},
               {"batch", engine.batch()},
               {"threads", engine.threads()},
               {"instruction_set", p2mpp::to_string(engine.instruction_set())},
               {"frame", frame_name(meshes)}};
  document_["samples"] = std::vector<Json>(sample_count);
}

void PredictionReport::add(const Job& job, const PipelineOptions& output, const SamplePictures& pictures) {
  ++done_;
  if (job.result.fit) spdlog::info("{}: fit to {}", job.result.id, fit_summary(*job.result.fit));
  if (const std::string surface = surface_line(job.result); !surface.empty()) {
    spdlog::info("{}: surface: {}", job.result.id, surface);
  }
  if (job.result.texture) spdlog::info("{}: texture: {}", job.result.id, texture_summary(*job.result.texture));
  if (json_) {
    document_["samples"][job.number] = prediction_document(job, output, pictures);
    const std::scoped_lock lock(mutex_);
    const auto capture = captures_.find(job.number);
    if (capture != captures_.end()) document_["samples"][job.number]["capture"] = capture->second;
    return;
  }
  const std::filesystem::path first = prediction_path(output.out, job.result.id, output.run.meshes.formats.front());
  print(fmt::format("{}: {} vertices, {} faces\n", first.string(), job.meshes.back().mesh.vertices.size(),
                    job.meshes.back().mesh.triangles.size()));
  for (const std::filesystem::path& file : finished_paths(output.out, job.result.id, output.run.meshes.finish)) {
    print(file.string() + "\n");
  }
  print(picture_lines(pictures));
  if (!header_printed_) print(part_names());
  header_printed_ = true;
  print(part_figures(job.result.times));
  flush_output();
}

void PredictionReport::add_capture(std::size_t number, const CaptureReport& report) {
  for (const std::string& line : capture_lines(report)) spdlog::info("{}", line);
  const std::scoped_lock lock(mutex_);
  captures_[number] = capture_json(report);
}

void PredictionReport::add_failure(std::size_t number, const std::string& id, const std::string& problem,
                                   std::span<const SampleWarning> warnings) {
  ++failed_;
  Json json = {{"id", id}, {"problem", problem}};
  if (!warnings.empty()) json["warnings"] = p2mpp::to_json(warnings);
  document_["samples"][number] = std::move(json);
}

void PredictionReport::finish() {
  if (!json_) return;
  document_["failed"] = failed_;
  print_json(document_);
}

}  // namespace p2mpp::cli
