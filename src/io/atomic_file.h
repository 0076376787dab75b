#pragma once

#include <filesystem>
#include <string_view>

namespace p2mpp {

/// Writes a whole file beside its final name, syncs it to the disk, then renames it (and syncs the
/// folder): at every moment the final name holds the old bytes, the new ones or nothing. Leaves no
/// temporary file behind when it fails. Throws Error naming the file and the system's reason (no
/// space, no permission, no such folder).
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Makes the name of a file that was created or renamed survive a crash of the machine. Throws Error naming the file.
void sync_folder_of(const std::filesystem::path& path);

}  // namespace p2mpp
