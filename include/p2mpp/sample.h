#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "p2mpp/camera.h"

namespace p2mpp {

/// 8 bits per channel, interleaved red, green, blue, alpha, rows from the top: [height, width, 4].
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

struct View {
  Image image;
  CameraRow camera;
};

/// The input for one mesh: views of an object.
struct Sample {
  std::string id;           ///< names the outputs: {id}_predict.obj
  std::vector<View> views;  ///< 2 to 5; the mesh is in the frame of the first view's camera
};

inline constexpr std::size_t kMinViews = 2;
inline constexpr std::size_t kMaxViews = 5;

/// The paths of a sample's files. No file has been opened yet.
struct SamplePaths {
  std::string id;
  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;         ///< a file with rows of five numbers
  std::vector<std::size_t> camera_rows;  ///< row of each image, from 0
  bool one_row_per_image = false;        ///< the number of rows must equal the number of images
};

}  // namespace p2mpp
