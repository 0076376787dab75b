#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Replaces each {{name}} of a page by its value. Throws Error if a name has no value.
[[nodiscard]] std::string fill_page(std::string_view page,
                                    const std::vector<std::pair<std::string_view, std::string_view>>& values);

/// Escapes text for use between HTML tags.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// JSON for use in a <script type="application/json"> element; contains no '<', whatever the strings contain.
[[nodiscard]] std::string script_json(const nlohmann::ordered_json& document);

/// Base64 of RFC 4648, with padding.
[[nodiscard]] std::string base64(std::string_view bytes);

/// Little-endian numbers in base64: [N,3] floats, [N,3,2] floats, N floats, N or [N,3] 32-bit indices, [N,3] bytes.
[[nodiscard]] std::string base64_of(const Points& points);
[[nodiscard]] std::string base64_of(const std::vector<std::array<Eigen::Vector2f, 3>>& corners);
[[nodiscard]] std::string base64_of(const std::vector<Colour>& colours);
[[nodiscard]] std::string base64_of(std::span<const float> values);
[[nodiscard]] std::string base64_of(std::span<const std::int32_t> indices);
[[nodiscard]] std::string base64_of(const std::vector<Triangle>& triangles);

/// The image as a data: URI of a PNG.
[[nodiscard]] std::string data_uri(const Image& image);

}  // namespace p2mpp
