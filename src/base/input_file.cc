#include "base/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

std::string error_text(int error) {
  if (error == ENOENT || error == ENOTDIR) return "no such file";
  return std::generic_category().message(error);
}

/// Throws Error if the machine is at fault rather than the file, otherwise InputError.
[[noreturn]] void throw_read_error(const std::string& message, int error) {
  if (error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO) throw Error(message);
  throw InputError(message);
}

[[noreturn]] void fail_to_read(const std::filesystem::path& path, const char* what, int error) {
  throw_read_error(fmt::format("{}: {}: {}; expected a readable file", display(path), what, error_text(error)), error);
}

const char* file_kind(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "not a regular file";
}

/// Reads until the buffer is full or the file ends; shrinks the buffer to the bytes read.
void read_all(int descriptor, std::string& bytes, const std::filesystem::path& path) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = ::pread(descriptor, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(filled));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(path, "cannot be read", errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  if (path.native().find('\0') != std::string::npos) {
    throw InputError(fmt::format("{}: a name with a NUL in it; expected a readable file", display(path)));
  }
  // O_NONBLOCK: opening a named pipe returns at once instead of waiting for a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) fail_to_read(path, "cannot be opened", errno);
  return read_open_file(file, path, max_bytes);
}

std::string read_open_file(const FileDescriptor& file, const std::filesystem::path& path, std::uintmax_t max_bytes) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_to_read(path, "cannot be read", errno);
  if (!S_ISREG(status.st_mode)) {
    throw InputError(fmt::format("{}: is {}; expected a regular file", display(path), file_kind(status.st_mode)));
  }
  const auto size = static_cast<std::uintmax_t>(status.st_size);
  if (size > max_bytes) {
    throw InputError(fmt::format("{}: has {} bytes; expected at most {}", display(path), size, max_bytes));
  }
  std::string bytes;
  try {
    bytes.resize(size);
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("{}: out of memory for its {} bytes", display(path), size));
  }
  read_all(file.get(), bytes, path);
  return bytes;
}

void require_folder(const std::filesystem::path& folder, std::string_view expected) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(folder, error);
  if (std::filesystem::is_directory(status)) return;
  const bool is_missing = status.type() == std::filesystem::file_type::not_found;
  throw_read_error(fmt::format("{}: {}; expected {}", display(folder),
                               is_missing ? "no such folder"
                               : error    ? error.message()
                                          : "is not a folder",
                               expected),
                   error.value());
}

std::filesystem::path real_path(const std::filesystem::path& path, std::string_view expected) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  if (error)
    throw_read_error(fmt::format("{}: {}; expected {}", display(path), error.message(), expected), error.value());
  return real;
}

bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

bool may_exist(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) || error;
}

void check_name_below(const std::string& name) {
  const std::filesystem::path path(name);
  if (name.empty()) throw InputError("is empty");
  if (name.find('\0') != std::string::npos) throw InputError("has a NUL in it");
  if (path.is_absolute()) throw InputError("is an absolute path");
  if (std::ranges::find(path, std::filesystem::path("..")) != path.end()) throw InputError("leaves the folder");
}

bool is_name_below(const std::string& name) {
  try {
    check_name_below(name);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace p2mpp
