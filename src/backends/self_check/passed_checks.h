#pragma once

#include <filesystem>
#include <string>

namespace p2mpp {

/// Remembers passed checks as small files in a folder. Never throws: an unreadable or unwritable entry only means that
/// the check runs again. Several processes may share a folder.
class PassedChecks {
 public:
  /// An empty path disables remembering.
  explicit PassedChecks(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// p2mpp/self-checks in $XDG_CACHE_HOME, or else in ~/.cache; empty if neither variable is set to an absolute path.
  [[nodiscard]] static std::filesystem::path user_folder();

  /// identity: everything that the result depends on, one item per line.
  [[nodiscard]] bool has(const std::string& identity) const noexcept;
  void remember(const std::string& identity) const noexcept;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& identity) const;

  std::filesystem::path folder_;
};

}  // namespace p2mpp
