#include "report/serve_page.h"

#include <array>
#include <nlohmann/json.hpp>

#include "check/sample_check.h"
#include "check/sample_silhouettes.h"
#include "image/resize.h"
#include "image/viewpoint.h"
#include "io/sample_warning_json.h"
#include "render/overlay.h"
#include "render/panels.h"
#include "report/embedded.h"
#include "report/page.h"

namespace p2mpp {
namespace {

// Three views of a bundled sample, and the rows of its cameras. A view's name is the number of its row.
std::string example_json() {
  return script_json({{"images",
                       {{"00.png", embedded::example_00_hex},
                        {"06.png", embedded::example_06_hex},
                        {"07.png", embedded::example_07_hex}}},
                      {"rows", embedded::example_rows}});
}

using Json = nlohmann::ordered_json;
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
  const Viewpoint from = viewpoint_of(view);
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
