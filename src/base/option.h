#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The declaration of options. A struct of options has a member template visit_options(visit), which calls
// visit(field, Option, OptionRules) once for each of its options. Visitors make the command line, its help and
// completion, the configuration file, the keys of requests, the identity of a run and summary.json from these calls.
namespace p2mpp {

/// What the text of a value must be. The default accepts every text.
struct ValueCheck {
  std::string expected = {};                       ///< completes "expected": "a whole number from 1 to 9"
  std::function<bool(std::string&)> accepts = {};  ///< may replace the text, such as "auto" by a number
  std::vector<std::string> words = {};             ///< the values, if they are words
};

/// A whole number from low to high.
[[nodiscard]] ValueCheck whole_number(long long low, long long high);
/// The same, or "auto", which becomes the number `automatic`.
[[nodiscard]] ValueCheck auto_or_whole_number(long long low, long long high, long long automatic);
/// A finite number from low to high.
[[nodiscard]] ValueCheck number(double low, double high);
/// Three finite numbers from low to high, separated by commas.
[[nodiscard]] ValueCheck three_numbers(double low, double high);
/// A number above 0 and up to 1.
[[nodiscard]] ValueCheck share();
/// One of these words.
[[nodiscard]] ValueCheck one_of(std::vector<std::string> words);
/// auto, cpu, cuda or cuda:N.
[[nodiscard]] ValueCheck device_name();
/// Any text that is not empty.
[[nodiscard]] ValueCheck file_name();

/// Why a text is not a value, "expected ...; got 'x'"; empty if it is one. The check may then have replaced it.
[[nodiscard]] std::string describe_problem(const ValueCheck& check, std::string& text);

/// Whether an option is part of a run's identity. The settings in summary.json have every option that may be.
enum class Recorded {
  kNo,
  kAlways,
  kUnlessDefault,  ///< left out of the identity if it has the value of a default-constructed struct
};

template <typename Field>
inline constexpr bool is_list = false;
template <typename Value>
inline constexpr bool is_list<std::vector<Value>> = true;

/// An option. A field of type bool makes a flag, and a vector a list, whose values commas separate.
struct Option {
  const char* name;  ///< "--fit-steps" or "-o,--out"; without dashes an argument: "SAMPLE"
  const char* help;
  std::string type = {};   ///< stands for the value in help, such as "N"; empty: the check's words
  ValueCheck check = {};   ///< of the value, or of each value of a list
  const char* group = "";  ///< the heading in help
};

/// What is special about an option.
struct OptionRules {
  const char* sets = nullptr;      ///< makes a flag: the text that it sets the field from; nullptr: "true", for a bool
  const char* standard = nullptr;  ///< what help calls the default; nullptr: the field's value
  bool required = false;
  bool configurable = true;        ///< configuration files and the environment may have it
  int count = 0;                   ///< of a list's values; 0: any number
  bool separate = false;           ///< a list's values are words of their own, without commas
  const char* needs = nullptr;     ///< another option that must be given, too
  const char* excludes = nullptr;  ///< another option that must not be given
  std::string_view commands = {};  ///< which of the struct's commands have it, separated by blanks; empty: all
  Recorded recorded = Recorded::kNo;
  const char* key = nullptr;     ///< in records and requests; nullptr: fit_steps for --fit-steps
  bool has_effect = true;        ///< false if other options make it void: it is then null in summary.json
  std::string recorded_as = {};  ///< its value in records; empty: the field's
  /// What a request to `worker` or `serve` may set it to, for its error message; "": as the check says; nullptr:
  /// nothing.
  const char* in_requests = nullptr;
};

/// A visitor that sets the group of each option and passes it on.
template <typename Visit>
[[nodiscard]] auto in_group(const char* group, Visit& visit) {
  return [group, &visit](auto& field, Option option, const OptionRules& rules = {}) {
    option.group = group;
    visit(field, option, rules);
  };
}

/// The key of an option in records and requests.
[[nodiscard]] std::string option_key(const Option& option, const OptionRules& rules);

/// Sets a value from a text that the option's check has accepted. Types of other headers have a function of this name.
void from_text(std::string_view text, bool& value);
void from_text(std::string_view text, int& value);
void from_text(std::string_view text, std::size_t& value);
void from_text(std::string_view text, double& value);
void from_text(std::string_view text, Eigen::Vector3d& value);
void from_text(std::string_view text, std::string& value);
void from_text(std::string_view text, std::filesystem::path& value);
template <typename Value>
void from_text(std::string_view text, std::optional<Value>& value) {
  from_text(text, value.emplace());
}

/// The text of a value; empty if there is none. Types of other headers have to_string().
[[nodiscard]] std::string to_text(bool value);
[[nodiscard]] std::string to_text(int value);
[[nodiscard]] std::string to_text(std::size_t value);
[[nodiscard]] std::string to_text(double value);
[[nodiscard]] std::string to_text(const Eigen::Vector3d& value);
[[nodiscard]] std::string to_text(const std::string& value);
[[nodiscard]] std::string to_text(const std::filesystem::path& value);
template <typename Value>
requires requires(const Value& value) { to_string(value); }
[[nodiscard]] std::string to_text(const Value& value) { return std::string(to_string(value)); }
template <typename Value>
[[nodiscard]] std::string to_text(const std::optional<Value>& value) {
  return value ? to_text(*value) : std::string();
}
template <typename Value>
[[nodiscard]] std::string to_text(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ",") + to_text(value);
  return text;
}

}  // namespace p2mpp
