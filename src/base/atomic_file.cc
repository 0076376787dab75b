#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"

namespace p2mpp {
namespace {

constexpr std::string_view kTemporaryPrefix = ".p2mpp-", kTemporaryEnding = ".tmp";

[[noreturn]] void fail(const std::filesystem::path& path, const char* action, int error) {
  throw_write_error(fmt::format("{}: {}: {}; expected a folder with room that can be written", display(path), action,
                                std::generic_category().message(error)),
                    error);
}

/// A temporary name that no other thread, process or machine uses. Its length does not depend on the final name's.
std::filesystem::path temporary_name(const std::filesystem::path& folder) {
  static const std::uint64_t process_key = (std::uint64_t{std::random_device{}()} << 32) | std::random_device{}();
  static std::atomic<std::uint64_t> counter{0};
  return folder / fmt::format("{}{:x}-{:x}-{:x}{}", kTemporaryPrefix, process_key, ::getpid(), counter.fetch_add(1),
                              kTemporaryEnding);
}

std::filesystem::path parent_folder(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// A rename would replace a device such as /dev/null by a file.
void refuse_irregular(const std::filesystem::path& path) {
  struct stat status {};
  if (path.native().find('\0') != std::string::npos) {
    throw Error(fmt::format("{}: a name with a NUL in it; expected the name of a file", display(path)));
  }
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw Error(fmt::format("{}: is a folder or a device; expected the name of a file", display(path)));
  }
}

void check_writable(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_directory(folder, ignored)) {
    throw Error(fmt::format("{}: is not a folder; expected a writable folder", folder.string()));
  }
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  const std::string reason = std::generic_category().message(errno);
  throw Error(fmt::format("{}: cannot be written to ({}); expected a writable folder", folder.string(), reason));
}

}  // namespace

void throw_write_error(const std::string& message, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EROFS || error == EIO) throw DiskError(message);
  throw Error(message);
}

void sync_parent_folder(const std::filesystem::path& path) {
  const std::filesystem::path folder = parent_folder(path);
  const FileDescriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: the file system does not support syncing a folder.
  if (!file || (::fsync(file.get()) != 0 && errno != EINVAL)) fail(path, "its folder cannot be synced", errno);
}

UnfinishedFile::UnfinishedFile(std::filesystem::path path, std::string_view bytes) : path_(std::move(path)) {
  refuse_irregular(path_);
  temporary_path_ = temporary_name(parent_folder(path_));
  file_ = FileDescriptor(::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file_) fail(path_, "cannot be created", errno);
  if (file_.write_all(bytes)) return;
  const int error = errno;
  ::unlink(temporary_path_.c_str());
  fail(path_, "cannot be written", error);
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_path_(std::move(other.temporary_path_)),
      file_(std::move(other.file_)),
      is_there_(std::exchange(other.is_there_, false)) {}

UnfinishedFile::~UnfinishedFile() {
  if (is_there_) ::unlink(temporary_path_.c_str());
}

void UnfinishedFile::put_in_place() {
  if (!file_.close()) fail(path_, "cannot be written", errno);
  if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0) fail(path_, "cannot be put in place", errno);
  is_there_ = false;
}

void sync_to_disk(std::span<const UnfinishedFile> files) {
  constexpr std::size_t kFew = 4;
  const auto check = [](const UnfinishedFile& file, int result) {
    if (result != 0) fail(file.path(), "cannot be synced to the disk", errno);
  };
  if (files.size() > kFew) return check(files.front(), ::syncfs(files.front().file_.get()));
  for (const UnfinishedFile& file : files) check(file, ::fsync(file.file_.get()));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  UnfinishedFile file(path, bytes);
  sync_to_disk({&file, 1});
  file.put_in_place();
  sync_parent_folder(path);
}

std::size_t remove_unfinished_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> unfinished;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kTemporaryPrefix) && name.ends_with(kTemporaryEnding)) unfinished.push_back(entry.path());
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(unfinished, [](const auto& path) { return ::unlink(path.c_str()) == 0; }));
}

void prepare_output_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  if (std::filesystem::exists(folder, failure) && !std::filesystem::is_directory(folder, failure)) {
    throw Error(fmt::format("{}: is not a folder; expected a folder for the output", folder.string()));
  }
  std::vector<std::filesystem::path> missing;  // from the inside out
  for (std::filesystem::path each = folder; !each.empty() && !std::filesystem::exists(each, failure);
       each = each.parent_path()) {
    missing.push_back(each);
  }
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw Error(fmt::format("{}: cannot be created ({}); expected a folder for the output", folder.string(),
                            failure.message()));
  }
  check_writable(folder);
  for (const std::filesystem::path& each : missing) sync_parent_folder(each);
}

void check_output_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw Error(fmt::format("{}: is a folder; expected a file's name for the output", file.string()));
  }
  check_writable(file.has_parent_path() ? file.parent_path() : ".");
}

}  // namespace p2mpp
