#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "image/resize.h"
#include "io/image/image_file.h"
#include "p2mpp/error.h"

namespace p2mpp {

/// The default of --max-pixels: 1 GiB of decoded images.
inline constexpr std::size_t kMaxPixelsInWork = std::size_t{1} << 28;

/// Bounds the pixels that several threads hold decoded at the same time. Thread-safe. It must outlive its shares: what
/// take() and charge() return holds pixels until the last copy is destroyed.
///
/// Images whose size is known are taken one by one. A reader calls admit() before each sample of a batch, and charge()
/// after reading it, because the size of a sample is not known before. At most `most` pixels are then in memory, plus
/// those of one sample for each reader. Each sample has at most `most`: see read_sample().
class PixelBudget {
 public:
  explicit PixelBudget(std::size_t most = kMaxPixelsInWork) : most_(most) {}

  /// Waits until there is room for an image, and takes it. A thread that holds a share must not ask for another. Throws
  /// InputError with the image's name if the image has more than `most` pixels.
  [[nodiscard]] std::shared_ptr<void> take(const ImageSize& size, const std::string& name);

  /// How many images were taken.
  [[nodiscard]] std::size_t taken() const { return taken_; }

  /// Whether another sample may be read into a batch. For the first sample of a batch, waits until there is room. For
  /// the others it does not wait: the batch's own pixels may fill the budget, so it must be computed first.
  [[nodiscard]] bool admit(bool is_first);

  /// Holds the pixels of a sample that was admitted, whether there is room or not.
  [[nodiscard]] std::shared_ptr<void> charge(std::size_t pixels);

  /// Ends all waiting of admit(): from now on nothing is admitted.
  void close();

 private:
  std::shared_ptr<void> share_of(std::size_t pixels);
  void give_back(std::size_t pixels);

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::size_t held_ = 0;
  std::atomic<std::size_t> taken_ = 0;
  bool closed_ = false;
};

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
