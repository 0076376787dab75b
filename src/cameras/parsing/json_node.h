#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace p2mpp {

/// Parses a document of another program. Numbers that are not finite (NaN, Infinity), which JSON does not know and
/// Python writes, become texts, so that only the keys that are used matter. Throws InputError, "{name}: ...; expected
/// {expected}".
[[nodiscard]] nlohmann::json parse_foreign_json(std::string_view text, const std::string& name,
                                                const std::string& expected);

/// A value of a document with its place for messages. Methods throw InputError, "{where()}: ...". The document must
/// outlive it. A look for a key asks the stop token.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, std::string file) : value_(&value), file_(std::move(file)) {}

  /// A key of an object; it must exist. find(): nullopt if it is missing or null.
  [[nodiscard]] JsonNode operator[](const std::string& key) const;
  [[nodiscard]] std::optional<JsonNode> find(const std::string& key) const;

  /// Of an array. Boost's property tree, with which Meshroom writes, has "" for an empty one.
  [[nodiscard]] std::vector<JsonNode> items() const;
  [[nodiscard]] std::vector<std::pair<std::string, JsonNode>> members() const;  ///< of an object
  [[nodiscard]] double number() const;  ///< also of a text that is one: Meshroom writes "1.5"
  [[nodiscard]] double number_or(const std::string& key, double otherwise) const;
  [[nodiscard]] int side() const;  ///< pixels
  /// The numbers of an array, or of its rows one after the other.
  [[nodiscard]] std::vector<double> numbers(std::size_t count) const;
  [[nodiscard]] std::string text() const;  ///< of a text, or of a whole number
  [[nodiscard]] std::string text_or(const std::string& key, const std::string& otherwise) const;
  [[nodiscard]] bool flag() const;  ///< true or false, also of a text or number that is one: "false", 0
  [[nodiscard]] bool is_array() const { return value_->is_array(); }
  [[nodiscard]] std::string where() const;  ///< "{file}" of the document, "{file}: key[0].key" of a value in it

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  JsonNode(const nlohmann::json& value, std::string file, std::string path)
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}
  [[nodiscard]] JsonNode member(const std::string& key, const nlohmann::json& value) const;
  void append_numbers(std::vector<double>& numbers, int depth) const;

  const nlohmann::json* value_;
  std::string file_, path_;
};

}  // namespace p2mpp
