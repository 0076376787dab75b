#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "engine/engine_options.h"
#include "p2mpp/error.h"
#include "python/bindings.h"
#include "requests/option_request.h"

namespace nb = nanobind;

namespace p2mpp::python {
namespace {

/// Name, default and help.
using Keyword = std::tuple<std::string, nb::object, std::string>;

[[noreturn]] void refuse_keyword(const Option& option, const OptionRules& rules, nb::handle value) {
  throw UsageError(fmt::format("{} {}: expected {}", option_key(option, rules), nb::repr(value).c_str(),
                               option.check.expected.empty() ? "a text" : option.check.expected));
}

void check_names(const nb::dict& keywords, const std::vector<std::string>& known) {
  for (const auto& [key, value] : keywords) {
    const auto name = nb::cast<std::string>(key);
    if (std::ranges::find(known, name) != known.end()) continue;
    throw UsageError(fmt::format("no option {:?}; expected {}", name, fmt::join(known, ", ")));
  }
}

template <typename Field>
nb::object python_value(const Field& field) {
  using p2mpp::to_text;
  if constexpr (std::is_arithmetic_v<Field>) return nb::cast(field);
  return nb::cast(to_text(field));
}

/// null: a value that is neither a number nor a text.
nlohmann::json to_json_value(nb::handle value) {
  if (PyBool_Check(value.ptr())) return nb::cast<bool>(value);
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  if (PyFloat_Check(value.ptr())) return nb::cast<double>(value);
  long long whole = 0;
  if (PyIndex_Check(value.ptr()) && nb::try_cast(nb::module_::import_("operator").attr("index")(value), whole)) {
    return whole;
  }
  if (!nb::hasattr(value, "__fspath__")) return nullptr;
  return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(value));
}

std::vector<Keyword> engine_keywords() {
  std::vector<Keyword> keywords;
  EngineOptions options;
  visit_engine_options(options, [&](const auto& field, const Option& option) {
    keywords.emplace_back(option_key(option, {}), python_value(field), option.help);
  });
  return keywords;
}

std::vector<Keyword> run_keywords() {
  std::vector<Keyword> keywords;
  automatic_run_options().visit_options([&]<typename Field>(const Field& field, const Option& option,
                                                            const OptionRules& rules = {}) {
    if constexpr (!is_list<Field>) {
      if (rules.in_requests == nullptr) return;
      const bool is_auto = rules.standard != nullptr && std::string_view(rules.standard) == "auto";
      keywords.emplace_back(option_key(option, rules), is_auto ? nb::cast("auto") : python_value(field), option.help);
    }
  });
  return keywords;
}

}  // namespace

EngineOptions to_engine_options(const nb::dict& keywords) {
  EngineOptions options;
  std::vector<std::string> known;
  visit_engine_options(options, [&]<typename Field>(Field& field, const Option& option) {
    const std::string& key = known.emplace_back(option_key(option, {}));
    if (!keywords.contains(key.c_str())) return;
    const nb::object value(keywords[key.c_str()]);
    if (!nb::try_cast(value, field)) refuse_keyword(option, {}, value);
  });
  check_names(keywords, known);
  return options;
}

RunOptions to_run_options(const nb::dict& keywords) {
  check_names(keywords, request_keys<RunOptions>());
  auto json = nlohmann::json::object();
  for (const auto& [key, value] : keywords) json[nb::cast<std::string>(key)] = to_json_value(value);
  RunOptions options = automatic_run_options();
  try {
    set_requested(json, options);
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
  return options;
}

void bind_keywords(nb::module_& module) {
  module.def("engine_keywords", &engine_keywords, "Name, default and help of the options of Engine().");
  module.def(
      "run_keywords", &run_keywords,
      "Name, default and help of the options of Engine.reconstruct(), Engine.stream() and Engine.read_sample().");
}

}  // namespace p2mpp::python
