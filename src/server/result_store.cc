#include "server/result_store.h"

#include <algorithm>

namespace p2mpp {

void ResultStore::keep(std::shared_ptr<SpoolFolder> folder) {
  const std::lock_guard lock(mutex_);
  forget_old_ones();
  if (kept_.size() >= most_) kept_.pop_front();
  kept_.push_back({Clock::now(), std::move(folder)});
}

std::shared_ptr<SpoolFolder> ResultStore::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  forget_old_ones();
  const auto found = std::ranges::find_if(kept_, [&](const Kept& each) { return each.folder->name() == name; });
  return found == kept_.end() ? nullptr : found->folder;
}

std::size_t ResultStore::size() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

void ResultStore::forget_old_ones() {
  while (!kept_.empty() && kept_.front().since + age_ < Clock::now()) kept_.pop_front();
}

}  // namespace p2mpp
