#include "cameras/parsing/json_node.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json_text.h"
#include "base/text.h"
#include "base/thread_scopes.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// The text with quotes around NaN and Infinity outside of texts.
std::string with_quoted_words(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 64);
  bool in_text = false;
  for (std::size_t at = 0; at < text.size();) {
    if (in_text && text[at] == '\\' && at + 1 < text.size()) {
      result += text.substr(at, 2);
      at += 2;
      continue;
    }
    if (text[at] == '"') in_text = !in_text;
    std::size_t length = 0;
    for (const std::string_view word : {"NaN", "nan", "-NaN", "-nan", "Infinity", "-Infinity", "inf", "-inf"}) {
      if (!in_text && text.substr(at).starts_with(word)) length = std::max(length, word.size());
    }
    if (length == 0) {
      result += text[at++];
    } else {
      result += '"' + std::string(text.substr(at, length)) + '"';
      at += length;
    }
  }
  return result;
}

}  // namespace

nlohmann::json parse_foreign_json(std::string_view text, const std::string& name, const std::string& expected) {
  const auto refuse = [&](const InputError& error) {
    throw InputError(fmt::format("{}: {}; expected {}", name, error.what(), expected));
  };
  try {
    return parse_json(text);
  } catch (const InputError& error) {
    const std::string quoted = with_quoted_words(text);
    if (quoted == text) refuse(error);
    try {
      return parse_json(quoted);
    } catch (const InputError&) {
      refuse(error);
    }
  }
  return {};
}

std::string JsonNode::where() const { return path_.empty() ? file_ : fmt::format("{}: {}", file_, path_); }

void JsonNode::refuse(const std::string& what) const { throw InputError(fmt::format("{}: {}", where(), what)); }

JsonNode JsonNode::member(const std::string& key, const nlohmann::json& value) const {
  return {value, file_, path_ + (path_.empty() ? "" : ".") + printable(key, 80)};
}

std::optional<JsonNode> JsonNode::find(const std::string& key) const {
  end_if_stopped();
  if (!value_->is_object()) refuse(fmt::format("is {}; expected an object", value_->type_name()));
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return member(key, *found);
}

JsonNode JsonNode::operator[](const std::string& key) const {
  std::optional<JsonNode> found = find(key);
  if (!found) refuse(fmt::format("has no \"{}\"; expected one", key));
  return *std::move(found);
}

std::vector<JsonNode> JsonNode::items() const {
  if (value_->is_string() && value_->get_ref<const std::string&>().empty()) return {};
  if (!value_->is_array()) refuse(fmt::format("is {}; expected a list", value_->type_name()));
  std::vector<JsonNode> nodes;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    nodes.push_back(JsonNode((*value_)[i], file_, fmt::format("{}[{}]", path_, i)));
  }
  return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (!value_->is_object()) refuse(fmt::format("is {}; expected an object", value_->type_name()));
  std::vector<std::pair<std::string, JsonNode>> nodes;
  for (const auto& [key, value] : value_->items()) nodes.emplace_back(key, member(key, value));
  return nodes;
}

double JsonNode::number() const {
  std::optional<double> value;
  if (value_->is_number() && std::isfinite(value_->get<double>())) value = value_->get<double>();
  if (value_->is_string()) value = parse_finite(value_->get_ref<const std::string&>());
  if (!value)
    refuse(fmt::format("is {}; expected a finite number",
                       printable(value_->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace), 40)));
  return *value;
}

double JsonNode::number_or(const std::string& key, double otherwise) const {
  const std::optional<JsonNode> found = find(key);
  return found ? found->number() : otherwise;
}

int JsonNode::side() const {
  const double value = number();
  if (!(value >= 1 && value <= 1e6 && value == std::floor(value))) {
    refuse(fmt::format("is {}; expected a whole number of pixels", value));
  }
  return static_cast<int>(value);
}

bool JsonNode::flag() const {
  const std::string written = value_->is_string() ? value_->get<std::string>() : value_->dump();
  if (written == "true" || written == "1") return true;
  if (written != "false" && written != "0") {
    refuse(fmt::format("is '{}'; expected true or false", printable(written, 40)));
  }
  return false;
}

void JsonNode::append_numbers(std::vector<double>& numbers, int depth) const {
  for (const JsonNode& item : items()) {
    if (item.is_array() && depth > 0) {
      item.append_numbers(numbers, depth - 1);
    } else {
      numbers.push_back(item.number());
    }
  }
}

std::vector<double> JsonNode::numbers(std::size_t count) const {
  std::vector<double> numbers;
  append_numbers(numbers, 2);
  if (numbers.size() != count) refuse(fmt::format("has {} numbers; expected {}", numbers.size(), count));
  return numbers;
}

std::string JsonNode::text() const {
  if (value_->is_number_integer()) return value_->dump();
  if (!value_->is_string()) refuse(fmt::format("is {}; expected a text", value_->type_name()));
  auto text = value_->get<std::string>();
  if (text.find('\0') != std::string::npos) refuse("has a NUL in it");
  return text;
}

std::string JsonNode::text_or(const std::string& key, const std::string& otherwise) const {
  const std::optional<JsonNode> found = find(key);
  return found ? found->text() : otherwise;
}

}  // namespace p2mpp
