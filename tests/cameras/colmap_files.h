#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_folder.h"

namespace p2mpp {

/// Fields of COLMAP's binary files, written without the program's code. Source: https://colmap.github.io/format.html.
class ColmapBytes {
 public:
  ColmapBytes& u32(std::uint32_t value) { return append(&value, sizeof value); }
  ColmapBytes& u64(std::uint64_t value) { return append(&value, sizeof value); }
  ColmapBytes& text(std::string_view value) {
    bytes_.append(value);
    bytes_ += '\0';
    return *this;
  }
  ColmapBytes& numbers(const std::vector<double>& values) {
    for (const double value : values) append(&value, sizeof value);
    return *this;
  }
  ColmapBytes& filler(std::size_t count) {
    bytes_.append(count, '\x07');
    return *this;
  }
  operator std::string() const { return bytes_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  static_assert(std::endian::native == std::endian::little);
  ColmapBytes& append(const void* value, std::size_t size) {
    bytes_.append(static_cast<const char*>(value), size);
    return *this;
  }
  std::string bytes_;
};

struct WrittenCamera {
  std::uint32_t id = 1;
  int model = 1;
  const char* model_name = "PINHOLE";
  std::uint64_t width = 640, height = 480;
  std::vector<double> parameters{500, 510, 320, 240};
};

struct WrittenImage {
  std::string name = "a.jpg";
  std::vector<double> q{1, 0, 0, 0};  ///< w x y z
  std::vector<double> t{0, 0, 0};
  std::uint32_t camera = 1;
  std::uint64_t points = 0;
};

struct WrittenPoint {
  std::vector<double> xyz{0, 0, 0};
  double error = 0.5;
  std::uint64_t track = 3;
};

inline std::string cameras_bin(const std::vector<WrittenCamera>& cameras) {
  ColmapBytes bytes;
  bytes.u64(cameras.size());
  for (const WrittenCamera& camera : cameras) {
    bytes.u32(camera.id).u32(static_cast<std::uint32_t>(camera.model)).u64(camera.width).u64(camera.height);
    bytes.numbers(camera.parameters);
  }
  return bytes;
}

inline std::string images_bin(const std::vector<WrittenImage>& images) {
  ColmapBytes bytes;
  bytes.u64(images.size());
  for (std::uint32_t id = 1; const WrittenImage& image : images) {
    bytes.u32(id++).numbers(image.q).numbers(image.t).u32(image.camera).text(image.name).u64(image.points);
    for (std::uint64_t i = 0; i < image.points; ++i) bytes.numbers({1.5, 2.5}).u64(i % 2 == 0 ? ~0ULL : i);
  }
  return bytes;
}

inline std::string points3d_bin(const std::vector<WrittenPoint>& points) {
  ColmapBytes bytes;
  bytes.u64(points.size());
  for (std::uint64_t id = 1; const WrittenPoint& point : points) {
    bytes.u64(id++).numbers(point.xyz).filler(3).numbers({point.error}).u64(point.track);
    for (std::uint64_t i = 0; i < point.track; ++i) bytes.u32(1).u32(2);
  }
  return bytes;
}

/// Numbers as printf writes them, without a loss.
inline std::string columns(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, " %.17g", value);
    text += buffer;
  }
  return text;
}

inline std::string cameras_txt(const std::vector<WrittenCamera>& cameras) {
  std::string text = "# Camera list with one line of data per camera:\n#   CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n";
  for (const WrittenCamera& camera : cameras) {
    text += std::to_string(camera.id) + " " + camera.model_name + " " + std::to_string(camera.width) + " " +
            std::to_string(camera.height) + columns(camera.parameters) + "\n";
  }
  return text;
}

inline std::string images_txt(const std::vector<WrittenImage>& images) {
  std::string text = "# Image list with two lines of data per image:\n";
  for (int id = 1; const WrittenImage& image : images) {
    text += std::to_string(id++) + columns(image.q) + columns(image.t) + " " + std::to_string(image.camera) + " " +
            image.name + "\n";
    for (std::uint64_t i = 0; i < image.points; ++i) text += i == 0 ? "1.5 2.5 -1" : " 1.5 2.5 7";
    text += "\n";
  }
  return text;
}

inline std::string points3d_txt(const std::vector<WrittenPoint>& points) {
  std::string text = "# 3D point list with one line of data per point:\n";
  for (int id = 1; const WrittenPoint& point : points) {
    text += std::to_string(id++) + columns(point.xyz) + " 10 20 255" + columns({point.error});
    for (std::uint64_t i = 0; i < point.track; ++i) text += " 1 2";
    text += "\n";
  }
  return text;
}

/// Writes a model with the extension .bin or .txt into a folder below `folder`.
inline void write_colmap(const TemporaryFolder& folder, const std::filesystem::path& model, bool binary,
                         const std::vector<WrittenCamera>& cameras, const std::vector<WrittenImage>& images,
                         const std::vector<WrittenPoint>& points) {
  folder.write(model / (binary ? "cameras.bin" : "cameras.txt"), binary ? cameras_bin(cameras) : cameras_txt(cameras));
  folder.write(model / (binary ? "images.bin" : "images.txt"), binary ? images_bin(images) : images_txt(images));
  folder.write(model / (binary ? "points3D.bin" : "points3D.txt"),
               binary ? points3d_bin(points) : points3d_txt(points));
}

}  // namespace p2mpp
