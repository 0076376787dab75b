#include "server/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "p2mpp/error.h"
#include "server/http.h"

namespace p2mpp {

namespace {

namespace fs = std::filesystem;

// 128 bits from the system.
std::string drawn_name() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(fmt::format("random bytes: {}", std::generic_category().message(errno)));
  }
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error == std::errc::no_space_on_device || error.value() == EDQUOT) {
    throw Refusal(http_status::kNoRoom, "the server's disk has no room now; try again later");
  }
  if (error) throw Error(fmt::format("{}: cannot be created: {}", display(folder), error.message()));
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    const std::uintmax_t size = file.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

constexpr const char* kSpoolName = "p2mpp-serve-";
constexpr const char* kLockName = "lock";

// A lock file that is held. Nothing if there is none, or another program holds it.
FileDescriptor hold_lock(const fs::path& file, int flags) {
  FileDescriptor lock(::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600));
  return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(lock) : FileDescriptor();
}

// Whether it is a folder of this user's that nobody else may enter, so that the names in it can be trusted.
bool is_own_folder(const fs::path& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() &&
         (facts.st_mode & 077) == 0;
}

// Those of programs that were killed: nobody holds their locks.
void remove_left_spools(const fs::path& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, fs::directory_options::skip_permission_denied, ignored)) {
    if (!entry.path().filename().string().starts_with(kSpoolName) || !is_own_folder(entry.path())) continue;
    if (hold_lock(entry.path() / kLockName, 0)) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Spool::Spool(const fs::path& parent, std::uint64_t most_bytes) : most_bytes_(most_bytes) {
  remove_left_spools(parent);
  std::string name = (parent / fmt::format("{}XXXXXX", kSpoolName)).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(
        fmt::format("{}: no folder can be created in it: {}", display(parent), std::generic_category().message(errno)));
  }
  path_ = name;
  // Held before it has its name, so that nobody takes the folder for one that was left.
  const fs::path unnamed = path_ / "lock.new";
  lock_ = hold_lock(unnamed, O_CREAT | O_EXCL);
  if (!lock_ || ::rename(unnamed.c_str(), (path_ / kLockName).c_str()) != 0) {
    throw Error(fmt::format("{}: cannot be locked: {}", display(path_), std::generic_category().message(errno)));
  }
}

Spool::~Spool() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool Spool::reserve(std::uint64_t bytes) {
  if ((bytes_ += bytes) <= most_bytes_) return true;
  bytes_ -= bytes;
  return false;
}

SpoolFolder::SpoolFolder(Spool& spool) : spool_(spool), name_(drawn_name()) {
  make_folder(spool.path() / name_);
  make_folder(input());
}

SpoolFolder::~SpoolFolder() {
  std::error_code ignored;
  fs::remove_all(spool_.path() / name_, ignored);
  spool_.give_back(bytes_);
}

fs::path SpoolFolder::input() const { return spool_.path() / name_ / "input"; }
fs::path SpoolFolder::output() const { return spool_.path() / name_ / "output"; }

bool SpoolFolder::reserve(std::uint64_t bytes) {
  if (!spool_.reserve(bytes)) return false;
  bytes_ += bytes;
  return true;
}

void SpoolFolder::drop_input() {
  std::error_code ignored;
  fs::remove_all(input(), ignored);
  spool_.give_back(bytes_);
  bytes_ = bytes_in(output());
  if (!spool_.reserve(bytes_)) bytes_ = 0;  // results are small and their number is limited, so none is refused
}

void ResultStore::keep(std::shared_ptr<SpoolFolder> folder) {
  const std::lock_guard lock(mutex_);
  drop_old_ones();
  if (results_.size() >= most_) results_.pop_front();
  results_.push_back({Clock::now(), std::move(folder)});
}

std::shared_ptr<SpoolFolder> ResultStore::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  drop_old_ones();
  const auto found =
      std::ranges::find_if(results_, [&](const StoredResult& each) { return each.folder->name() == name; });
  return found == results_.end() ? nullptr : found->folder;
}

std::size_t ResultStore::size() const {
  const std::lock_guard lock(mutex_);
  return results_.size();
}

void ResultStore::forget_old_ones() {
  const std::lock_guard lock(mutex_);
  drop_old_ones();
}

// Precondition: the mutex is held.
void ResultStore::drop_old_ones() {
  while (!results_.empty() && results_.front().since + age_ < Clock::now()) results_.pop_front();
}

}  // namespace p2mpp
