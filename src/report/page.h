#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "p2mpp/sample.h"
#include "p2mpp/trained_views.h"
#include "p2mpp/triangle_mesh.h"

/// Files of this folder and of three.js, embedded by the build (cmake/EmbedText.cmake).
namespace p2mpp::embedded {

extern const std::string_view style;  ///< CSS of all pages
extern const std::string_view viewer_page, viewer_scene, viewer_glb, viewer_script;
extern const std::string_view serve_page, serve_cameras, serve_lengths, serve_script;
extern const std::string_view example_00_hex, example_06_hex, example_07_hex, example_rows;  ///< a bundled sample
extern const std::string_view evaluation_page, evaluation_script;
extern const std::string_view three, orbit_controls;  ///< empty if three.js was missing
extern const std::string_view three_licence;

}  // namespace p2mpp::embedded

namespace p2mpp {

/// Replaces each {{name}} of a page by its value. Throws Error if a name has no value.
[[nodiscard]] std::string fill_page(std::string_view page,
                                    const std::vector<std::pair<std::string_view, std::string_view>>& values);

/// JSON for use in a <script type="application/json"> element; contains no '<', whatever the strings contain.
[[nodiscard]] std::string script_json(const Json& document);

/// Base64 of RFC 4648, with padding.
[[nodiscard]] std::string base64(std::string_view bytes);

/// Little-endian numbers in base64: [N,3] floats, [N,3,2] floats, N floats, N or [N,3] 32-bit indices, [N,3] bytes.
[[nodiscard]] std::string encode_base64(const Points& points);
[[nodiscard]] std::string encode_base64(const std::vector<std::array<Eigen::Vector2f, 3>>& corners);
[[nodiscard]] std::string encode_base64(const std::vector<Colour>& colours);
[[nodiscard]] std::string encode_base64(std::span<const float> values);
[[nodiscard]] std::string encode_base64(std::span<const std::int32_t> indices);
[[nodiscard]] std::string encode_base64(const std::vector<Triangle>& triangles);

/// The image as a data: URI of a PNG.
[[nodiscard]] std::string data_uri(const Image& image);

/// The page of `p2mpp serve`: images and cameras in, their check, a viewer and a file out. It names no other host.
/// `has_token`: requests need one, so the page asks for it. `finds_cameras`: the server takes photographs without.
[[nodiscard]] std::string serve_page(bool has_token, bool finds_cameras);

/// The check of a sample without the network, for a page: {"views": [{"name", "azimuth", "elevation",
/// "distance", "unexplained", "picture"}], "disagreement", "warnings": [{"code", "view", "message"}]}. A picture is a
/// PNG as a data: URI: the view with the outline of its silhouette. "unexplained" and "disagreement" are shares of a
/// silhouette (sample_silhouettes.h), or null.
[[nodiscard]] Json sample_check_json(const Sample& sample, const TrainedViews& trained);

}  // namespace p2mpp
