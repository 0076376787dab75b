#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/file_descriptor.h"

namespace p2mpp {

/// The folder of a server's files: uploads while they are computed, results while they are kept. It is created,
/// readable by nobody else, and removed at the end; if the program was killed, by the next one that begins.
/// Thread-safe.
class Spool {
 public:
  /// Creates the folder in `parent`, and removes what servers have left there that are no longer running. The folder
  /// holds at most `most_bytes`. Throws Error.
  Spool(const std::filesystem::path& parent, std::uint64_t most_bytes);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Reserves bytes. Returns false, and reserves none, if there is no room for them.
  [[nodiscard]] bool reserve(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { bytes_ -= bytes; }

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;  // held while the program runs
  const std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> bytes_ = 0;
};

/// A request's folder in the spool, with a name that cannot be guessed. Removed with its files and their bytes at the
/// end.
class SpoolFolder {
 public:
  /// Creates it, with input/ in it. Throws Refusal if the disk has no room, or Error.
  explicit SpoolFolder(Spool& spool);
  ~SpoolFolder();
  SpoolFolder(const SpoolFolder&) = delete;
  SpoolFolder& operator=(const SpoolFolder&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::filesystem::path input() const;   ///< the client's files
  [[nodiscard]] std::filesystem::path output() const;  ///< the result's files; does not exist at first

  /// Reserves bytes for the client's files. Returns false if there is no room for them.
  [[nodiscard]] bool reserve(std::uint64_t bytes);
  /// Removes the client's files and releases their bytes. After this call, the result's files are counted.
  void drop_input();

 private:
  Spool& spool_;
  std::string name_;
  std::uint64_t bytes_ = 0;
};

/// The latest results, each for a limited time. Thread-safe.
class ResultStore {
 public:
  using Clock = std::chrono::steady_clock;

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

  const std::size_t most_;
  const std::chrono::seconds age_;
  mutable std::mutex mutex_;
  std::deque<StoredResult> results_;  // the oldest first
};

}  // namespace p2mpp
