#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/little_endian.h"
#include "base/text.h"
#include "check/sample_check.h"
#include "check/sample_silhouettes.h"
#include "image/resize.h"
#include "image/viewpoint.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"
#include "render/overlay.h"
#include "render/panels.h"

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

std::string script_json(const Json& document) {
  std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  replace_all(text, "<", "\\u003c");  // "</script>" in a file's name would end the element
  return text;
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

std::string encode_base64(const Points& points) {
  std::string bytes;
  for (const Eigen::Vector3f& point : points) {
    for (const float coordinate : point) append_little_endian(bytes, coordinate);
  }
  return base64(bytes);
}

std::string encode_base64(const std::vector<std::array<Eigen::Vector2f, 3>>& corners) {
  std::string bytes;
  for (const auto& triangle : corners) {
    for (const Eigen::Vector2f& corner : triangle) {
      for (const float coordinate : corner) append_little_endian(bytes, coordinate);
    }
  }
  return base64(bytes);
}

std::string encode_base64(const std::vector<Colour>& colours) {
  std::string bytes;
  for (const Colour& colour : colours) {
    for (const std::uint8_t value : colour) bytes.push_back(static_cast<char>(value));
  }
  return base64(bytes);
}

std::string encode_base64(std::span<const float> values) {
  std::string bytes;
  for (const float value : values) append_little_endian(bytes, value);
  return base64(bytes);
}

std::string encode_base64(std::span<const std::int32_t> indices) {
  std::string bytes;
  for (const std::int32_t index : indices) append_little_endian(bytes, static_cast<std::uint32_t>(index));
  return base64(bytes);
}

std::string encode_base64(const std::vector<Triangle>& triangles) {
  std::string bytes;
  for (const Triangle& triangle : triangles) {
    for (const std::int32_t vertex : triangle) append_little_endian(bytes, static_cast<std::uint32_t>(vertex));
  }
  return base64(bytes);
}

std::string data_uri(const Image& image) { return "data:image/png;base64," + base64(encode_png(image)); }

namespace {

// Three views of a bundled sample, and the rows of its cameras. A view's name is the number of its row.
std::string example_json() {
  return script_json({{"images",
                       {{"00.png", embedded::example_00_hex},
                        {"06.png", embedded::example_06_hex},
                        {"07.png", embedded::example_07_hex}}},
                      {"rows", embedded::example_rows}});
}
using Rgb = std::array<std::uint8_t, 3>;

constexpr int kPictureSide = 160;  // pixels
constexpr Rgb kGood = {26, 150, 80}, kBad = {208, 32, 32};

// The view, and the boundary of the object in it.
Image outlined(const View& view, const Rgb& colour) {
  Image picture = on_white(resize_triangle(view.image, kPictureSide, kPictureSide));
  const auto side = static_cast<std::size_t>(kPictureSide);
  const SilhouetteImage silhouette = image_silhouette(view.image, side);
  const auto inside = [&](std::size_t row, std::size_t column) { return silhouette.cover[row * side + column] > 0.5F; };
  for (std::size_t row = 0; row + 1 < side; ++row) {
    for (std::size_t column = 0; column + 1 < side; ++column) {
      const bool here = inside(row, column);
      if (here == inside(row + 1, column) && here == inside(row, column + 1)) continue;
      // Two pixels wide.
      for (const std::size_t pixel : {row * side + column, row * side + column + 1, (row + 1) * side + column}) {
        std::ranges::copy(colour, picture.rgba.begin() + static_cast<std::ptrdiff_t>(4 * pixel));
      }
    }
  }
  return picture;
}

Json view_json(const View& view, const std::optional<double>& unexplained) {
  const Viewpoint from = find_viewpoint(view);
  const bool is_good = unexplained && *unexplained < kDisagreement;
  return {{"name", view.name},
          {"azimuth", from.azimuth_deg},
          {"elevation", from.elevation_deg},
          {"distance", from.distance},
          {"unexplained", unexplained ? Json(*unexplained) : Json(nullptr)},
          {"picture", data_uri(outlined(view, is_good ? kGood : kBad))}};
}

}  // namespace

std::string serve_page(bool has_token, bool finds_cameras) {
  return fill_page(embedded::serve_page, {{"style", embedded::style},
                                          {"has_token", has_token ? "true" : "false"},
                                          {"finds_cameras", finds_cameras ? "true" : "false"},
                                          {"example", example_json()},
                                          {"cameras", embedded::serve_cameras},
                                          {"lengths", embedded::serve_lengths},
                                          {"script", embedded::serve_script}});
}

Json sample_check_json(const Sample& sample, const TrainedViews& trained) {
  const std::vector<std::optional<double>> shares = silhouette_disagreements(sample, view_cameras(sample));
  Json json = {{"status", "done"}, {"views", Json::array()}, {"disagreement", nullptr}, {"warnings", Json::array()}};
  for (std::size_t i = 0; i < sample.views.size(); ++i) json["views"].push_back(view_json(sample.views[i], shares[i]));
  if (const std::optional<double> worst = std::ranges::max(shares)) json["disagreement"] = *worst;
  json["warnings"] = to_json(check_sample(sample, trained));
  if (!sample.note.empty()) json["note"] = sample.note;
  return json;
}

}  // namespace p2mpp
