#pragma once

#include <map>
#include <mutex>
#include <string>

#include "pipeline/steps.h"

namespace p2mpp::cli {

/// The reason of a failure or a warning without the file at its beginning, and with ID instead of the sample's id.
/// Equal reasons of several samples then compare equal.
[[nodiscard]] std::string reason_without_file(const std::string& id, const std::string& reason);

/// Logs what goes wrong with samples: the first few of each reason with a line each, the others as a number at the end.
/// Thread-safe.
class FoldedLog {
 public:
  enum class Severity { kWarning, kError };

  explicit FoldedLog(Severity severity) : severity_(severity) {}

  /// Logs "PLACE: ID: REASON", or only counts it. PLACE may be empty.
  void add(const std::string& id, const std::string& reason, const std::string& place = {});

  /// The same for "ID: REASON".
  void add_line(const std::string& line);

  /// Logs how many samples were only counted, a line for each reason.
  void finish();

 private:
  void log(const std::string& line) const;

  const Severity severity_;
  std::mutex mutex_;
  std::map<std::string, std::size_t> count_of_;  // by reason
};

}  // namespace p2mpp::cli
