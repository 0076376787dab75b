#include "requests/option_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace p2mpp {
namespace {

// "ellipsoid" and "hull" of "ellipsoid|hull|FILE".
std::vector<std::string> quoted_words(std::string_view type) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    const std::string_view word = type.substr(begin, end - begin);
    if (word != "FILE") words.push_back(fmt::format("\"{}\"", word));
    begin = end + 1;
  }
  return words;
}

bool may_name_file(const Option& option) { return option.type.find("FILE") != std::string::npos; }

/// A word may stand for a number: "auto".
bool has_type(const nlohmann::json& value, ValueType type) {
  if (type == ValueType::kTruth) return value.is_boolean();
  const bool is_word = value.is_string() && !parse_finite(value.get_ref<const std::string&>());
  return type == ValueType::kNumber ? value.is_number() || is_word : value.is_string();
}

[[noreturn]] void refuse_value(const std::string& key, std::string_view expected) {
  throw InputError(fmt::format("\"{}\": expected {}", key, expected));
}

}  // namespace

void refuse_requested(const Option& option, const OptionRules& rules) {
  const std::string_view expected = rules.in_requests;
  refuse_value(option_key(option, rules), expected.empty() ? std::string_view(option.check.expected) : expected);
}

std::string requested_text(const nlohmann::json& value, const Option& option, const OptionRules& rules, ValueType type,
                           bool may_name_files) {
  if (!has_type(value, type)) refuse_requested(option, rules);
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const bool is_text = !text.empty() && text.find('\0') == std::string::npos;
  if (!is_text || (option.check.accepts && !option.check.accepts(text))) refuse_requested(option, rules);
  if (!may_name_files && may_name_file(option)) {
    const std::vector<std::string> words = quoted_words(option.type);
    if (std::ranges::count(words, fmt::format("\"{}\"", text)) == 0) {
      refuse_value(option_key(option, rules), fmt::format("{}", fmt::join(words, " or ")));
    }
  }
  return text;
}

}  // namespace p2mpp
