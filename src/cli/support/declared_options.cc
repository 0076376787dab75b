#include "cli/support/declared_options.h"

#include <algorithm>

namespace p2mpp::cli {
namespace {

bool contains_word(std::string_view words, std::string_view word) {
  const std::vector<std::string> all = CLI::detail::split(std::string(words), ' ');
  return std::ranges::find(all, word) != all.end();
}

}  // namespace

bool OptionAdder::belongs_here(const OptionRules& rules) const {
  return rules.commands.empty() || contains_word(rules.commands, command_.get_name());
}

void OptionAdder::add_flag(const Option& option, const OptionRules& rules, std::function<void()> set) {
  describe(*command_.add_flag_callback(option.name, std::move(set), option.help), option, rules, {});
}

void OptionAdder::add_value(const Option& option, const OptionRules& rules, const std::string& standard,
                            std::function<void(const std::string&)> set) {
  describe(*command_.add_option_function<std::string>(option.name, std::move(set), option.help), option, rules,
           standard);
}

void OptionAdder::add_list(const Option& option, const OptionRules& rules, const std::string& standard,
                           std::function<void(const std::vector<std::string>&)> set) {
  CLI::Option& added =
      *command_.add_option_function<std::vector<std::string>>(option.name, std::move(set), option.help);
  if (rules.count > 0) added.expected(rules.count);
  if (!rules.separate) added.delimiter(',')->allow_extra_args(false);
  describe(added, option, rules, standard);
}

void OptionAdder::describe(CLI::Option& added, const Option& option, const OptionRules& rules,
                           const std::string& standard) {
  added.required(rules.required)->configurable(rules.configurable);
  if (*option.group != '\0') added.group(option.group);  // an empty group would hide an argument
  if (rules.needs != nullptr) needs_.emplace_back(&added, rules.needs);
  if (rules.excludes != nullptr) excludes_.emplace_back(&added, rules.excludes);
  if (added.get_expected_max() == 0) return;  // a flag
  added.type_name(option.type.empty() ? CLI::detail::join(option.check.words, "|") : option.type);
  added.default_str(rules.standard == nullptr ? standard : rules.standard);
  if (!option.check.accepts) return;
  added.transform(
      CLI::Validator([check = option.check](std::string& text) { return describe_problem(check, text); }, ""));
}

void OptionAdder::link() {
  for (const auto& [option, other] : needs_) option->needs(command_.get_option(other));
  for (const auto& [option, other] : excludes_) option->excludes(command_.get_option(other));
}

}  // namespace p2mpp::cli
