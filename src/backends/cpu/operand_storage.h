#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "base/bfloat16.h"

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

/// bf16x3: a float as the sum of two bf16 numbers, the float rounded and what rounding took from it. Together they keep
/// 16 bits of mantissa. Of a product's four parts, the smallest is left out. In memory, all second numbers ("rests")
/// follow the first numbers at a fixed distance.
struct SplitFloat {};

/// How a number is stored as an operand: in kParts elements, which take kProducts products.
template <class Number>
struct Storage {
  using Element = Number;
  static constexpr std::size_t kParts = 1;
  static constexpr std::size_t kProducts = 1;
};
template <>
struct Storage<SplitFloat> {
  using Element = Bfloat16;
  static constexpr std::size_t kParts = 2;
  static constexpr std::size_t kProducts = 3;
};
template <class Number>
using ElementOf = typename Storage<Number>::Element;

inline float bfloat16_rest(float value) { return value - float_from(bfloat16_from(value)); }

/// Stores a number. rest: elements from its first part to the second.
template <class Number>
void store_number(float value, ElementOf<Number>* out, std::size_t rest) {
  convert(value, *out);
  if constexpr (Storage<Number>::kParts == 2) convert(bfloat16_rest(value), out[rest]);
}

/// The weight's part in each product: the first two products have the first part of x, the last has the rest of x.
template <class Number>
float part_of_weight(float weight, std::size_t product) {
  return Storage<Number>::kProducts == 3 && product == 1 ? bfloat16_rest(weight) : weight;
}

}  // namespace p2mpp
