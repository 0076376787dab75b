#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/device_runtime.h"

namespace p2mpp {

inline constexpr std::size_t kDeviceAlignment = 256;  ///< bytes

[[nodiscard]] constexpr std::size_t aligned_bytes(std::size_t bytes) {
  return (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment;
}

/// Owns a block of device memory or of pinned host memory.
class DeviceBlock {
 public:
  enum class Place { kDevice, kPinned };

  DeviceBlock() = default;
  DeviceBlock(DeviceRuntime& runtime, std::size_t bytes, Place place = Place::kDevice)
      : runtime_(&runtime),
        place_(place),
        bytes_(bytes),
        memory_(static_cast<std::byte*>(place == Place::kDevice ? runtime.allocate(bytes)
                                                                : runtime.allocate_pinned(bytes))) {}
  DeviceBlock(DeviceBlock&& other) noexcept { swap(other); }
  DeviceBlock& operator=(DeviceBlock&& other) noexcept {
    DeviceBlock taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~DeviceBlock() {
    if (memory_ == nullptr) return;
    place_ == Place::kDevice ? runtime_->release(memory_) : runtime_->release_pinned(memory_);
  }

  [[nodiscard]] std::byte* data() const { return memory_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void swap(DeviceBlock& other) noexcept {
    std::swap(runtime_, other.runtime_);
    std::swap(place_, other.place_);
    std::swap(bytes_, other.bytes_);
    std::swap(memory_, other.memory_);
  }

  DeviceRuntime* runtime_ = nullptr;
  Place place_ = Place::kDevice;
  std::size_t bytes_ = 0;
  std::byte* memory_ = nullptr;
};

/// Hands out consecutive pieces of a block. Without a block it only counts bytes, so the same code first measures a
/// layout and then creates it.
class Arena {
 public:
  explicit Arena(std::byte* block) : block_(block) {}

  template <class T>
  [[nodiscard]] T* allocate(std::size_t count) {
    T* piece = block_ == nullptr ? nullptr : reinterpret_cast<T*>(block_ + bytes_);
    bytes_ += aligned_bytes(count * sizeof(T));
    return piece;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* block_;
  std::size_t bytes_ = 0;
};

/// Constants that are copied to the device once. They are collected first, so that they need one allocation and one
/// copy.
class DeviceConstants {
 public:
  /// The place of a piece in the block. After upload(), pointer() returns its address.
  template <class T>
  struct Place {
    std::size_t offset = 0;
  };

  template <class T>
  [[nodiscard]] Place<T> add(std::span<const T> values) {
    const Place<T> place{collected_.size()};
    collected_.resize(aligned_bytes(place.offset + values.size_bytes()));
    std::memcpy(collected_.data() + place.offset, values.data(), values.size_bytes());
    return place;
  }
  template <class T>
  [[nodiscard]] Place<T> add(const std::vector<T>& values) {
    return add(std::span<const T>(values));
  }

  void upload(DeviceRuntime& runtime) {
    block_ = DeviceBlock(runtime, collected_.size());
    runtime.copy_to_device(block_.data(), collected_.data(), collected_.size(), runtime.stream(kComputeStream));
    runtime.synchronize(runtime.stream(kComputeStream));
    std::vector<std::byte>().swap(collected_);
  }

  template <class T>
  [[nodiscard]] const T* pointer(Place<T> place) const {
    return reinterpret_cast<const T*>(block_.data() + place.offset);
  }

  /// On the device, after upload().
  [[nodiscard]] std::size_t bytes() const { return block_.bytes(); }

 private:
  std::vector<std::byte> collected_;
  DeviceBlock block_;
};

}  // namespace p2mpp
