#pragma once

#include <filesystem>

#include "cli/support/command.h"
#include "p2mpp/metrics.h"

namespace p2mpp::cli {

/// What `p2mpp metrics` was asked for.
struct MetricsOptions {
  std::filesystem::path predicted, truth;  ///< two files or two folders
  ComparisonOptions comparison;
  double bounds_percent = 0;   ///< 0: exact figures
  std::filesystem::path list;  ///< of ids; empty: every prediction in the folder
  std::filesystem::path out;   ///< a folder for tables; empty: none
  bool json = false;
};

/// Holds one file against another and prints its figures. Throws InputError.
void compare_files(const MetricsOptions& options);

/// Prints bounds of one file's figures. Throws InputError.
void bound_files(const MetricsOptions& options);

/// Holds a folder of predictions against a folder of ground truth; prints means by category. Throws InputError where
/// nothing can be scored.
[[nodiscard]] ExitCode compare_folders(const MetricsOptions& options);

}  // namespace p2mpp::cli
