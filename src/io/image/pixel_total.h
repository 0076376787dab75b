#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <string>

#include "image/resize.h"
#include "p2mpp/error.h"

namespace p2mpp {

/// The images of a request have more pixels together than they may have.
class TooManyPixels : public InputError {
 public:
  using InputError::InputError;
};

/// The pixels of all images of a request together, from their headers, before any is decoded.
class PixelTotal {
 public:
  /// The default of --max-request-pixels: 64 photographs of 24 megapixels.
  static constexpr std::size_t kUsualMost = std::size_t{64} * 24'000'000;
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  explicit PixelTotal(std::size_t most) : most_(most) {}

  /// Adds an image each time that it is decoded. A file that is no image counts nothing: its reader says so. Throws
  /// TooManyPixels.
  void add(const std::filesystem::path& image);
  /// The same for an image whose size is known.
  void add(const std::string& name, const ImageSize& size);

  [[nodiscard]] std::size_t pixels() const { return pixels_; }

 private:
  void add(const std::string& name, std::size_t pixels);

  const std::size_t most_;
  std::size_t pixels_ = 0;
  std::map<std::filesystem::path, std::size_t> known_;
};

}  // namespace p2mpp
