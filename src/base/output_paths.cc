#include "base/output_paths.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

void check_writable(const std::filesystem::path& folder) {
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  const std::string reason = std::generic_category().message(errno);
  throw Error(fmt::format("{}: cannot be written to ({}); expected a writable folder", folder.string(), reason));
}

}  // namespace

void prepare_output_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  if (std::filesystem::exists(folder, failure) && !std::filesystem::is_directory(folder, failure)) {
    throw Error(fmt::format("{}: is not a folder; expected a folder for the output", folder.string()));
  }
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw Error(fmt::format("{}: cannot be created ({}); expected a folder for the output", folder.string(),
                            failure.message()));
  }
  check_writable(folder);
}

void check_output_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw Error(fmt::format("{}: is a folder; expected a file's name for the output", file.string()));
  }
  check_writable(file.has_parent_path() ? file.parent_path() : ".");
}

}  // namespace p2mpp
