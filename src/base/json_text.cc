#include "base/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kDeepest = 64;

template <typename Json>
Json parse(std::string_view text) {
  std::vector<std::set<std::string>> objects;  // the keys so far of those that enclose the parser's place
  const auto check = [&](int depth, typename Json::parse_event_t event, Json& value) {
    const bool begins = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (begins && depth >= kDeepest) throw InputError(fmt::format("nests more than {} deep", kDeepest));
    if (event == Json::parse_event_t::object_start) objects.emplace_back();
    if (event == Json::parse_event_t::object_end) objects.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = value.template get_ref<const std::string&>();
      if (!objects.back().insert(key).second) {
        throw InputError(fmt::format("has the key \"{}\" twice in an object", printable(key, 40)));
      }
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const typename Json::parse_error& error) {
    throw InputError(fmt::format("not valid JSON at byte {}", error.byte));
  } catch (const typename Json::out_of_range&) {
    throw InputError("holds a number that no double can be");
  }
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& document) {
  return printable_json(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + '\n';
}

std::string json_line(const nlohmann::ordered_json& document) {
  return printable_json(document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + '\n';
}

std::string json_line(const nlohmann::json& document) {
  return printable_json(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) + '\n';
}

nlohmann::json parse_json(std::string_view text) { return parse<nlohmann::json>(text); }

nlohmann::ordered_json parse_ordered_json(std::string_view text) { return parse<nlohmann::ordered_json>(text); }

}  // namespace p2mpp
