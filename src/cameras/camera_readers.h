#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/camera_list.h"
#include "cameras/folder_files.h"

namespace p2mpp {

/// Readers for the rows of camera_formats(): of what a search found, with the photographs below `root`. They throw as
/// read_capture().

using Parse = CameraList (*)(std::string_view, const std::string&);

/// Of a file that names all photographs.
template <Parse parse>
Capture read_file_of_cameras(const std::filesystem::path& file, const std::filesystem::path& root, const char* kind) {
  return capture_of(parse(read_file(file), display(file)), kind, file, root, {file.parent_path()});
}

using ParseNamed = CameraList (*)(std::string_view, const std::string&, const std::vector<std::string>&);

/// The photographs of a folder, of which a file says nothing but their order. Throws InputError if there is none.
[[nodiscard]] std::vector<std::string> photographs_beside(const std::filesystem::path& file,
                                                          const std::filesystem::path& root);

/// Of a file for the photographs of a folder, in the order of their names.
template <ParseNamed parse>
Capture read_with_photographs(const std::filesystem::path& file, const std::filesystem::path& root, const char* kind) {
  return capture_of(parse(read_file(file), display(file), photographs_beside(file, root)), kind, file, root, {});
}

[[nodiscard]] Capture read_matrices(const std::filesystem::path& folder, const std::filesystem::path& root,
                                    const char* kind);
[[nodiscard]] Capture read_csv(const std::filesystem::path& file, const std::filesystem::path& root, const char* kind);
[[nodiscard]] Capture read_xmp(const std::filesystem::path& folder, const std::filesystem::path& root,
                               const char* kind);
[[nodiscard]] Capture read_bundler(const std::filesystem::path& file, const std::filesystem::path& root,
                                   const char* kind);
[[nodiscard]] Capture read_opensfm(const std::filesystem::path& file, const std::filesystem::path& root,
                                   const char* kind);
[[nodiscard]] Capture read_polycam(const std::filesystem::path& folder, const std::filesystem::path& root,
                                   const char* kind);
[[nodiscard]] Capture read_scanner_app(const std::filesystem::path& folder, const std::filesystem::path& root,
                                       const char* kind);
[[nodiscard]] Capture read_pose_files(const std::filesystem::path& folder, const std::filesystem::path& root,
                                      const char* kind);
[[nodiscard]] Capture read_open3d_log(const std::filesystem::path& file, const std::filesystem::path& root,
                                      const char* kind);
[[nodiscard]] Capture read_stray_scanner(const std::filesystem::path& file, const std::filesystem::path& root,
                                         const char* kind);
[[nodiscard]] Capture read_mve(const std::filesystem::path& folder, const std::filesystem::path& root,
                               const char* kind);
[[nodiscard]] Capture read_openscan(const std::filesystem::path& folder, const std::filesystem::path& root,
                                    const char* kind);
[[nodiscard]] Capture read_bop(const std::filesystem::path& file, const std::filesystem::path& root, const char* kind);

}  // namespace p2mpp
