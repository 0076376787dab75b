#include "base/append_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <string>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  const int error = errno;
  throw_write_error(fmt::format("{}: {}: {}; expected a file that can be written", display(path), what,
                                std::generic_category().message(error)),
                    error);
}

struct stat file_status(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot be examined");
  return status;
}

// Follows no symbolic link, because what it leads to is not ours.
FileDescriptor open_log(const std::filesystem::path& path) {
  const char* const expected = "expected a regular file";
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (!file && errno == ELOOP) throw Error(fmt::format("{}: is a symbolic link; {}", display(path), expected));
  if (!file) fail(path, "cannot be opened");
  if (!S_ISREG(file_status(file, path).st_mode))
    throw Error(fmt::format("{}: is a device or a pipe; {}", display(path), expected));
  return file;
}

// On a file system without locks, the file is used without a lock.
void lock(const FileDescriptor& file, const std::filesystem::path& path) {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw Error(fmt::format("{}: is in use by another run; expected one at a time", display(path)));
}

// Whether the open file still has its name, or another one has been renamed to it since.
bool has_its_name(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat named {};
  if (::lstat(path.c_str(), &named) != 0) return false;
  const struct stat open = file_status(file, path);
  return named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

}  // namespace

std::string_view whole_lines(std::string_view text) {
  const std::string_view written = text.substr(0, text.find('\0'));
  return written.substr(0, written.rfind('\n') + 1);  // npos + 1 is 0
}

AppendLog::AppendLog(std::filesystem::path path, const std::function<void(std::string_view)>& on_line,
                     const std::function<void(std::string_view)>& on_torn_line)
    : path_(std::move(path)) {
  open();
  const std::string text = read_open_file(file_, path_, kMaxLogBytes);
  const std::size_t whole = whole_lines(text).size();
  LineReader lines(whole_lines(text));
  for (std::string_view line; lines.next(line);) on_line(line);
  if (whole < text.size()) on_torn_line(std::string_view(text).substr(whole));
  if (file_status(file_, path_).st_nlink > 1) {
    replace(whole_lines(text));
  } else if (whole < text.size()) {
    if (::ftruncate(file_.get(), static_cast<off_t>(whole)) != 0) fail(path_, "its torn last line cannot be cut off");
  }
  if (::fsync(file_.get()) != 0) fail(path_, "cannot be synced to the disk");
  sync_parent_folder(path_);
}

// The lock of a file that was replaced meanwhile keeps nobody out.
void AppendLog::open() {
  do {
    file_ = open_log(path_);
    lock(file_, path_);
  } while (!has_its_name(file_, path_));
}

void AppendLog::append(std::string_view lines) const {
  if (!file_.write_all(lines)) fail(path_, "cannot be written");
  if (::fdatasync(file_.get()) != 0) fail(path_, "cannot be synced to the disk");
}

// The old file stays locked until the new one is locked. The program that locks the new file first has the log, so no
// two programs have it.
void AppendLog::replace(std::string_view lines) {
  write_file_atomically(path_, lines);
  const FileDescriptor old = std::move(file_);
  open();
}

}  // namespace p2mpp
