#include "io/sample_warning_json.h"

#include <nlohmann/json.hpp>

namespace p2mpp {

nlohmann::ordered_json to_json(std::span<const SampleWarning> warnings) {
  using Json = nlohmann::ordered_json;
  Json json = Json::array();
  for (const SampleWarning& warning : warnings) {
    json.push_back({{"code", warning.code},
                    {"view", warning.view ? Json(*warning.view) : Json(nullptr)},
                    {"message", warning.message}});
  }
  return json;
}

}  // namespace p2mpp
