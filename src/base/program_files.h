#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace p2mpp {

/// The folder of the file that this code is linked into: the program, libp2mpp.so or a Python module. Symbolic links
/// are resolved. Empty if the system does not say. Thread-safe.
[[nodiscard]] std::filesystem::path module_folder();

/// This program's own file. Empty if the system does not say. Thread-safe.
[[nodiscard]] std::filesystem::path program_file();

/// A program by its name: beside this one, or on PATH. Empty if there is none.
[[nodiscard]] std::filesystem::path find_program(std::string_view name);

/// The folders that may have models, most preferred first: beside the module, where the installation puts them, and
/// beside the build folder. All are relative to the module, so an installation or an unpacked archive can be moved.
[[nodiscard]] std::vector<std::filesystem::path> model_search_folders();

/// The same for companion libraries (p2mpp_cuda, p2mpp_torchscript).
[[nodiscard]] std::vector<std::filesystem::path> library_search_folders();

}  // namespace p2mpp
