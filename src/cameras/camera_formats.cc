#include "cameras/camera_formats.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/camera_search.h"
#include "cameras/capture.h"
#include "cameras/named_files.h"
#include "cameras/programs/camera_files.h"
#include "io/image/image_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

/// In the order in which they are tried.
constexpr std::array kProgramFormats = {
    CameraFormat{"Gaussian splatting's cameras.json",
                 [](const SearchedPath& path) {
                   return file_with(path, ".json", {"\"img_name\"", "\"rotation\""});
                 },
                 read_file_of_cameras<parse_gaussian_splatting>},
    CameraFormat{"Metashape XML",
                 [](const SearchedPath& path) {
                   return file_with(path, ".xml", {"<document", "<chunk"});
                 },
                 read_file_of_cameras<parse_metashape>},
    CameraFormat{"RealityCapture CSV", find_csv, read_csv},
    CameraFormat{"RealityCapture XMP", find_xmp, read_xmp},
    CameraFormat{"NeuS cameras.npz", [](const SearchedPath& path) { return file_with(path, ".npz", {"_mat_"}); },
                 read_with_photographs<parse_neus>},
    CameraFormat{"Pix4D",
                 [](const SearchedPath& path) {
                   return file_with(path, ".txt", {"camera model m = K [R|-Rt] X"}, {"", "params", "1_initial/params"});
                 },
                 read_file_of_cameras<parse_pix4d>},
    CameraFormat{"matrices in one file", find_named_rows, read_file_of_cameras<parse_middlebury>},
    CameraFormat{"OpenMVG", [](const SearchedPath& path) { return file_with(path, ".json", {"\"sfm_data_version\""}); },
                 read_file_of_cameras<parse_openmvg>},
    CameraFormat{"Meshroom", find_meshroom, read_file_of_cameras<parse_meshroom>},
    CameraFormat{"OpenMVS", [](const SearchedPath& path) { return file_with(path, ".mvs", {}); },
                 read_file_of_cameras<parse_openmvs>},
    CameraFormat{"MVE", find_mve, read_mve},
    CameraFormat{"Bundler",
                 [](const SearchedPath& path) {
                   return file_with(path, ".out", {"# Bundle file"}, {"", "bundle"});
                 },
                 read_bundler},
    CameraFormat{"VisualSFM", [](const SearchedPath& path) { return file_with(path, ".nvm", {"NVM_V3"}); },
                 read_file_of_cameras<parse_visualsfm>},
    CameraFormat{"OpenSfM",
                 [](const SearchedPath& path) {
                   return file_with(path, ".json", {"\"projection_type\"", "\"cameras\""}, {"", "opensfm"});
                 },
                 read_opensfm},
    CameraFormat{"sdfstudio",
                 [](const SearchedPath& path) {
                   return file_with(path, ".json", {"\"rgb_path\"", "\"camtoworld\""});
                 },
                 read_file_of_cameras<parse_sdfstudio>},
    CameraFormat{"Polycam", find_polycam, read_polycam},
    CameraFormat{"3D Scanner App",
                 [](const SearchedPath& path) {
                   return folder_with(path, ".json", kScannerAppKey, {"", "frames"});
                 },
                 read_scanner_app},
    CameraFormat{"OpenScan3",
                 [](const SearchedPath& path) {
                   return folder_with(path, ".json", "\"polar_coordinates\"", {"metadata", "scan01/metadata"});
                 },
                 read_openscan},
    CameraFormat{"Record3D", find_record3d, read_with_photographs<parse_record3d>},
    CameraFormat{"Stray Scanner", find_stray_scanner, read_stray_scanner},
    CameraFormat{"Open3D trajectory",
                 [](const SearchedPath& path) { return file_with(path, ".json", {"\"PinholeCameraTrajectory\""}); },
                 read_with_photographs<parse_open3d_trajectory>},
    CameraFormat{"Open3D log", find_open3d_log, read_open3d_log},
    CameraFormat{"LLFF poses_bounds.npy",
                 [](const SearchedPath& path) {
                   return file_with(path, ".npy", {"NUMPY", ", 17)"});
                 },
                 read_with_photographs<parse_llff>},
    CameraFormat{"BOP",
                 [](const SearchedPath& path) {
                   const FoundCameras file = file_with(path, ".json", {"\"cam_K\""});
                   return file && is_file(file->parent_path() / "scene_gt.json") ? file : std::nullopt;
                 },
                 read_bop},
    CameraFormat{"poses of ScanNet, 7-Scenes or NSVF", find_pose_files, read_pose_files},
    CameraFormat{"matrices in text", find_matrices, read_matrices},
};

/// Files of programs whose cameras are not read, and what makes readable ones of them.
struct Unread {
  const char* ending;
  const char* what;
  const char* step;
};

constexpr std::array kUnread = {
    Unread{"frame_annotations.jgz", "CO3D",
           "convert it to a transforms.json, or run COLMAP on the photographs of one sequence"},
    Unread{".psx", "a project of Metashape", "use File > Export > Export Cameras (Agisoft XML)"},
    Unread{".psz", "a project of Metashape", "use File > Export > Export Cameras (Agisoft XML)"},
    Unread{".rcproj", "a project of RealityCapture", "export its registration as CSV or COLMAP"},
    Unread{".rsproj", "a project of RealityScan", "export its registration as CSV or COLMAP"},
    Unread{".r3d", "a recording of Record3D", "export it as 'EXR + RGB', or unzip it"},
    Unread{".zip", "an archive", "unzip it"},
    Unread{"database.db", "COLMAP's features without a model", "run `colmap mapper`"},
    Unread{".abc", "Alembic", "export cameras.sfm (Meshroom), or Agisoft XML"},
};

}  // namespace

std::span<const CameraFormat> camera_formats() { return kProgramFormats; }

std::string missing_step(const fs::path& path) {
  const SearchedPath searched(path);
  for (const Unread& unread : kUnread) {
    for (const fs::path& file : searched.files()) {
      const std::string name = folded(file.filename().string());
      if (!name.ends_with(unread.ending)) continue;
      return fmt::format("{} is {}, which is not read: {}", display(file.filename()), unread.what, unread.step);
    }
  }
  if (searched.is_file()) {
    const std::string extension = lower_extension(path);
    const bool is_video = extension == ".mp4" || extension == ".mov";
    return is_video ? "is a video: p2mpp-photos --video FILE takes photographs from it (docs/photos.md)" : "";
  }
  const std::size_t count = photographs_by_name(path).size();
  if (count < kMinPhotographs) {
    const std::string unread =
        describe_unread_images(searched.entries()) + describe_unread_images(searched.entries("images"));
    if (unread.empty()) return {};
    return fmt::format("has no cameras{}. p2mpp-photos reads HEIC and TIFF, too, and finds cameras (docs/photos.md)",
                       unread);
  }
  const fs::path full = fs::absolute(path / "").lexically_normal().parent_path(), above = full.parent_path();
  const std::vector<std::string> of_above = photographs_by_name(above);
  if (!of_above.empty() && *fs::path(of_above.front()).begin() == full.filename() && is_capture(above)) {
    const fs::path given = (path / "").lexically_normal().parent_path();
    return fmt::format("has {} photographs and no cameras, which are in the folder above: give {}", count,
                       display(given.has_parent_path() ? given.parent_path() : above));
  }
  return fmt::format(
      "has {} photographs and no cameras: let p2mpp-photos or COLMAP find them (docs/photos.md), write their angles "
      "into cameras.txt (docs/inputs.md), or give --turntable",
      count);
}

}  // namespace p2mpp
