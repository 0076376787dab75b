#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file_descriptor.h"

namespace p2mpp {

/// All ways in which messages may name a path, the longest first. Messages for clients name no folder of this machine.
[[nodiscard]] std::vector<std::string> list_spellings(const std::filesystem::path& path);

/// "FOLDER/a.png" becomes "a.png", and "FOLDER" becomes "the folder".
[[nodiscard]] std::string without_folder(std::string text, const std::filesystem::path& folder);

/// The folder of a server's files: uploads while they are computed, results while they are kept. It is created,
/// readable by nobody else, and removed at the end; if the program was killed, by the next one that begins.
/// Thread-safe.
class Spool {
 public:
  /// Creates the folder in `parent`, and removes what servers have left there that are no longer running. The folder
  /// holds at most `most_bytes`. Throws Error.
  Spool(const std::filesystem::path& parent, std::uint64_t most_bytes);
  ~Spool() { remove(); }
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t bytes() const;

  /// Removes the folder with all files.
  void remove() const;

  /// A text without this folder and the names of requests in it: "SPOOL/NAME/input/a.png" becomes "a.png". Who knows
  /// the name of a result can fetch it.
  [[nodiscard]] std::string without_names(std::string text) const;

 private:
  friend class SpoolFolder;

  /// Reserves bytes for a client. Returns false, and reserves none, if it would then have more than its share of what
  /// the others leave. Some room is therefore left for every further client.
  [[nodiscard]] bool reserve(const std::string& client, std::uint64_t bytes);
  /// Counts bytes that are on the disk already, instead of an earlier count of them. Returns whether the client has no
  /// more than its share.
  bool recount(const std::string& client, std::uint64_t before, std::uint64_t now);
  void give_back(const std::string& client, std::uint64_t bytes);
  /// Precondition: the mutex is held.
  [[nodiscard]] std::uint64_t share_of(const std::string& client) const;
  void forget(const std::string& name);
  [[nodiscard]] std::string new_name();

  std::filesystem::path path_;
  std::vector<std::string> spellings_;  // of the path
  FileDescriptor lock_;                 // held while the program runs
  const std::uint64_t most_bytes_;
  mutable std::mutex mutex_;  // guards the members below
  std::uint64_t bytes_ = 0;
  std::map<std::string, std::uint64_t> bytes_of_;  // of each client that has any
  std::set<std::string> names_;                    // of all requests' folders
};

/// A request's folder in the spool, with a name that cannot be guessed. Removed with its files and their bytes at the
/// end.
class SpoolFolder {
 public:
  /// Creates it for a client's request, with input/ in it. Throws Refusal if the disk has no room, or Error.
  SpoolFolder(Spool& spool, std::string client);
  ~SpoolFolder();
  SpoolFolder(const SpoolFolder&) = delete;
  SpoolFolder& operator=(const SpoolFolder&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& client() const { return client_; }
  [[nodiscard]] std::filesystem::path path() const { return spool_.path() / name_; }
  [[nodiscard]] std::filesystem::path input() const { return path() / kInput; }  ///< the client's files
  /// The result's files; does not exist at first.
  [[nodiscard]] std::filesystem::path output() const { return path() / kOutput; }

  /// Reserves bytes for the client's files. Returns false if its share has no room for them.
  [[nodiscard]] bool reserve(std::uint64_t bytes);
  /// Counts anew what is in the folder besides the client's files. Returns whether its share has room for that.
  bool count_written();
  [[nodiscard]] std::uint64_t written() const { return written_; }
  /// Removes the client's files and releases their bytes.
  void drop_input();

  static constexpr const char *kInput = "input", *kOutput = "output";

 private:
  Spool& spool_;
  const std::string client_, name_;
  std::uint64_t received_ = 0, written_ = 0;  ///< bytes
};

/// The latest results, each for a limited time. If there are too many, the client that has most loses its oldest one.
/// Thread-safe.
class ResultStore {
 public:
  ResultStore(std::size_t most, std::chrono::seconds age) : most_(most), age_(age) {}

  void keep(std::shared_ptr<SpoolFolder> folder);

  /// The folder of a result that is still kept, or null. It stays while it is held.
  [[nodiscard]] std::shared_ptr<SpoolFolder> find(const std::string& name);

  [[nodiscard]] std::size_t size() const;

  /// Removes those whose time is over. To be called now and then.
  void forget_old_ones();

 private:
  struct StoredResult {
    Clock::time_point since;
    std::shared_ptr<SpoolFolder> folder;
  };
  void drop_old_ones();
  void drop_one_too_many();

  const std::size_t most_;
  const std::chrono::seconds age_;
  mutable std::mutex mutex_;
  std::deque<StoredResult> results_;  // the oldest first
};

}  // namespace p2mpp
