#pragma once

#include <map>
#include <string>

#include "pipeline/steps.h"

namespace p2mpp::cli {

/// The reason of a failure without the file that it begins with and with ID for the sample's id, so that equal reasons
/// of several samples compare equal.
[[nodiscard]] std::string reason_without_file(const SampleResult& result);

/// Logs failed samples: the first few of each reason with a line each, the others as a number at the end.
class FailureLog {
 public:
  /// Logs "line 7: chair_1_00: REASON", or only counts it. Not thread-safe.
  void add(const SampleResult& result);

  /// Logs how many samples were only counted, a line for each reason.
  void finish() const;

 private:
  std::map<std::string, std::size_t> count_of_;  // by reason
};

}  // namespace p2mpp::cli
