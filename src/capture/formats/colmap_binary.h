#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capture/formats/colmap_model.h"

namespace p2mpp {

/// The contents of COLMAP's cameras.bin and images.bin, and the reliable points of points3D.bin. They throw InputError,
/// "{name}: byte N: ...". Counts are compared with the number of remaining bytes before memory is allocated. Source:
/// COLMAP, src/colmap/scene/reconstruction_io_binary.cc, unchanged since version 3.0.
[[nodiscard]] ColmapCameras parse_cameras_bin(std::string_view bytes, const std::string& name);
[[nodiscard]] std::vector<ColmapImage> parse_images_bin(std::string_view bytes, const std::string& name);
[[nodiscard]] std::vector<Eigen::Vector3d> parse_points3d_bin(std::string_view bytes, const std::string& name);

}  // namespace p2mpp
