#include "base/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/thread_scopes.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kDeepest = 64;

/// Builds a document. nlohmann's own parser with a callback looks through all of a list after each of its objects.
template <typename Document>
class Builder : public nlohmann::json_sax<Document> {
 public:
  using Text = typename Document::string_t;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(typename Document::number_integer_t value) override { return add(value); }
  bool number_unsigned(typename Document::number_unsigned_t value) override { return add(value); }
  bool number_float(typename Document::number_float_t value, const Text& /*written*/) override { return add(value); }
  bool string(Text& value) override { return add(std::move(value)); }
  bool binary(typename Document::binary_t& value) override { return add(std::move(value)); }

  bool start_object(std::size_t /*size*/) override {
    keys_.emplace_back();
    return open(Document::object());
  }
  bool key(Text& name) override {
    end_if_stopped();
    if (!keys_.back().insert(name).second) {
      throw InputError(fmt::format("has the key \"{}\" twice in an object", printable(name, 40)));
    }
    auto& object = open_.back()->template get_ref<typename Document::object_t&>();
    if constexpr (std::is_same_v<Document, Json>) {
      place_ = &object.emplace_back(name, nullptr).second;  // its operator[] looks through all keys
    } else {
      place_ = &object[name];
    }
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t /*size*/) override { return open(Document::array()); }
  bool end_array() override {
    open_.pop_back();
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& /*token*/, const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) throw InputError("holds a number that no double can be");
    throw InputError(fmt::format("not valid JSON at byte {}", byte));
  }

  [[nodiscard]] Document take() { return std::move(root_); }

 private:
  template <typename Value>
  bool add(Value&& value) {
    static_cast<void>(put(Document(std::forward<Value>(value))));
    return true;
  }
  bool open(Document empty) {
    end_if_stopped();
    if (open_.size() >= kDeepest) throw InputError(fmt::format("nests more than {} deep", kDeepest));
    open_.push_back(put(std::move(empty)));
    return true;
  }
  /// A value in the object or list that is open.
  Document* put(Document value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_object()) return &(*place_ = std::move(value));
    open_.back()->push_back(std::move(value));
    return &open_.back()->back();
  }

  Document root_;
  std::vector<Document*> open_;              // they do not move: only the innermost one grows
  std::vector<std::set<std::string>> keys_;  // so far, of the open objects
  Document* place_ = nullptr;                // of the value that follows a key
};

template <typename Document>
Document parse(std::string_view text) {
  Builder<Document> builder;
  static_cast<void>(Document::sax_parse(text, &builder));
  return builder.take();
}

}  // namespace

std::string json_text(const Json& document) {
  return printable_json(document.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

std::string json_line(const Json& document) {
  return printable_json(document.dump(-1, ' ', false, Json::error_handler_t::replace)) + '\n';
}

std::string json_line(const nlohmann::json& document) {
  return printable_json(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) + '\n';
}

nlohmann::json parse_json(std::string_view text) { return parse<nlohmann::json>(text); }

Json parse_ordered_json(std::string_view text) { return parse<Json>(text); }

}  // namespace p2mpp
