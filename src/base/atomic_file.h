#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/file_descriptor.h"

namespace p2mpp {

/// A file that is written beside its final name and does not have it yet. Gone without a trace unless it gets it.
class UnfinishedFile {
 public:
  /// Writes the bytes; they need not be on the disk yet. Throws Error naming the final name and the system's reason (no
  /// space, no permission, no such folder, a folder or a device of that name).
  UnfinishedFile(std::filesystem::path path, std::string_view bytes);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }  ///< the final name

  /// Gives it its name: whoever had it is replaced. To be synced first, or a crash of the machine may leave an empty
  /// file under the name. Throws Error.
  void put_in_place();

 private:
  friend void sync_to_disk(std::span<const UnfinishedFile> files);

  std::filesystem::path path_, temporary_path_;
  FileDescriptor file_;
  bool is_there_ = true;  // under its temporary name
};

/// Makes the bytes of files of one file system survive a crash of the machine. Many are synced by one call for all that
/// the file system has in memory, which costs about as much as two of them by themselves. Throws Error naming a file.
void sync_to_disk(std::span<const UnfinishedFile> files);

/// Writes a whole file, syncs it to the disk, then gives it its name (and syncs the folder): at every moment the final
/// name holds the old bytes, the new ones or nothing. Throws Error as UnfinishedFile does.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Removes what had not got its final name in a folder when its program or machine died. Nobody else
/// may be writing into the folder. Gives the number of files removed; those that cannot be stay.
std::size_t remove_unfinished_files(const std::filesystem::path& folder);

/// Makes the name of a file that was created or renamed survive a crash of the machine. Throws Error naming the file.
void sync_folder_of(const std::filesystem::path& path);

// Both are called before anything is computed, so that hours of work do not end with a name that cannot be written.

/// Creates the folder where it is missing. Throws Error if it cannot be made, is something else than a folder, or may
/// not be written to.
void prepare_output_folder(const std::filesystem::path& folder);

/// Throws Error unless the file's folder is there and may be written to, and the name is not a folder's.
void check_output_file(const std::filesystem::path& file);

}  // namespace p2mpp
