#include "server/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "server/http.h"

namespace p2mpp {

void Progress::add(std::string line) {
  const std::lock_guard lock(mutex_);
  if (lines_.size() >= kMostLines) lines_.pop_front();
  lines_.push_back(std::move(line));
}

std::string Progress::json() const {
  const std::lock_guard lock(mutex_);
  return json_line(Json{{"lines", lines_}});
}

std::shared_ptr<Progress> ProgressBoard::open(const std::string& key) {
  const bool is_plain = std::ranges::all_of(key, [](unsigned char each) { return std::isalnum(each) || each == '-'; });
  if (!is_plain || key.size() < kShortestKey || key.size() > kLongestKey) {
    throw Refusal(http_status::kBadRequest, fmt::format("'{}': is no key; expected {} to {} letters, digits and '-'",
                                                        printable(key, 80), kShortestKey, kLongestKey));
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(open_, [](const auto& each) {
    const std::shared_ptr<Progress> held = each.second.lock();
    return held == nullptr || held->is_closed();
  });
  auto progress = std::make_shared<Progress>();
  if (open_.emplace(key, progress).second) return progress;
  throw Refusal(http_status::kBadRequest, "this key is in use; expected another one");
}

std::shared_ptr<Progress> ProgressBoard::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(key);
  return found == open_.end() ? nullptr : found->second.lock();
}

}  // namespace p2mpp
