#include "backends/self_check/passed_checks.h"

#include <cstdlib>
#include <exception>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/sha256.h"

namespace p2mpp {
namespace {

constexpr std::size_t kNameDigits = 16;

// The XDG base directory specification says to ignore relative paths.
std::filesystem::path absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  const std::filesystem::path path = value != nullptr ? value : "";
  return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::filesystem::path PassedChecks::user_folder() {
  std::filesystem::path cache = absolute_path_in("XDG_CACHE_HOME");
  const std::filesystem::path home = absolute_path_in("HOME");
  if (cache.empty() && !home.empty()) cache = home / ".cache";
  return cache.empty() ? cache : cache / "p2mpp" / "self-checks";
}

std::filesystem::path PassedChecks::file_of(const std::string& identity) const {
  return folder_ / (sha256_hex(identity).substr(0, kNameDigits) + ".txt");
}

bool PassedChecks::has(const std::string& identity) const noexcept {
  try {
    return !folder_.empty() && std::filesystem::exists(file_of(identity)) && read_file(file_of(identity)) == identity;
  } catch (const std::exception&) {
    return false;
  }
}

void PassedChecks::remember(const std::string& identity) const noexcept {
  try {
    if (folder_.empty()) return;
    std::filesystem::create_directories(folder_);
    write_file_atomically(file_of(identity), identity);
  } catch (const std::exception&) {  // the folder is not writable: the check runs again next time
  }
}

}  // namespace p2mpp
