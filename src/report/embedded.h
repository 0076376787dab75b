#pragma once

#include <string_view>

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
