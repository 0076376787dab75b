#include "cli/support/failure_log.h"

#include <spdlog/spdlog.h>

namespace p2mpp::cli {
namespace {

constexpr std::size_t kLoggedPerReason = 3;

}  // namespace

std::string reason_without_file(const SampleResult& result) {
  std::string reason = result.reason;
  const std::size_t colon = reason.find(": ");
  if (colon != std::string::npos && reason.find('/') < colon) reason.erase(0, colon + 2);
  for (std::size_t at = 0; !result.id.empty() && (at = reason.find(result.id, at)) != std::string::npos;) {
    reason.replace(at, result.id.size(), "ID");
  }
  return reason;
}

void FailureLog::add(const SampleResult& result) {
  if (++count_of_[reason_without_file(result)] > kLoggedPerReason) return;
  spdlog::error("line {}: {}: {}", result.line, result.id, result.reason);
}

void FailureLog::finish() const {
  for (const auto& [reason, count] : count_of_) {
    if (count > kLoggedPerReason) spdlog::error("{} more samples: {}", count - kLoggedPerReason, reason);
  }
}

}  // namespace p2mpp::cli
