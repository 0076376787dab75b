#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/option.h"

namespace p2mpp::cli {

/// Adds each declared option to a command: a visitor for visit_options(). Options that name another one must be
/// followed by link().
class OptionAdder {
 public:
  explicit OptionAdder(CLI::App& command) : command_(command) {}

  template <typename Field>
  void operator()(Field& field, const Option& option, const OptionRules& rules = {}) {
    using p2mpp::from_text, p2mpp::to_text;
    if (!belongs_here(rules)) return;
    if constexpr (is_list<Field>) {
      add_list(option, rules, to_text(field), [&field](const std::vector<std::string>& texts) {
        Field values;
        for (const std::string& text : texts) from_text(text, values.emplace_back());
        field = std::move(values);
      });
    } else if (std::is_same_v<Field, bool> || rules.sets != nullptr) {
      const std::string text = rules.sets == nullptr ? "true" : rules.sets;
      add_flag(option, rules, [&field, text] { from_text(text, field); });
    } else {
      add_value(option, rules, standard_value(field), [&field](const std::string& text) { from_text(text, field); });
    }
  }

  /// Connects options with those that they need or exclude.
  void link();

 private:
  // A flag's field may have a type that has no text.
  template <typename Field>
  static std::string standard_value(const Field& field) {
    using p2mpp::to_text;
    if constexpr (requires { to_text(field); }) return to_text(field);
    return {};
  }

  [[nodiscard]] bool belongs_here(const OptionRules& rules) const;
  void add_flag(const Option& option, const OptionRules& rules, std::function<void()> set);
  void add_value(const Option& option, const OptionRules& rules, const std::string& standard,
                 std::function<void(const std::string&)> set);
  void add_list(const Option& option, const OptionRules& rules, const std::string& standard,
                std::function<void(const std::vector<std::string>&)> set);
  void describe(CLI::Option& added, const Option& option, const OptionRules& rules, const std::string& standard);

  CLI::App& command_;
  std::vector<std::pair<CLI::Option*, const char*>> needs_, excludes_;
};

/// Adds the options that a struct declares. It must live as long as the command.
template <typename Options>
void add_options(CLI::App& command, Options& options) {
  OptionAdder adder(command);
  options.visit_options(adder);
  adder.link();
}

}  // namespace p2mpp::cli
