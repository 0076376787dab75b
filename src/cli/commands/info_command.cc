#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/environment.h"
#include "base/json_text.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/settings.h"
#include "engine/engine_options.h"
#include "eval/engine_facts.h"
#include "model/model.h"
#include "p2mpp/engine.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {
// The model that a command would use, or why there is none.
struct ModelReport {
  std::optional<ModelInfo> info;
  std::string problem;
};

// A model that the user named must exist; the default one need not.
ModelReport report_model(const Settings& settings) {
  if (!settings.engine.model.empty()) return {read_model_info(settings.engine.model), {}};
  try {
    return {read_model_info(default_model_folder()), {}};
  } catch (const InputError& error) {
    return {std::nullopt, error.what()};
  }
}

Json to_json(const ModelReport& report) {
  if (!report.info) return {{"problem", report.problem}};
  Json json = p2mpp::to_json(*report.info);
  json["image_channels"] = report.info->sizes.image_channels;
  json["stage2_mask_evidence"] = report.info->sizes.stage2_mask_evidence;
  json["vertices"] = report.info->sizes.vertices;
  json["hypotheses"] = report.info->sizes.hypotheses;
  return json;
}

void print_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  for (const auto& [name, value] : facts) print(fmt::format("{:<17} {}\n", name, value));
}

std::vector<std::pair<std::string, std::string>> model_facts(const ModelReport& report) {
  if (!report.info) return {{"model", report.problem}};
  const ModelInfo& info = *report.info;
  return {{"model", info.name},
          {"folder", info.folder.string()},
          {"semantics", std::string(to_string(info.semantics))},
          {"weights_from", info.weights_from},
          {"views", fmt::format("{}", fmt::join(info.view_indices, ", "))},
          {"images", fmt::format("blue, green, red{}{}", info.sizes.image_channels == 3 ? "" : ", the object's mask",
                                 info.sizes.stage2_mask_evidence ? "; stage 2 reads distances to it" : "")},
          {"vertices", fmt::format("{}", fmt::join(info.sizes.vertices, ", "))},
          {"hypotheses", std::to_string(info.sizes.hypotheses)}};
}

void run_info(const Settings& settings) {
  const ModelReport model = report_model(settings);
  const DeviceChoice choice = choose_computing_device(settings.engine.device);
  const Environment environment = describe_environment(Engine::libtorch_version());
  if (settings.json) {
    Json document = {{"environment", p2mpp::to_json(environment)},
                     {"device", p2mpp::to_string(choice.device)},
                     {"device_note", choice.note}};
    document["backends"] = std::vector<std::string>(backend_names().begin(), backend_names().end());
    document["model"] = to_json(model);
    print_json(document);
    return;
  }
  print_facts(environment_facts(environment));
  print_facts(
      {{"device", p2mpp::to_string(choice.device)}, {"backends", fmt::format("{}", fmt::join(backend_names(), ", "))}});
  print_facts(model_facts(model));
}

}  // namespace

void add_info_command(CLI::App& app, const Settings& settings, ExitCode& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("info", "Describe this program, machine and model");
  command->footer(R"(Examples:
  p2mpp info
  p2mpp info --model models/p2mpp-shapes --json)");
  command->callback([&settings] { run_info(settings); });
}

}  // namespace p2mpp::cli
