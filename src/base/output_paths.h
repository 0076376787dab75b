#pragma once

#include <filesystem>

namespace p2mpp {

// Both are called before anything is computed, so that hours of work do not end with a name that cannot be written.

/// Creates the folder where it is missing. Throws Error if it cannot be made, is something else than a folder, or may
/// not be written to.
void prepare_output_folder(const std::filesystem::path& folder);

/// Throws Error unless the file's folder is there and may be written to, and the name is not a folder's.
void check_output_file(const std::filesystem::path& file);

}  // namespace p2mpp
