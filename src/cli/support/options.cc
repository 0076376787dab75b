#include "cli/support/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/text.h"
#include "engine/engine_options.h"

namespace p2mpp::cli {
namespace {

std::optional<long long> parse_whole_number(const std::string& text) {
  long long value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::string expected(const std::string& what, const std::string& got) {
  return fmt::format("expected {}; got '{}'", what, got);
}

CLI::Validator true_or_false() { return one_of({"true", "false", "on", "off", "yes", "no", "1", "0"}); }

std::string environment_name(const CLI::Option& option) {
  std::string name = "P2MPP_" + option.get_lnames().front();
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  });
  return name;
}

void name_variables(CLI::App& app) {
  for (CLI::Option* option : app.get_options(std::function<bool(CLI::Option*)>())) {
    if (option->get_configurable() && !option->get_lnames().empty()) option->envname(environment_name(*option));
  }
}

void finish_values(CLI::Option& option) {
  const bool is_flag = option.get_expected_max() == 0;
  if (is_flag) option.check(true_or_false());
  if (is_flag || option.get_items_expected_max() == 1) option.multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace

CLI::Validator whole_number(long long low, long long high) {
  return {[low, high](const std::string& text) {
            const std::optional<long long> value = parse_whole_number(text);
            if (value && *value >= low && *value <= high) return std::string();
            return expected(fmt::format("a whole number from {} to {}", low, high), text);
          },
          ""};
}

CLI::Validator number(double low, double high) {
  return {[low, high](const std::string& text) {
            const std::optional<double> value = parse_finite(text);
            if (value && *value >= low && *value <= high) return std::string();
            return expected(fmt::format("a number from {:g} to {:g}", low, high), text);
          },
          ""};
}

CLI::Validator share() {
  return {[](const std::string& text) {
            const std::optional<double> value = parse_finite(text);
            if (value && *value > 0 && *value <= 1) return std::string();
            return expected("a number above 0 and up to 1", text);
          },
          ""};
}

CLI::Validator batch_size() {
  return {[](std::string& text) {
            if (text == "auto") {
              text = std::to_string(kAutoBatch);
              return std::string();
            }
            const std::optional<long long> value = parse_whole_number(text);
            if (value && *value >= 1 && *value <= kMaxBatch) return std::string();
            return expected(fmt::format("auto or a whole number from 1 to {}", kMaxBatch), text);
          },
          ""};
}

CLI::Validator view_number(std::size_t largest) {
  return {[largest](std::string& text) {
            if (text == "auto") {
              text = std::to_string(largest + 1);
              return std::string();
            }
            const std::optional<long long> value = parse_whole_number(text);
            if (value && *value >= 0 && *value <= static_cast<long long>(largest)) return std::string();
            return expected(fmt::format("auto or a whole number from 0 to {}", largest), text);
          },
          ""};
}

CLI::Validator one_of(std::vector<std::string> words) {
  return {[words = std::move(words)](const std::string& text) {
            if (std::ranges::find(words, text) != words.end()) return std::string();
            return expected(fmt::format("{}", fmt::join(words, ", ")), text);
          },
          ""};
}

CLI::Validator device_name() {
  return {[](const std::string& text) {
            constexpr std::string_view kCudaIndex = "cuda:";
            if (text == "auto" || text == "cpu" || text == "cuda") return std::string();
            if (text.starts_with(kCudaIndex) && parse_whole_number(text.substr(kCudaIndex.size())).value_or(-1) >= 0) {
              return std::string();
            }
            return expected("auto, cpu, cuda or cuda:N", text);
          },
          ""};
}

CLI::Validator file_name() {
  return {[](const std::string& text) { return text.empty() ? expected("a path", text) : std::string(); }, ""};
}

void finish_options(CLI::App& app) {
  name_variables(app);
  for (CLI::Option* option : app.get_options(std::function<bool(CLI::Option*)>())) finish_values(*option);
  for (CLI::App* command : app.get_subcommands(std::function<bool(CLI::App*)>())) {
    for (CLI::Option* option : command->get_options(std::function<bool(CLI::Option*)>())) finish_values(*option);
    // CLI11 would read the variables of all subcommands; a wrong value must not affect another subcommand.
    command->preparse_callback([command](std::size_t) { name_variables(*command); });
  }
}

const char* environment_value(const CLI::Option& option) {
  if (option.get_envname().empty()) return nullptr;
  const char* value = std::getenv(option.get_envname().c_str());
  return value != nullptr && *value != '\0' ? value : nullptr;
}

void apply_list_environment(CLI::App& app) {
  for (CLI::Option* option : app.get_options(std::function<bool(CLI::Option*)>())) {
    const char* value = environment_value(*option);
    if (value == nullptr || option->count() > 0) continue;
    option->add_result(value);
    option->run_callback();
  }
  for (CLI::App* command : app.get_subcommands()) apply_list_environment(*command);
}

const CLI::Option* find_own_option(const CLI::App& app, const std::string& long_name) {
  const auto options = app.get_options(
      [&](const CLI::Option* option) { return std::ranges::count(option->get_lnames(), long_name) > 0; });
  return options.empty() ? nullptr : options.front();
}

}  // namespace p2mpp::cli
