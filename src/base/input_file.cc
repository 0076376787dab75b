#include "base/input_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <optional>
#include <system_error>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "base/thread_scopes.h"
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

constexpr int kAlways = O_RDONLY | O_CLOEXEC | O_NOCTTY;

/// Opens a path below a folder, one part after the other, and follows no link: `path` has none, as real_path() returns
/// it, unless somebody has made one since.
FileDescriptor open_below(const std::filesystem::path& folder, const std::filesystem::path& path, int flags) {
  FileDescriptor current(::open(folder.c_str(), kAlways | O_DIRECTORY));
  auto part = std::next(path.begin(), std::distance(folder.begin(), folder.end()));
  if (part == path.end()) return FileDescriptor(::openat(current.get(), ".", kAlways | flags));
  for (; current && std::next(part) != path.end(); ++part) {
    current = FileDescriptor(::openat(current.get(), part->c_str(), kAlways | O_DIRECTORY | O_NOFOLLOW));
  }
  return current ? FileDescriptor(::openat(current.get(), part->c_str(), kAlways | O_NOFOLLOW | flags))
                 : std::move(current);
}

std::optional<struct stat> read_facts(const std::filesystem::path& path) {
  struct stat facts {};
  if (reading_folder().empty()) return ::stat(path.c_str(), &facts) == 0 ? std::optional(facts) : std::nullopt;
  const FileDescriptor file = open_to_read(path, O_PATH);
  return file && ::fstat(file.get(), &facts) == 0 ? std::optional(facts) : std::nullopt;
}

FolderEntry folder_entry(const std::filesystem::path& folder, const dirent& found) {
  FolderEntry entry{.name = found.d_name, .is_link = found.d_type == DT_LNK};
  if (found.d_type == DT_REG || found.d_type == DT_DIR) {
    entry.is_file = found.d_type == DT_REG;
    entry.is_folder = !entry.is_file;
    return entry;
  }
  if (found.d_type != DT_LNK && found.d_type != DT_UNKNOWN) return entry;
  const std::filesystem::path path = folder / entry.name;
  if (found.d_type == DT_UNKNOWN) {  // some file systems do not say it
    std::error_code ignored;
    entry.is_link = std::filesystem::is_symlink(path, ignored);
  }
  entry.is_file = is_file(path);
  entry.is_folder = is_folder(path);
  return entry;
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

FileDescriptor open_to_read(const std::filesystem::path& path, int flags) {
  flags |= O_NONBLOCK;  // opening a named pipe returns at once instead of waiting for a writer
  const std::filesystem::path& folder = reading_folder();
  if (folder.empty()) return FileDescriptor(::open(path.c_str(), kAlways | flags));
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  if (!error && is_inside(folder, real)) return open_below(folder, real, flags);
  errno = ENOENT;
  return {};
}

std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  if (path.native().find('\0') != std::string::npos) {
    throw InputError(fmt::format("{}: a name with a NUL in it; expected a readable file", display(path)));
  }
  const FileDescriptor file = open_to_read(path);
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

std::string file_head(const std::filesystem::path& file, std::size_t count) {
  std::string head;
  const FileDescriptor open = open_to_read(file);
  struct stat facts {};
  if (!open || ::fstat(open.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return head;
  head.resize(std::min<std::size_t>(count, static_cast<std::size_t>(facts.st_size)));
  const ssize_t filled = ::pread(open.get(), head.data(), head.size(), 0);
  head.resize(static_cast<std::size_t>(std::max<ssize_t>(filled, 0)));
  return head;
}

bool is_file(const std::filesystem::path& path) {
  const std::optional<struct stat> facts = read_facts(path);
  return facts && S_ISREG(facts->st_mode);
}

bool is_folder(const std::filesystem::path& path) {
  const std::optional<struct stat> facts = read_facts(path);
  return facts && S_ISDIR(facts->st_mode);
}

std::uintmax_t file_bytes(const std::filesystem::path& path) {
  const std::optional<struct stat> facts = read_facts(path);
  return facts && S_ISREG(facts->st_mode) ? static_cast<std::uintmax_t>(facts->st_size) : 0;
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  const std::optional<struct stat> first = read_facts(a), second = read_facts(b);
  return first && second && first->st_dev == second->st_dev && first->st_ino == second->st_ino;
}

std::vector<FolderEntry> list_folder(const std::filesystem::path& folder, std::error_code& error) {
  error.clear();
  const std::filesystem::path listed = folder.empty() ? "." : folder;
  FileDescriptor descriptor = open_to_read(listed, O_DIRECTORY);
  const std::unique_ptr<DIR, int (*)(DIR*)> open(descriptor ? ::fdopendir(descriptor.get()) : nullptr, &::closedir);
  if (!open) {
    error = std::error_code(errno, std::generic_category());
    return {};
  }
  static_cast<void>(descriptor.release());
  std::vector<FolderEntry> entries;
  errno = 0;
  while (const dirent* const found = ::readdir(open.get())) {
    end_if_stopped();
    const std::string_view name = found->d_name;
    if (name != "." && name != "..") entries.push_back(folder_entry(listed, *found));
    errno = 0;
  }
  if (errno != 0) error = std::error_code(errno, std::generic_category());
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return error ? std::vector<FolderEntry>() : entries;
}

std::vector<FolderEntry> list_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  return list_folder(folder, ignored);
}

void require_folder(const std::filesystem::path& folder, std::string_view expected) {
  if (is_folder(folder)) return;
  const FileDescriptor found = open_to_read(folder, O_PATH);
  const int error = found ? 0 : errno;
  throw_read_error(fmt::format("{}: {}; expected {}", display(folder),
                               error == ENOENT ? "no such folder"
                               : error != 0    ? std::generic_category().message(error)
                                               : "is not a folder",
                               expected),
                   error);
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

bool may_exist(const std::filesystem::path& path) { return read_facts(path) || (errno != ENOENT && errno != ENOTDIR); }

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

MappedFile::MappedFile(const std::filesystem::path& path) {
  const FileDescriptor file = open_to_read(path, O_NOFOLLOW);
  struct stat facts {};
  const bool is_open = file && ::fstat(file.get(), &facts) == 0;
  if (is_open && facts.st_size == 0) return;  // nothing can be mapped
  if (is_open) {
    size_ = static_cast<std::size_t>(facts.st_size);
    start_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start_ != MAP_FAILED) return;
  }
  throw Error(fmt::format("{}: cannot be read: {}", display(path), std::generic_category().message(errno)));
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(start_, size_);
}

}  // namespace p2mpp
