#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace p2mpp {

/// Zeros at first, at an address that a vector of any instruction set may be loaded from.
template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) : size_(size), data_(new(kAlignment) T[size]()) {}

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// At least so many elements; what it held is lost if it grows.
  void reserve(std::size_t size) {
    if (size > size_) *this = AlignedBuffer(size);
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(T* data) const { ::operator delete[](data, kAlignment); }
  };

  std::size_t size_ = 0;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace p2mpp
