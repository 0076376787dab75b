#include "eval/engine_facts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "base/json_text.h"

namespace p2mpp {

Json to_json(const ModelInfo& model) {
  return {{"name", model.name},
          {"semantics", to_string(model.semantics)},
          {"weights_from", model.weights_from},
          {"views", model.view_indices},
          {"folder", model.folder.string()}};
}

std::string mesh_comment(const ModelInfo& model) {
  return fmt::format("p2mpp {}, model {} ({})", p2mpp_version(), model.name, to_string(model.semantics));
}

Json to_json(const BatchChoice& choice) {
  Json json = {{"mode", choice.is_measured() ? "auto" : "given"}, {"chosen", choice.batch}};
  if (!choice.is_measured()) return json;
  json["reason"] = choice.reason;
  json["trials"] = Json::array();
  for (const BatchTrial& trial : choice.trials) {
    json["trials"].push_back({{"batch", trial.batch},
                              {"samples_per_second", trial.samples_per_second},
                              {"memory_bytes", trial.memory_bytes}});
  }
  return json;
}

std::string describe(const BatchChoice& choice) {
  return choice.is_measured() ? fmt::format("{} (measured; {})", choice.batch, choice.reason)
                              : fmt::format("{}", choice.batch);
}

}  // namespace p2mpp
