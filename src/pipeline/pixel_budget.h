#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "pipeline/steps.h"

namespace p2mpp {

/// Bounds the decoded pixels of the samples in a pipeline. Thread-safe. It must outlive the jobs.
///
/// Before each sample of a batch, a reader asks admit(); afterwards it charges the job, whose end gives the pixels
/// back. So at most `most` pixels are held, and those of one sample more for each reader, which is what the last one to
/// be admitted may bring.
class PixelBudget {
 public:
  explicit PixelBudget(std::size_t most) : most_(most) {}

  /// Whether a further sample may be read into a batch. For the first of a batch it waits until that is so; a batch
  /// that has some already is computed as it is, because its own pixels might be those that are waited for.
  [[nodiscard]] bool admit(bool is_first);

  /// Ends all waiting, for a pipeline that fails: admits nothing any more.
  void close();

  /// Counts the pixels of the job's images until the job, with its copies, is gone.
  void charge(Job& job);

 private:
  void give_back(std::size_t pixels);

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::size_t held_ = 0;
  bool closed_ = false;
};

}  // namespace p2mpp
