#include "eval/batch_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace p2mpp {

nlohmann::ordered_json to_json(const BatchChoice& choice) {
  nlohmann::ordered_json json = {{"mode", choice.is_measured() ? "auto" : "given"}, {"chosen", choice.batch}};
  if (!choice.is_measured()) return json;
  json["reason"] = choice.reason;
  json["trials"] = nlohmann::ordered_json::array();
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
