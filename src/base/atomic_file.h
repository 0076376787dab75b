#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "p2mpp/error.h"

namespace p2mpp {

/// A disk on which nothing more can be written: full, over its quota, mounted read-only, or faulty.
class DiskError : public Error {
  using Error::Error;
};

/// Throws DiskError if the system's error number means that, else Error.
[[noreturn]] void throw_write_error(const std::string& message, int error);

/// A file under a temporary name beside its final one. The destructor removes it unless put_in_place() was called.
class UnfinishedFile {
 public:
  /// Writes the bytes without syncing them to the disk. Throws Error naming the final name and the system's reason (no
  /// space, no permission, no such folder, a folder or a device of that name).
  UnfinishedFile(std::filesystem::path path, std::string_view bytes);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }  ///< the final name

  /// Renames the file to its final name and replaces an existing file. Sync it first: otherwise a crash of the machine
  /// may leave an empty file under that name. Throws Error.
  void put_in_place();

 private:
  friend void sync_to_disk(std::span<const UnfinishedFile> files);

  Uninterrupted until_in_place_;  // a program that a signal ends leaves no temporary file
  std::filesystem::path path_, temporary_path_;
  FileDescriptor file_;
  bool is_there_ = true;  // under its temporary name
};

/// Syncs files to the disk, so that they survive a crash of the machine. Precondition: all are in one file system. Many
/// files are synced by one call for the whole file system, which costs about as much as syncing two single files.
/// Throws Error naming a file.
void sync_to_disk(std::span<const UnfinishedFile> files);

/// Writes a file under a temporary name, syncs it, renames it and syncs the folder. At any time the final name has the
/// old bytes, the new bytes or does not exist. Throws Error as UnfinishedFile does.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Removes the temporary files that a crashed program or machine left in a folder. Precondition: nobody is writing into
/// the folder. Returns the number of files removed; files that cannot be removed are skipped.
std::size_t remove_unfinished_files(const std::filesystem::path& folder);

/// Syncs the folder of a file that was created or renamed, so that its name survives a crash. Throws Error naming the
/// file.
void sync_parent_folder(const std::filesystem::path& path);

// Both functions are called before anything is computed, so that a path that cannot be written is reported at once.

/// Creates the folder, and those around it, if they are missing, and syncs their names. Throws Error if it cannot be
/// created, is not a folder, or is not writable.
void prepare_output_folder(const std::filesystem::path& folder);

/// Throws Error unless the file's folder exists and is writable, and the path is not a folder.
void check_output_file(const std::filesystem::path& file);

}  // namespace p2mpp
