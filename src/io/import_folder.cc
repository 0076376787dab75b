#include "io/import_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/sha256.h"
#include "base/text.h"
#include "io/cameras_json.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMasks = "masks";
constexpr std::string_view kNewPrefix = ".p2mpp-import-";

std::string system_reason() { return std::generic_category().message(errno); }

bool is_new_folder(std::string_view name) {
  return name.starts_with(kNewPrefix) && name.find('/') == std::string_view::npos;
}

// "front.png", "masks/front.png", or one of both in a folder of new files.
bool is_import_name(std::string_view name) {
  if (!is_name_below(std::string(name))) return false;
  for (const bool may_be_new : {true, false}) {
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) break;
    const std::string_view folder = name.substr(0, slash);
    if (folder != kMasks && !(may_be_new && is_new_folder(folder))) return false;
    name.remove_prefix(slash + 1);
    if (folder == kMasks) break;
  }
  return !name.empty() && name.find('/') == std::string_view::npos && name != "." && name != "..";
}

/// A name's folder, opened without following a link, and its last part.
struct OpenPlace {
  FileDescriptor folder;  ///< none if there is no such folder
  std::string last;
};

OpenPlace open_place(int root, std::string_view name) {
  OpenPlace place{FileDescriptor(::openat(root, ".", O_DIRECTORY | O_CLOEXEC)), std::string(name)};
  for (std::size_t slash = place.last.find('/'); place.folder && slash != std::string::npos;
       slash = place.last.find('/')) {
    const std::string part = place.last.substr(0, slash);
    place.folder = FileDescriptor(::openat(place.folder.get(), part.c_str(), O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    place.last.erase(0, slash + 1);
  }
  return place;
}

// Whether there is something of this name, be it a link that leads nowhere.
bool is_taken(int root, std::string_view name) {
  const OpenPlace place = open_place(root, name);
  struct stat facts {};
  if (!place.folder) return errno != ENOENT;
  return ::fstatat(place.folder.get(), place.last.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
}

// Whether it is a regular file with one of the hashes that are listed for its name.
bool is_as_listed(int root, const std::string& name, const ImportedFiles& files) {
  const OpenPlace place = open_place(root, name);
  if (!place.folder) return false;
  const FileDescriptor file(
      ::openat(place.folder.get(), place.last.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  const std::string hash = sha256_hex(read_open_file(file, name));
  const auto [begin, end] = files.equal_range(name);
  return std::any_of(begin, end, [&](const auto& each) { return each.second == hash; });
}

void remove_if_listed(int root, const std::string& name, const ImportedFiles& files) {
  if (!is_as_listed(root, name, files)) return;
  const OpenPlace place = open_place(root, name);
  if (place.folder) ::unlinkat(place.folder.get(), place.last.c_str(), 0);
}

void remove_new_folder(int root, const std::string& name) {
  const OpenPlace place = open_place(root, name + "/");
  if (!place.folder) return;
  const auto remove_files = [](int folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fmt::format("/proc/self/fd/{}", folder), ignored)) {
      if (entry.is_symlink(ignored) || !entry.is_regular_file(ignored)) continue;
      ::unlinkat(folder, entry.path().filename().c_str(), 0);
    }
  };
  if (const OpenPlace masks = open_place(place.folder.get(), fmt::format("{}/", kMasks)); masks.folder) {
    remove_files(masks.folder.get());
  }
  ::unlinkat(place.folder.get(), kMasks, AT_REMOVEDIR);
  remove_files(place.folder.get());
  ::unlinkat(root, name.c_str(), AT_REMOVEDIR);
}

// The second name of a file; a copy where the disk's format has no such names.
void give_second_name(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK) {
    throw_write_error(fmt::format("{}: cannot be created: {}", display(to), system_reason()), errno);
  }
  write_file_atomically(to, read_file(from));
}

void make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return;
  throw_write_error(fmt::format("{}: cannot be created: {}", display(folder), system_reason()), errno);
}

}  // namespace

ImportedFiles read_imported_files(const fs::path& file) {
  ImportedFiles files;
  try {
    const nlohmann::json json = parse_json(read_file(file));
    for (const nlohmann::json& each : json.at("files")) {
      auto name = each.at("path").get<std::string>();
      if (!is_import_name(name)) throw InputError(fmt::format("'{}' is not a file of an import", printable(name, 60)));
      files.emplace(std::move(name), each.at("sha256").get<std::string>());
    }
  } catch (const nlohmann::json::exception&) {
    throw InputError(
        fmt::format("{}: is not an import's list; expected {{\"files\": [{{\"path\", \"sha256\"}}]}}", display(file)));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: is not an import's list: {}", display(file), error.what()));
  }
  return files;
}

ImportFolder::ImportFolder(const fs::path& folder, bool overwrite)
    : shown_(folder),
      path_(real_path(folder, "a folder")),
      folder_(::open(path_.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC)) {
  if (!folder_) throw InputError(fmt::format("--out: {}: {}; expected a folder", display(folder), system_reason()));
  if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw InputError(fmt::format("--out: another import is writing into {}; expected one at a time", display(folder)));
  }
  check_state(overwrite);
}

ImportFolder::~ImportFolder() {
  if (!new_name_.empty() && !is_committed_) remove_new_folder(folder_.get(), new_name_);
}

void ImportFolder::check_state(bool overwrite) {
  const bool has_list = is_taken(folder_.get(), kListName);
  if (has_list && overwrite) earlier_ = read_imported_files(path_ / kListName);
  if (!has_list || overwrite) remove_left_folders();
  std::error_code error;
  if (fs::is_empty(path_, error) || error) return;  // what cannot be listed cannot be written either, and says why
  if (!overwrite) {
    throw InputError(fmt::format(
        "--out: {} is not empty; expected a new or an empty folder, or --overwrite, which replaces an earlier "
        "import there",
        display(shown_)));
  }
  if (!has_list && is_taken(folder_.get(), kCamerasJsonName)) {
    throw InputError(fmt::format("--out: {} has a {} that no import listed in {}; move it away", display(shown_),
                                 kCamerasJsonName, kListName));
  }
}

// Those of programs that were killed. The list has the names of files that cameras.json may refer to.
void ImportFolder::remove_left_folders() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto listed = earlier_.lower_bound(name + "/");
    const bool is_listed = listed != earlier_.end() && listed->first.starts_with(name + "/");
    if (is_new_folder(name) && !is_listed) remove_new_folder(folder_.get(), name);
  }
}

std::vector<fs::path> ImportFolder::earlier_files() const {
  std::vector<fs::path> files;
  for (const auto& [name, hash] : earlier_) files.push_back(path_ / name);
  return files;
}

void ImportFolder::check_free(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    if (!is_taken(folder_.get(), name) || is_as_listed(folder_.get(), name, earlier_)) continue;
    throw InputError(fmt::format("--out: {} was changed after the import; move it away", display(path_ / name)));
  }
  struct stat facts {};
  if (::fstatat(folder_.get(), kMasks, &facts, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(facts.st_mode)) {
    throw InputError(fmt::format("--out: {} is not a folder; move it away", display(path_ / kMasks)));
  }
}

void ImportFolder::begin() {
  std::string name = (path_ / fmt::format("{}XXXXXX", kNewPrefix)).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw_write_error(fmt::format("{}: no folder can be created in it: {}", display(shown_), system_reason()), errno);
  }
  new_name_ = fs::path(name).filename().string();
  make_folder(path_ / new_name_ / kMasks);
}

void ImportFolder::add(const std::string& name, std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (new_name_.empty()) begin();
  }
  write_file_atomically(path_ / new_name_ / name, bytes);
  std::string hash = sha256_hex(bytes);
  const std::lock_guard lock(mutex_);
  added_.emplace(name, std::move(hash));
}

void ImportFolder::write_list(const ImportedFiles& files) const {
  Json json = {{"files", Json::array()}};
  for (const auto& [name, hash] : files) json["files"].push_back({{"path", name}, {"sha256", hash}});
  write_file_atomically(path_ / kListName, json_text(json));
}

void ImportFolder::finish(const std::function<std::string(const std::string& folder)>& cameras) {
  std::vector<std::string> names;
  for (const auto& [name, hash] : added_) names.push_back(name);
  check_free(names);  // the folder may have changed meanwhile
  ImportedFiles both = earlier_;
  for (const auto& [name, hash] : added_) {
    both.emplace(name, hash);
    both.emplace(fmt::format("{}/{}", new_name_, name), hash);
  }
  write_list(both);
  if (is_taken(folder_.get(), kCamerasJsonName)) {
    write_file_atomically(path_ / kCamerasJsonName, cameras(new_name_ + "/"));
    is_committed_ = true;
  }
  for (const auto& [name, hash] : earlier_) remove_if_listed(folder_.get(), name, earlier_);
  move_into_place();
  write_file_atomically(path_ / kCamerasJsonName, cameras(""));
  remove_new_folder(folder_.get(), std::exchange(new_name_, {}));
  write_list(added_);
  earlier_.clear();
  remove_left_folders();
}

void ImportFolder::move_into_place() const {
  make_folder(path_ / kMasks);
  for (const auto& [name, hash] : added_) give_second_name(path_ / new_name_ / name, path_ / name);
  sync_parent_folder(path_ / kMasks / "any");
}

}  // namespace p2mpp
