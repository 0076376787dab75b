#include "cli/support/failure_log.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace p2mpp::cli {
namespace {

constexpr std::size_t kLoggedPerReason = 3;

}  // namespace

std::string reason_without_file(const std::string& id, const std::string& reason) {
  std::string shared = reason;
  const std::size_t colon = shared.find(": ");
  if (colon != std::string::npos && shared.find('/') < colon) shared.erase(0, colon + 2);
  for (std::size_t at = 0; !id.empty() && (at = shared.find(id, at)) != std::string::npos;) {
    shared.replace(at, id.size(), "ID");
  }
  return shared;
}

void FoldedLog::add(const std::string& id, const std::string& reason, const std::string& place) {
  const std::lock_guard lock(mutex_);
  if (++count_of_[reason_without_file(id, reason)] > kLoggedPerReason) return;
  log(fmt::format("{}{}{}{}{}", place, place.empty() ? "" : ": ", id, id.empty() ? "" : ": ", reason));
}

void FoldedLog::add_line(const std::string& line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string::npos) return add({}, line);
  add(line.substr(0, colon), line.substr(colon + 2));
}

void FoldedLog::finish() {
  const std::lock_guard lock(mutex_);
  for (const auto& [reason, count] : count_of_) {
    if (count > kLoggedPerReason) log(fmt::format("{} more samples: {}", count - kLoggedPerReason, reason));
  }
  count_of_.clear();
}

void FoldedLog::log(const std::string& line) const {
  spdlog::log(severity_ == Severity::kError ? spdlog::level::err : spdlog::level::warn, "{}", line);
}

}  // namespace p2mpp::cli
