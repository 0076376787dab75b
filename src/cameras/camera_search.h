#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "cameras/searched_path.h"

namespace p2mpp {

/// The file or folder of a program's cameras, if a path is it or has it. Only starts of files are read.
using FoundCameras = std::optional<std::filesystem::path>;

/// The path itself or a file in it, by extension, whose start contains all words.
[[nodiscard]] FoundCameras file_with(const SearchedPath& path, const char* extension,
                                     std::initializer_list<const char*> words,
                                     std::initializer_list<const char*> folders = {""});

/// The first of these folders with at least two files whose starts contain a word.
[[nodiscard]] FoundCameras folder_with(const SearchedPath& path, const char* extension, const char* word,
                                       std::initializer_list<const char*> folders);

/// What the files of one camera contain, and others beside them do not, such as info.json.
inline constexpr const char* kPolycamKey = "\"t_00\"";
inline constexpr const char* kScannerAppKey = "\"cameraPoseARFrame\"";
inline constexpr const char* kXmpKey = "xcr:FocalLength35mm";

/// Whether a text file has a matrix for parse_matrix_file().
[[nodiscard]] bool has_matrix(const std::filesystem::path& file);

[[nodiscard]] FoundCameras find_matrices(const SearchedPath& path);
[[nodiscard]] FoundCameras find_named_rows(const SearchedPath& path);
[[nodiscard]] FoundCameras find_xmp(const SearchedPath& path);
/// The exports without lenses, too, so that their message names the right one.
[[nodiscard]] FoundCameras find_csv(const SearchedPath& path);
/// Of several files of a pipeline, cameras.sfm has the poses.
[[nodiscard]] FoundCameras find_meshroom(const SearchedPath& path);
/// A folder of poses, a text beside each photograph, and the calibration of all.
struct PoseFiles {
  std::vector<std::filesystem::path> poses;
  FoundCameras lens;  ///< a file; 7-Scenes has none
};
[[nodiscard]] PoseFiles pose_files_in(const SearchedPath& path);
[[nodiscard]] FoundCameras find_pose_files(const SearchedPath& path);

/// The intrinsics beside a .log of Open3D.
[[nodiscard]] FoundCameras open3d_intrinsics(const std::filesystem::path& log);
[[nodiscard]] FoundCameras find_open3d_log(const SearchedPath& path);
[[nodiscard]] FoundCameras find_stray_scanner(const SearchedPath& path);
/// The folder "views" of a scene, or the scene if the views are in it.
[[nodiscard]] FoundCameras find_mve(const SearchedPath& path);
[[nodiscard]] std::vector<std::filesystem::path> mve_views(const SearchedPath& path, const std::string& folder = "");
[[nodiscard]] FoundCameras find_polycam(const SearchedPath& path);
/// An unzipped .r3d has the same as metadata.json as "metadata", without an extension.
[[nodiscard]] FoundCameras find_record3d(const SearchedPath& path);

}  // namespace p2mpp
