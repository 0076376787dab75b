#include "base/append_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <limits>
#include <string>
#include <system_error>

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

// Follows no symbolic link, because what it leads to is not ours.
FileDescriptor open_log(const std::filesystem::path& path) {
  const char* const expected = "expected a regular file";
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (!file && errno == ELOOP) throw Error(fmt::format("{}: is a symbolic link; {}", display(path), expected));
  if (!file) fail(path, "cannot be opened");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot be examined");
  if (!S_ISREG(status.st_mode)) throw Error(fmt::format("{}: is a device or a pipe; {}", display(path), expected));
  return file;
}

// On a file system without locks, the file is used without a lock.
void lock(const FileDescriptor& file, const std::filesystem::path& path) {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw Error(fmt::format("{}: is in use by another run; expected one at a time", display(path)));
}

}  // namespace

std::string_view whole_lines(std::string_view text) {
  const std::string_view written = text.substr(0, text.find('\0'));
  return written.substr(0, written.rfind('\n') + 1);  // npos + 1 is 0
}

AppendLog::AppendLog(std::filesystem::path path, const std::function<void(std::string_view)>& on_line,
                     const std::function<void(std::string_view)>& on_torn_line)
    : path_(std::move(path)), file_(open_log(path_)) {
  lock(file_, path_);
  const std::string text = read_open_file(file_, path_, std::numeric_limits<std::uintmax_t>::max());
  const std::size_t whole = whole_lines(text).size();
  LineReader lines(whole_lines(text));
  for (std::string_view line; lines.next(line);) on_line(line);
  if (whole < text.size()) {
    on_torn_line(std::string_view(text).substr(whole));
    if (::ftruncate(file_.get(), static_cast<off_t>(whole)) != 0) fail(path_, "its torn last line cannot be cut off");
  }
  if (::fsync(file_.get()) != 0) fail(path_, "cannot be synced to the disk");
  sync_folder_of(path_);
}

void AppendLog::append(std::string_view lines) const {
  if (!file_.write_all(lines)) fail(path_, "cannot be written");
  if (::fdatasync(file_.get()) != 0) fail(path_, "cannot be synced to the disk");
}

void AppendLog::clear() const {
  if (::ftruncate(file_.get(), 0) != 0) fail(path_, "cannot be emptied");
}

}  // namespace p2mpp
