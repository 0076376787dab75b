#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace p2mpp {

/// Writes a whole file beside its final name, syncs it to the disk, then renames it (and syncs the
/// folder): at every moment the final name holds the old bytes, the new ones or nothing. Leaves no
/// temporary file behind when it fails. Throws Error naming the file and the system's reason (no
/// space, no permission, no such folder).
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Removes what write_file_atomically() had not yet renamed in a folder when its program or machine died. Nobody else
/// may be writing into the folder. Gives the number of files removed; those that cannot be stay.
std::size_t remove_unfinished_files(const std::filesystem::path& folder);

/// Makes the name of a file that was created or renamed survive a crash of the machine. Throws Error naming the file.
void sync_folder_of(const std::filesystem::path& path);

}  // namespace p2mpp
