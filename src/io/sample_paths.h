#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace p2mpp {

/// Without `--views`, a folder with at most this many images uses all of them. A larger folder uses the best three.
inline constexpr std::size_t kMaxViewsUnasked = 5;

/// The paths of a sample's files. No file has been opened yet.
struct SamplePaths {
  std::string id;
  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;         ///< a file with rows of five numbers
  std::vector<std::size_t> camera_rows;  ///< row of each image, from 0
  std::size_t row_count = 0;             ///< number of rows that the file must have; 0: any
  std::filesystem::path folder = {};     ///< of the images; empty if they were named one by one
  std::size_t view_count = 0;            ///< the best views to use, of the images or of cameras.json; 0: all
};

}  // namespace p2mpp
