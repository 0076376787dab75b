#include "cli/support/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <sstream>

#include "base/input_file.h"
#include "base/option.h"
#include "base/text.h"
#include "cli/support/usage.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

CLI::Validator true_or_false() {
  const ValueCheck check = one_of({"true", "false", "on", "off", "yes", "no", "1", "0"});
  return {[check](std::string& text) { return describe_problem(check, text); }, ""};
}

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

namespace {

constexpr std::uintmax_t kMaxConfigBytes = 1 << 20;

// The fault of a file, which is read like every other input: a pipe is not waited for.
std::string check_path(const std::string& path) {
  if (path.empty()) return "expected a path";
  try {
    static_cast<void>(read_file(path, kMaxConfigBytes));
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

const char* named_in_environment() {
  const char* named = std::getenv("P2MPP_CONFIG");
  return named != nullptr && *named != '\0' ? named : nullptr;
}

class ConfigFile final : public CLI::ConfigTOML {
 public:
  explicit ConfigFile(const CLI::App& app) : app_(app) {}

  // The library's stream would end at a read error as at the file's end.
  std::vector<CLI::ConfigItem> from_config(std::istream& /*input*/) const override {
    return parse(read_file(app_.get_config_ptr()->as<std::string>(), kMaxConfigBytes));
  }

  [[nodiscard]] std::vector<CLI::ConfigItem> parse(const std::string& text) const {
    std::istringstream stream{std::string(without_byte_order_mark(text))};
    std::vector<CLI::ConfigItem> found = CLI::ConfigTOML::from_config(stream);
    std::erase_if(found, [this](const CLI::ConfigItem& item) { return is_void(item); });
    return found;
  }

 private:
  // CLI11 marks the start and end of sections with items of these names.
  static bool is_section_mark(const CLI::ConfigItem& item) { return item.name == "++" || item.name == "--"; }

  [[nodiscard]] const CLI::App* section(const CLI::ConfigItem& item) const {
    if (item.parents.empty()) return &app_;
    const auto subcommands =
        app_.get_subcommands([&](const CLI::App* command) { return command->get_name() == item.parents.front(); });
    return item.parents.size() == 1 && !subcommands.empty() ? subcommands.front() : nullptr;
  }

  // Whether an item says nothing: the environment overrides it, or it is a flag that is not set, which excludes no
  // other option. Throws ConfigError for a key that is not an option.
  [[nodiscard]] bool is_void(const CLI::ConfigItem& item) const {
    const CLI::App* owner = section(item);
    if (owner == nullptr) fail("section", CLI::detail::join(item.parents, "."), sections());
    if (is_section_mark(item)) return false;
    const CLI::Option* option = find_own_option(*owner, item.name);
    if (option == nullptr || !option->get_configurable()) fail("key", item.fullname(), known_keys(*owner, item));
    const bool is_flag = option->get_expected_max() == 0;
    return environment_value(*option) != nullptr || (is_flag && item.inputs == std::vector<std::string>{"false"});
  }

  [[nodiscard]] std::vector<std::string> sections() const {
    std::vector<std::string> names;
    for (const CLI::App* command : app_.get_subcommands(std::function<bool(const CLI::App*)>())) {
      names.push_back(command->get_name());
    }
    return names;
  }

  // Full names, including the section, in an item's form.
  static std::vector<std::string> known_keys(const CLI::App& owner, CLI::ConfigItem item) {
    std::vector<std::string> keys;
    for (const CLI::Option* option : owner.get_options()) {
      if (!option->get_configurable() || option->get_lnames().empty()) continue;
      item.name = option->get_lnames().front();
      keys.push_back(item.fullname());
    }
    return keys;
  }

  [[noreturn]] void fail(const char* what, const std::string& name, const std::vector<std::string>& known) const {
    constexpr std::size_t kMaxShownName = 60;
    throw CLI::ConfigError(fmt::format("{}: unknown {} '{}'{}", app_.get_config_ptr()->as<std::string>(), what,
                                       printable(name, kMaxShownName), did_you_mean(name, known)));
  }

  const CLI::App& app_;
};

}  // namespace

void add_config_option(CLI::App& app) {
  const char* named = named_in_environment();
  // The library opens the file, and would wait for a pipe's writer.
  const bool is_readable = named != nullptr && check_path(named).empty();
  app.set_config("--config", is_readable ? named : "", "Read options from a TOML file (see p2mpp.example.toml)",
                 named != nullptr)
      ->type_name("FILE")
      ->check(CLI::Validator(check_path, ""))
      ->trigger_on_parse()
      ->group("General");
  app.config_formatter(std::make_shared<ConfigFile>(app));
}

std::vector<CLI::ConfigItem> parse_config(const CLI::App& app, const std::string& text) {
  return ConfigFile(app).parse(text);
}

std::string describe_unreadable_config(const CLI::App& app) {
  const char* named = named_in_environment();
  const auto given = app.get_config_ptr()->as<std::string>();
  return check_path(given.empty() && named != nullptr ? named : given);
}

}  // namespace p2mpp::cli
