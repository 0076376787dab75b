#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "ops/cuda/emulation/block.h"

namespace p2mpp::emulation {

inline constexpr std::size_t kMaxSharedBytes = 227 * 1024;  ///< of a block, on an H100
inline constexpr int kMultiprocessors = 64;
inline constexpr int kInvalidLaunch = 9;  ///< cudaErrorInvalidConfiguration

/// Does work at once, or, while it records, keeps it for later, as the capture of a CUDA graph does.
class Stream {
 public:
  using Work = std::vector<std::function<void()>>;

  [[nodiscard]] static Stream& of(void* handle) { return *static_cast<Stream*>(handle); }

  void add(std::function<void()> work) {
    if (record_ == nullptr) return work();
    record_->push_back(std::move(work));
  }

  [[nodiscard]] bool records() const { return record_ != nullptr; }

  /// Null: work is done at once again.
  void record_into(Work* record) { record_ = record; }

 private:
  Work* record_ = nullptr;
};

}  // namespace p2mpp::emulation
