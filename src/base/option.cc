#include "base/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace p2mpp {
namespace {

template <typename Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::optional<Eigen::Vector3d> parse_three(std::string_view text) {
  Eigen::Vector3d numbers;
  for (int i = 0; i < 3; ++i) {
    const std::size_t comma = i < 2 ? text.find(',') : text.size();
    if (comma == std::string_view::npos) return std::nullopt;
    const std::optional<double> number = parse_finite(trimmed(text.substr(0, comma)));
    if (!number) return std::nullopt;
    numbers[i] = *number;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return numbers;
}

}  // namespace

ValueCheck whole_number(long long low, long long high) {
  return {.expected = fmt::format("a whole number from {} to {}", low, high),
          .accepts = [low, high](std::string& text) {
            const auto value = parse_whole<long long>(text);
            return value && *value >= low && *value <= high;
          }};
}

ValueCheck auto_or_whole_number(long long low, long long high, long long automatic) {
  const ValueCheck whole = whole_number(low, high);
  return {.expected = "auto or " + whole.expected, .accepts = [accepts = whole.accepts, automatic](std::string& text) {
            if (text != "auto") return accepts(text);
            text = std::to_string(automatic);
            return true;
          }};
}

ValueCheck number(double low, double high) {
  return {.expected = fmt::format("a number from {:g} to {:g}", low, high), .accepts = [low, high](std::string& text) {
            const std::optional<double> value = parse_finite(text);
            return value && *value >= low && *value <= high;
          }};
}

ValueCheck three_numbers(double low, double high) {
  return {.expected = fmt::format("three numbers from {:g} to {:g}, such as 0,0,1", low, high),
          .accepts = [low, high](std::string& text) {
            const std::optional<Eigen::Vector3d> value = parse_three(text);
            return value && value->minCoeff() >= low && value->maxCoeff() <= high;
          }};
}

ValueCheck share() {
  return {.expected = "a number above 0 and up to 1", .accepts = [](std::string& text) {
            const std::optional<double> value = parse_finite(text);
            return value && *value > 0 && *value <= 1;
          }};
}

ValueCheck one_of(std::vector<std::string> words) {
  return {.expected = fmt::format("{}", fmt::join(words, ", ")),
          .accepts = [words](std::string& text) { return std::ranges::find(words, text) != words.end(); },
          .words = words};
}

ValueCheck device_name() {
  return {.expected = "auto, cpu, cuda or cuda:N", .accepts = [](std::string& text) {
            constexpr std::string_view kCudaIndex = "cuda:";
            if (text == "auto" || text == "cpu" || text == "cuda") return true;
            if (!text.starts_with(kCudaIndex)) return false;
            return parse_whole<long long>(std::string_view(text).substr(kCudaIndex.size())).value_or(-1) >= 0;
          }};
}

ValueCheck file_name() {
  return {.expected = "a path", .accepts = [](std::string& text) { return !text.empty(); }};
}

std::string describe_problem(const ValueCheck& check, std::string& text) {
  if (!check.accepts || check.accepts(text)) return {};
  return fmt::format("expected {}; got '{}'", check.expected, text);
}

std::string option_key(const Option& option, const OptionRules& rules) {
  if (rules.key != nullptr) return rules.key;
  std::string key = option.name;
  key.erase(0, key.find("--") + 2);
  std::ranges::replace(key, '-', '_');
  return key;
}

void from_text(std::string_view text, bool& value) { value = text == "true"; }
void from_text(std::string_view text, int& value) { value = parse_whole<int>(text).value(); }
void from_text(std::string_view text, std::size_t& value) { value = parse_whole<std::size_t>(text).value(); }
void from_text(std::string_view text, double& value) { value = parse_finite(text).value(); }
void from_text(std::string_view text, Eigen::Vector3d& value) { value = parse_three(text).value(); }
void from_text(std::string_view text, std::string& value) { value = text; }
void from_text(std::string_view text, std::filesystem::path& value) { value = text; }

std::string to_text(bool value) { return value ? "true" : "false"; }
std::string to_text(int value) { return std::to_string(value); }
std::string to_text(std::size_t value) { return std::to_string(value); }
std::string to_text(double value) { return fmt::format("{:g}", value); }
std::string to_text(const Eigen::Vector3d& value) {
  return fmt::format("{:g},{:g},{:g}", value.x(), value.y(), value.z());
}
std::string to_text(const std::string& value) { return value; }
std::string to_text(const std::filesystem::path& value) { return value.string(); }

}  // namespace p2mpp
