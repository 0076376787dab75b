#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "base/option.h"
#include "p2mpp/error.h"

// Options in the requests to `worker` and `serve`: {"fit_steps": 3}.
namespace p2mpp {

enum class ValueType { kText, kNumber, kTruth };

/// The text of a requested value. Throws InputError, `"fit_steps": expected ...`, if the option's check refuses it or
/// it is of another type, or if it names a file without `may_name_files`.
[[nodiscard]] std::string requested_text(const nlohmann::json& value, const Option& option, const OptionRules& rules,
                                         ValueType type, bool may_name_files);
[[noreturn]] void refuse_requested(const Option& option, const OptionRules& rules);

/// The keys that a request may contain.
template <typename Options>
[[nodiscard]] std::vector<std::string> request_keys() {
  std::vector<std::string> keys;
  Options().visit_options([&keys](const auto&, const Option& option, const OptionRules& rules = {}) {
    if (rules.in_requests != nullptr) keys.push_back(option_key(option, rules));
  });
  return keys;
}

/// Sets the options that a request contains, none of which is a list. Throws as requested_text().
template <typename Options>
void set_requested(const nlohmann::json& request, Options& options, bool may_name_files = true) {
  options.visit_options([&]<typename Field>(Field& field, const Option& option, const OptionRules& rules = {}) {
    if constexpr (!is_list<Field>) {
      const auto found = rules.in_requests == nullptr ? request.end() : request.find(option_key(option, rules));
      if (found == request.end()) return;
      constexpr ValueType kType = std::is_same_v<Field, bool>   ? ValueType::kTruth
                                  : std::is_arithmetic_v<Field> ? ValueType::kNumber
                                                                : ValueType::kText;
      const std::string text = requested_text(*found, option, rules, kType, may_name_files);
      try {
        from_text(text, field);
      } catch (const UsageError&) {
        refuse_requested(option, rules);
      }
    }
  });
}

}  // namespace p2mpp
