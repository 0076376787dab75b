#include "base/append_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

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
  throw Error(fmt::format("{}: {}: {}; expected a file that can be written", display(path), what,
                          std::generic_category().message(errno)));
}

// On a file system without locks, the file is used without a lock.
void lock(const FileDescriptor& file, const std::filesystem::path& path) {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw Error(fmt::format("{}: is in use by another run; expected one at a time", display(path)));
}

}  // namespace

AppendLog::AppendLog(std::filesystem::path path, const std::function<void(std::string_view)>& on_line)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (!file_) fail(path_, "cannot be opened");
  lock(file_, path_);
  const std::string text = read_file(path_, std::numeric_limits<std::uintmax_t>::max());
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole < text.size() && ::ftruncate(file_.get(), static_cast<off_t>(whole)) != 0) {
    fail(path_, "its torn last line cannot be cut off");
  }
  if (::fsync(file_.get()) != 0) fail(path_, "cannot be synced to the disk");
  sync_folder_of(path_);
  LineReader lines(std::string_view(text).substr(0, whole));
  for (std::string_view line; lines.next(line);) on_line(line);
}

void AppendLog::append(std::string_view lines) const {
  if (!file_.write_all(lines)) fail(path_, "cannot be written");
  if (::fdatasync(file_.get()) != 0) fail(path_, "cannot be synced to the disk");
}

void AppendLog::clear() const {
  if (::ftruncate(file_.get(), 0) != 0) fail(path_, "cannot be emptied");
}

}  // namespace p2mpp
