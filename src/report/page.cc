#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/little_endian.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {

std::string fill_page(std::string_view page, const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string text;
  while (true) {
    const std::size_t begin = page.find("{{"), end = page.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return text.append(page);
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    const auto value = std::ranges::find(values, name, [](const auto& each) { return each.first; });
    if (value == values.end()) throw Error(fmt::format("a page has no value for {}", name));
    text.append(page.substr(0, begin)).append(value->second);
    page.remove_prefix(end + 2);
  }
}

std::string html_escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += character;
    }
  }
  return result;
}

std::string script_json(const nlohmann::ordered_json& document) {
  const std::string text = document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char character : text) {
    if (character == '<') {
      result += "\\u003c";  // "</script>" in a file's name would end the element
    } else {
      result += character;
    }
  }
  return result;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string base64_of(const Points& points) {
  std::string bytes;
  for (const Eigen::Vector3f& point : points) {
    for (const float coordinate : point) append_little_endian(bytes, coordinate);
  }
  return base64(bytes);
}

std::string base64_of(const std::vector<std::array<Eigen::Vector2f, 3>>& corners) {
  std::string bytes;
  for (const auto& triangle : corners) {
    for (const Eigen::Vector2f& corner : triangle) {
      for (const float coordinate : corner) append_little_endian(bytes, coordinate);
    }
  }
  return base64(bytes);
}

std::string base64_of(const std::vector<Colour>& colours) {
  std::string bytes;
  for (const Colour& colour : colours) {
    for (const std::uint8_t value : colour) bytes.push_back(static_cast<char>(value));
  }
  return base64(bytes);
}

std::string base64_of(std::span<const float> values) {
  std::string bytes;
  for (const float value : values) append_little_endian(bytes, value);
  return base64(bytes);
}

std::string base64_of(std::span<const std::int32_t> indices) {
  std::string bytes;
  for (const std::int32_t index : indices) append_little_endian(bytes, static_cast<std::uint32_t>(index));
  return base64(bytes);
}

std::string base64_of(const std::vector<Triangle>& triangles) {
  std::string bytes;
  for (const Triangle& triangle : triangles) {
    for (const std::int32_t vertex : triangle) append_little_endian(bytes, static_cast<std::uint32_t>(vertex));
  }
  return base64(bytes);
}

std::string data_uri(const Image& image) { return "data:image/png;base64," + base64(encode_png(image)); }

}  // namespace p2mpp
