#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capture/formats/colmap_model.h"

namespace p2mpp {

/// The contents of COLMAP's cameras.txt and images.txt, and the reliable points of points3D.txt. Names may contain
/// blanks. They throw InputError, "{name}:LINE: ...".
/// Source: https://colmap.github.io/format.html.
[[nodiscard]] ColmapCameras parse_cameras_txt(std::string_view text, const std::string& name);
[[nodiscard]] std::vector<ColmapImage> parse_images_txt(std::string_view text, const std::string& name);
[[nodiscard]] std::vector<Eigen::Vector3d> parse_points3d_txt(std::string_view text, const std::string& name);

}  // namespace p2mpp
