#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/camera_list.h"
#include "cameras/camera_search.h"
#include "cameras/read_capture.h"
#include "io/image/image_folder.h"

namespace p2mpp {

/// Reads what a search found, with the photographs below `root`. Throws as read_capture().
using ReadCameras = Capture(const std::filesystem::path& found, const std::filesystem::path& root, const char* kind);

/// A format of cameras other than COLMAP's models and transforms.json: a row for each program.
struct CameraFormat {
  const char* kind;  ///< as Capture::kind
  /// The file or folder to read, if the path is it or has it. Reads at most the start of files.
  FoundCameras (*find)(const SearchedPath& path);
  ReadCameras* read;
};

[[nodiscard]] std::span<const CameraFormat> camera_formats();

/// What a path without readable cameras seems to be, and the step that is missing: "has 24 photographs and no cameras;
/// expected ...". Empty if it is nothing known.
[[nodiscard]] std::string missing_step(const std::filesystem::path& path);

// Readers for the rows of camera_formats().

using Parse = CameraList (*)(std::string_view, const std::string&);

/// Of a file that names all photographs.
template <Parse parse>
Capture read_file_of_cameras(const std::filesystem::path& file, const std::filesystem::path& root, const char* kind) {
  return make_capture(parse(read_file(file), display(file)), kind, file, root, {file.parent_path()});
}

using ParseNamed = CameraList (*)(std::string_view, const std::string&, const std::vector<std::string>&);

/// The photographs of a folder, of which a file says nothing but their order. Throws InputError if there is none.
[[nodiscard]] std::vector<std::string> photographs_beside(const std::filesystem::path& file,
                                                          const std::filesystem::path& root);

/// Of a file for the photographs of a folder, in the order of their names.
template <ParseNamed parse>
Capture read_with_photographs(const std::filesystem::path& file, const std::filesystem::path& root, const char* kind) {
  return make_capture(parse(read_file(file), display(file), photographs_beside(file, root)), kind, file, root, {});
}

[[nodiscard]] ReadCameras read_matrices, read_csv, read_xmp, read_bundler, read_opensfm, read_polycam, read_scanner_app,
    read_pose_files, read_open3d_log, read_stray_scanner, read_mve, read_openscan, read_bop;

}  // namespace p2mpp
