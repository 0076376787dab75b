#pragma once

#include <filesystem>
#include <string>

namespace p2mpp {

/// Remembers what has passed a check, a small file each in a folder. Nothing here fails: what cannot be read or written
/// is checked again. Several processes may use one folder.
class PassedChecks {
 public:
  /// An empty folder: nothing is remembered.
  explicit PassedChecks(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// p2mpp/self-checks in $XDG_CACHE_HOME or else in ~/.cache; empty where there is neither.
  [[nodiscard]] static std::filesystem::path user_folder();

  /// identity: all that the result depends on, a line each.
  [[nodiscard]] bool has(const std::string& identity) const noexcept;
  void remember(const std::string& identity) const noexcept;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& identity) const;

  std::filesystem::path folder_;
};

}  // namespace p2mpp
