#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace p2mpp {

/// A zero-initialised array, aligned for vector loads of every instruction set. 64 bytes beyond its end may be read.
template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) : size_(size), data_(allocate(size * sizeof(T))) {}

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Makes room for at least `size` elements. Growing discards the contents.
  void reserve(std::size_t size) {
    if (size > size_) *this = AlignedBuffer(size);
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kReadBeyond = kAlignment;  // see kLargestDepthGroup

  struct Free {
    void operator()(T* data) const { std::free(data); }
  };

  static T* allocate(std::size_t bytes) {
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment + kReadBeyond;
    void* memory = std::aligned_alloc(kAlignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    std::memset(memory, 0, rounded);
    return static_cast<T*>(memory);
  }

  std::size_t size_ = 0;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace p2mpp
