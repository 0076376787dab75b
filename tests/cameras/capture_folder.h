#pragma once

#include <bit>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/little_endian.h"
#include "cameras/capture.h"
#include "support/temporary_folder.h"

namespace p2mpp {

/// A PNG of 13x11 pixels.
inline std::string small_png() { return slurp(std::filesystem::path(P2MPP_TEST_DATA) / "io/images/rgba8.png"); }

/// A JPEG of 29x21 stored pixels that EXIF turns to 21x29.
inline std::string turned_jpeg() {
  return slurp(std::filesystem::path(P2MPP_TEST_DATA) / "io/images/jpeg_orientation6.jpg");
}

inline std::vector<std::string> names_of(const Capture& capture) {
  std::vector<std::string> names;
  for (const Photograph& photograph : capture.photographs) names.push_back(photograph.name);
  return names;
}

/// The pixel in which a photograph shows a point of the source.
inline Eigen::Vector2d seen_at(const Photograph& photograph, const Eigen::Vector3d& point) {
  const auto pixel = pixel_of(photograph.lens, photograph.cam_from_source * point);
  EXPECT_TRUE(pixel) << photograph.name;
  return pixel.value_or(Eigen::Vector2d::Zero());
}

/// An array of doubles as NumPy writes it. `shape`: as Python writes it, "(2, 17)".
inline std::string npy_file(const std::string& shape, std::span<const double> values) {
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  append_little_endian(bytes, static_cast<std::uint16_t>(header.size()));
  bytes += header;
  for (const double value : values) append_little_endian(bytes, std::bit_cast<std::uint64_t>(value));
  return bytes;
}

}  // namespace p2mpp
