#include "server/result_store.h"

#include <algorithm>

namespace p2mpp {

void ResultStore::keep(std::shared_ptr<SpoolFolder> folder) {
  const std::lock_guard lock(mutex_);
  drop_old_ones();
  if (results_.size() >= most_) results_.pop_front();
  results_.push_back({Clock::now(), std::move(folder)});
}

std::shared_ptr<SpoolFolder> ResultStore::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  drop_old_ones();
  const auto found =
      std::ranges::find_if(results_, [&](const StoredResult& each) { return each.folder->name() == name; });
  return found == results_.end() ? nullptr : found->folder;
}

std::size_t ResultStore::size() const {
  const std::lock_guard lock(mutex_);
  return results_.size();
}

void ResultStore::forget_old_ones() {
  const std::lock_guard lock(mutex_);
  drop_old_ones();
}

// Precondition: the mutex is held.
void ResultStore::drop_old_ones() {
  while (!results_.empty() && results_.front().since + age_ < Clock::now()) results_.pop_front();
}

}  // namespace p2mpp
