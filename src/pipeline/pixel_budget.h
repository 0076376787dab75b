#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "pipeline/steps.h"

namespace p2mpp {

/// Bounds the decoded pixels of the samples in a pipeline. Thread-safe. It must outlive the jobs.
///
/// Before each sample of a batch, a reader calls admit(). After reading it, the reader charges the job, and the end of
/// the job releases the pixels. At most `most` pixels are held, plus those of one sample for each reader, because a
/// sample's size is not known when it is admitted. Each sample has at most `most`: see read_sample().
class PixelBudget {
 public:
  explicit PixelBudget(std::size_t most) : most_(most) {}

  /// Whether another sample may be read into a batch. For the first sample of a batch, waits until there is room. For
  /// the others it does not wait: the batch's own pixels may fill the budget, so it must be computed first.
  [[nodiscard]] bool admit(bool is_first);

  /// Ends all waiting if the pipeline fails: from now on nothing is admitted.
  void close();

  /// Counts the pixels of the job's images until the job and its copies are destroyed.
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
