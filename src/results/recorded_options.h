#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json_text.h"
#include "base/option.h"
#include "results/prediction_files.h"

// Options in summary.json and in the identity of a run.
namespace p2mpp {

/// A value as JSON: a number, a truth value, a list or a text.
template <typename Value>
[[nodiscard]] Json recorded_value(const Value& value) {
  if constexpr (std::is_arithmetic_v<Value>) return value;
  return to_text(value);
}
template <typename Value>
[[nodiscard]] Json recorded_value(const std::vector<Value>& values) {
  auto json = Json::array();
  for (const Value& value : values) json.push_back(recorded_value(value));
  return json;
}
/// The formats in a fixed order, because the order that they were given in changes no file.
[[nodiscard]] inline Json recorded_value(const std::vector<MeshFormat>& formats) { return format_names(formats); }

/// All recorded options of a struct, for summary.json: key to value, null if an option has no effect.
template <typename Options>
[[nodiscard]] Json option_settings(Options options) {
  auto json = Json::object();
  options.visit_options([&json](const auto& field, const Option& option, const OptionRules& rules = {}) {
    if (rules.recorded == Recorded::kNo) return;
    auto& value = json[option_key(option, rules)];
    if (!rules.has_effect) return;
    value = recorded_value(field);
    if (!rules.recorded_as.empty()) value = rules.recorded_as;
  });
  return json;
}

/// The options that the bytes of results depend on. Two runs are parts of one run if these are equal.
template <typename Options>
[[nodiscard]] Json option_identity(Options options) {
  auto identity = option_settings(options);
  const auto standard = option_settings(Options());
  options.visit_options([&](const auto&, const Option& option, const OptionRules& rules = {}) {
    const std::string key = option_key(option, rules);
    const bool is_left_out = rules.recorded == Recorded::kUnlessDefault && identity[key] == standard[key];
    if (rules.recorded != Recorded::kNo && (is_left_out || !rules.has_effect)) identity.erase(key);
  });
  return identity;
}

}  // namespace p2mpp
