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
#include <functional>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "p2mpp/error.h"
#include "server/http.h"
#include "server/http_server.h"

namespace p2mpp {

namespace fs = std::filesystem;

std::vector<std::string> list_spellings(const fs::path& path) {
  std::error_code error;
  std::vector<std::string> spellings;
  for (const fs::path& each : {path, fs::absolute(path, error), fs::weakly_canonical(path, error)}) {
    for (std::string spelling : {each.string(), display(each)}) {
      if (spelling.size() > 1 && std::ranges::count(spellings, spelling) == 0) spellings.push_back(std::move(spelling));
    }
  }
  std::ranges::sort(spellings, std::greater(), &std::string::size);
  return spellings;
}

std::string without_folder(std::string text, const fs::path& folder) {
  if (folder.empty()) return text;
  for (const std::string& spelling : list_spellings(folder)) {
    replace_all(text, spelling + "/", "");
    replace_all(text, spelling, "the folder");
  }
  return text;
}

namespace {

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

// Of the files in a folder that others may change meanwhile.
std::uint64_t bytes_below(const fs::path& folder, const char* left_out) {
  std::uint64_t bytes = 0;
  std::error_code end, gone;
  for (fs::recursive_directory_iterator file(folder, end), none; !end && file != none; file.increment(end)) {
    if (file.depth() == 0 && file->path().filename() == left_out) file.disable_recursion_pending();
    if (!file->is_regular_file(gone) || file->is_symlink(gone)) continue;
    const std::uintmax_t size = file->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

constexpr std::size_t kNameLength = 32;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// The length of "/NAME", "/NAME/input/" or "/NAME/output/" at the front, or of what there is of it.
std::size_t length_of_request(std::string_view text) {
  if (!text.starts_with('/')) return 0;
  std::size_t length = 1;
  while (length < text.size() && length <= kNameLength && is_hex(text[length])) ++length;
  if (length <= kNameLength) return 1;
  for (const std::string_view folder : {SpoolFolder::kInput, SpoolFolder::kOutput}) {
    std::string_view rest = text.substr(length);
    if (!rest.starts_with('/') || !rest.substr(1).starts_with(folder)) continue;
    rest.remove_prefix(1 + folder.size());
    if (rest.empty() || rest.front() != '/') return text.size() - rest.size();
    return text.size() - rest.size() + 1;
  }
  return text.substr(length).starts_with('/') ? length + 1 : length;
}

constexpr const char* kSpoolName = "p2mpp-serve-";
constexpr const char* kLockName = "lock";
constexpr int kMostRemovals = 10;

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
  spellings_ = list_spellings(path_);
  // Held before it has its name, so that nobody takes the folder for one that was left.
  const fs::path unnamed = path_ / "lock.new";
  lock_ = hold_lock(unnamed, O_CREAT | O_EXCL);
  if (!lock_ || ::rename(unnamed.c_str(), (path_ / kLockName).c_str()) != 0) {
    throw Error(fmt::format("{}: cannot be locked: {}", display(path_), std::generic_category().message(errno)));
  }
}

void Spool::remove() const {
  std::error_code ignored;
  // Again where others removed or wrote something meanwhile.
  for (int i = 0; i < kMostRemovals && fs::exists(path_, ignored); ++i) fs::remove_all(path_, ignored);
}

std::uint64_t Spool::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::uint64_t Spool::share_of(const std::string& client) const {
  const auto own = bytes_of_.find(client);
  const std::uint64_t others = bytes_ - (own == bytes_of_.end() ? 0 : own->second);
  return share_of_address(most_bytes_ - std::min(others, most_bytes_));
}

bool Spool::reserve(const std::string& client, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  std::uint64_t& own = bytes_of_[client];
  const std::uint64_t share = share_of(client);
  if (own > share || bytes > share - own) return false;
  own += bytes;
  bytes_ += bytes;
  return true;
}

bool Spool::recount(const std::string& client, std::uint64_t before, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  bytes_ += now - before;
  return (bytes_of_[client] += now - before) <= share_of(client);
}

void Spool::give_back(const std::string& client, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ -= bytes;
  const auto own = bytes_of_.find(client);
  if (own != bytes_of_.end() && (own->second -= bytes) == 0) bytes_of_.erase(own);
}

std::string Spool::new_name() {
  std::string name = drawn_name();
  const std::lock_guard lock(mutex_);
  names_.insert(name);
  return name;
}

void Spool::forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  names_.erase(name);
}

std::string Spool::without_names(std::string text) const {
  for (const std::string& spelling : spellings_) {
    for (std::size_t at = text.find(spelling); at != std::string::npos; at = text.find(spelling, at)) {
      const std::size_t length =
          spelling.size() + length_of_request(std::string_view(text).substr(at + spelling.size()));
      const std::string_view by = text[at + length - 1] == '/' ? "" : "the folder";
      text.replace(at, length, by);
      at += by.size();
    }
  }
  replace_all(text, path_.filename().string(), "the folder");
  const std::lock_guard lock(mutex_);
  for (const std::string& name : names_) replace_all(text, name, "...");
  return text;
}

SpoolFolder::SpoolFolder(Spool& spool, std::string client)
    : spool_(spool), client_(std::move(client)), name_(spool.new_name()) {
  try {
    make_folder(path());
    make_folder(input());
  } catch (...) {
    spool_.forget(name_);
    throw;
  }
}

SpoolFolder::~SpoolFolder() {
  std::error_code ignored;
  fs::remove_all(path(), ignored);
  spool_.give_back(client_, received_ + written_);
  spool_.forget(name_);
}

bool SpoolFolder::reserve(std::uint64_t bytes) {
  if (!spool_.reserve(client_, bytes)) return false;
  received_ += bytes;
  return true;
}

bool SpoolFolder::count_written() {
  const std::uint64_t before = std::exchange(written_, bytes_below(path(), kInput));
  return spool_.recount(client_, before, written_);
}

void SpoolFolder::drop_input() {
  std::error_code ignored;
  fs::remove_all(input(), ignored);
  spool_.give_back(client_, std::exchange(received_, 0));
}

void ResultStore::keep(std::shared_ptr<SpoolFolder> folder) {
  const std::lock_guard lock(mutex_);
  drop_old_ones();
  results_.push_back({Clock::now(), std::move(folder)});
  if (results_.size() > most_) drop_one_too_many();
}

// Precondition: the mutex is held.
void ResultStore::drop_one_too_many() {
  std::map<std::string, std::size_t> count;
  std::size_t most = 0;
  for (const StoredResult& each : results_) most = std::max(most, ++count[each.folder->client()]);
  results_.erase(
      std::ranges::find_if(results_, [&](const StoredResult& each) { return count[each.folder->client()] == most; }));
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
