#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cameras/camera_formats.h"
#include "cameras/camera_search.h"
#include "cameras/capture.h"
#include "cameras/named_files.h"
#include "cameras/parsing/left_out.h"
#include "cameras/programs/camera_files.h"
#include "io/image/image_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

using ParseOne = ListedCamera (*)(std::string_view, const std::string&, const std::string&);

/// Of the .json files that have a key: apps write others beside them, such as info.json.
template <ParseOne parse>
CameraList list_of_files(const fs::path& folder, const char* key) {
  CameraList list;
  LeftOut left_out;
  for (const fs::path& file : files_in(folder)) {
    if (lower_extension(file) != ".json") continue;
    const std::string text = read_file(file);
    if (text.find(key) == std::string::npos) continue;
    left_out.read([&] { list.cameras.push_back(parse(text, display(file), file.stem().string())); });
  }
  list.notes = left_out.notes(display(folder), list.cameras.size());
  return list;
}

/// The list of names beside a Bundler file or above it: list.txt, COLMAP's NAME.list.txt of NAME.bundle.out, or the
/// only *list*.txt or .lst (RealityCapture).
FoundCameras bundler_list(const fs::path& file) {
  const fs::path folder = file.parent_path();
  fs::path stem = file.stem();
  if (stem.extension() == ".bundle") stem = stem.stem();
  for (const fs::path& list :
       {folder / (stem.string() + ".list.txt"), folder / "list.txt", folder.parent_path() / "list.txt"}) {
    if (is_file(list)) return list;
  }
  std::vector<fs::path> lists;
  for (const fs::path& each : files_in(folder)) {
    const std::string name = folded(each.filename().string());
    if (name.ends_with(".lst") || (name.ends_with(".txt") && name.find("list") != std::string::npos)) {
      lists.push_back(each);
    }
  }
  return lists.size() == 1 ? FoundCameras(lists.front()) : std::nullopt;
}

/// "images/a photo.jpg 0 1520.4": the two numbers, of which there may be none, are not the name's.
std::string bundler_name(std::string_view line) {
  std::string_view name = trimmed(line);
  for (int i = 0; i < 2; ++i) {
    const std::size_t blank = name.find_last_of(" \t");
    if (blank == std::string_view::npos || !parse_finite(name.substr(blank + 1))) return std::string(trimmed(line));
    name = trimmed(name.substr(0, blank));
  }
  return std::string(name);
}

/// The folder of photographs, from `root`, that has a name, with any image's extension.
std::optional<fs::path> folder_of_name(const fs::path& root, const std::string& name) {
  for (const char* folder : {"", "color", "rgb", "images", "image", "input"}) {
    for (const char* extension : kImageExtensions) {
      if (is_file(root / folder / (name + extension))) return folder;
    }
  }
  return std::nullopt;
}

/// The photographs' names with their folder.
void add_folder(const std::optional<fs::path>& folder, CameraList& list) {
  for (ListedCamera& camera : list.cameras) {
    if (folder) camera.file = (*folder / camera.file).string();
  }
}

/// By the names of their poses or, if no photograph has one, by the order of the bytes of both.
void name_photographs(const fs::path& root, std::size_t pose_count, CameraList& list) {
  if (list.cameras.empty()) return;
  const std::optional<fs::path> folder = folder_of_name(root, list.cameras.front().file);
  std::vector<std::string> names = photographs_by_name(root);
  if (folder || names.size() != pose_count || list.cameras.size() != pose_count) return add_folder(folder, list);
  std::ranges::sort(names);
  std::ranges::sort(list.cameras, {}, &ListedCamera::where);
  for (std::size_t i = 0; i < names.size(); ++i) list.cameras[i].file = names[i];
}

}  // namespace

std::vector<std::string> photographs_beside(const fs::path& file, const fs::path& root) {
  std::vector<std::string> names = photographs_by_name(root);
  if (!names.empty()) return names;
  throw InputError(fmt::format("{}: has no photographs beside it; expected them in {}, or --photographs FOLDER",
                               display(file), display(root / "images")));
}

/// ScanNet: color/0.jpg with pose/0.txt; 7-Scenes: frame-000000.color.png with frame-000000.pose.txt; NSVF: rgb/ and
/// pose/, whose names may differ, in the same order.
Capture read_pose_files(const fs::path& folder, const fs::path& root, const char* kind) {
  const PoseFiles files = pose_files_in(SearchedPath(folder));
  CameraList list;
  LeftOut left_out;
  std::optional<Lens> lens;
  if (files.lens) lens = parse_pose_lens(read_file(*files.lens), display(*files.lens));
  for (const fs::path& file : files.poses) {
    fs::path name = file.stem();
    if (name.extension() == ".pose") name.replace_extension(".color");
    left_out.read([&] { list.cameras.push_back(parse_pose_file(read_file(file), display(file), name.string())); });
  }
  list.notes = left_out.notes(display(folder), list.cameras.size());
  // The Kinect of 7-Scenes, of 640x480 pixels, as its authors give it.
  constexpr double kKinectFocal = 585.0 / 640;
  for (ListedCamera& camera : list.cameras) {
    camera.unit = lens ? LensUnit::kPixels : LensUnit::kLongerSide;
    camera.lens = lens.value_or(Lens{.fx = kKinectFocal, .fy = kKinectFocal});
  }
  if (!lens)
    list.notes.emplace_back("has no calibration; the lens of 7-Scenes is assumed: 585 pixels for a width of 640");
  name_photographs(root, files.poses.size(), list);
  return make_capture(std::move(list), kind, folder, root, {});
}

Capture read_open3d_log(const fs::path& file, const fs::path& root, const char* kind) {
  const FoundCameras intrinsics = open3d_intrinsics(file);
  if (!intrinsics) {
    throw InputError(
        fmt::format("{}: has no lens; expected Open3D's intrinsics, a .json with width, height and "
                    "intrinsic_matrix, beside it",
                    display(file)));
  }
  return make_capture(
      parse_open3d_log(read_file(file), read_file(*intrinsics), display(file), photographs_beside(file, root)), kind,
      file, root, {});
}

Capture read_stray_scanner(const fs::path& file, const fs::path& root, const char* kind) {
  CameraList list =
      parse_stray_scanner(read_file(file), read_file(file.parent_path() / "camera_matrix.csv"), display(file));
  if (photographs_by_name(root).empty() && is_file(root / "rgb.mp4")) {
    throw InputError(
        fmt::format("{}: its photographs are in rgb.mp4; expected them in {}: ffmpeg -i rgb.mp4 "
                    "-start_number 0 images/%06d.jpg",
                    display(file), display(root / "images")));
  }
  if (!list.cameras.empty()) add_folder(folder_of_name(root, list.cameras.front().file), list);
  return make_capture(std::move(list), kind, file, root, {});
}

/// The undistorted picture of each view, or else the original.
Capture read_mve(const fs::path& folder, const fs::path& root, const char* kind) {
  CameraList list;
  LeftOut left_out;
  for (const fs::path& view : mve_views(SearchedPath(folder))) {
    left_out.read([&] {
      std::vector<fs::path> pictures = files_in(view);
      std::erase_if(pictures, [](const fs::path& file) {
        const std::string stem = file.stem().string();
        return !has_image_extension(file) || (stem != "undistorted" && stem != "original");
      });
      if (pictures.empty()) {
        throw InputError(fmt::format("{}: has no undistorted.png and no original.jpg; expected one", display(view)));
      }
      const fs::path& picture = pictures.back();  // undistorted, if it is there
      const ImageSize size = read_image_size(picture);
      const bool is_undistorted = picture.stem() == "undistorted";
      std::optional<ListedCamera> camera = parse_mve_view(read_file(view / "meta.ini"), display(view / "meta.ini"),
                                                          size.width, size.height, is_undistorted);
      if (!camera) return left_out.without_pose();
      camera->file = picture.lexically_relative(root).string();
      list.cameras.push_back(*std::move(camera));
    });
  }
  list.notes = left_out.notes(display(folder), list.cameras.size());
  return make_capture(std::move(list), kind, folder, root, {});
}

Capture read_scanner_app(const fs::path& folder, const fs::path& root, const char* kind) {
  CameraList list = list_of_files<parse_scanner_app>(folder, kScannerAppKey);
  list.up = Eigen::Vector3d::UnitY();
  list.up_is_measured = true;
  list.metres_per_unit = 1;
  return make_capture(std::move(list), kind, folder, root, {});
}

Capture read_matrices(const fs::path& folder, const fs::path& root, const char* kind) {
  CameraList list;
  LeftOut left_out;
  for (const fs::path& file : files_in(folder)) {
    if (!has_matrix(file)) continue;
    std::string name = file.stem().string();
    for (const char* ending : {"_cam", "_P", "_pose", "_camera"}) {
      if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
    }
    left_out.read([&] { list.cameras.push_back(parse_matrix_file(read_file(file), display(file), name)); });
  }
  list.notes = left_out.notes(display(folder), list.cameras.size());
  return make_capture(std::move(list), kind, folder, root, {});
}

Capture read_csv(const fs::path& file, const fs::path& root, const char* kind) {
  Capture capture = read_file_of_cameras<parse_realitycapture_csv>(file, root, kind);
  add_other_angles(capture);
  return capture;
}

Capture read_xmp(const fs::path& folder, const fs::path& root, const char* kind) {
  CameraList all;
  LeftOut left_out;
  for (const fs::path& file : files_in(folder)) {
    if (lower_extension(file) != ".xmp") continue;
    const std::string text = read_file(file);
    left_out.read([&] {
      CameraList one = parse_realitycapture_xmp(text, display(file));
      if (one.cameras.empty() && text.find(kXmpKey) != std::string::npos) left_out.without_pose();
      for (ListedCamera& camera : one.cameras) {
        camera.file = (folder / file.stem()).lexically_relative(root).string();
        all.cameras.push_back(std::move(camera));
      }
      if (one.up) all.up = one.up;
      if (!one.version.empty()) all.version = one.version;
    });
  }
  all.notes = left_out.notes(display(folder), all.cameras.size());
  return make_capture(std::move(all), kind, folder, root, {});
}

Capture read_bundler(const fs::path& file, const fs::path& root, const char* kind) {
  const FoundCameras list = bundler_list(file);
  if (!list) {
    throw InputError(
        fmt::format("{}: has no list.txt beside it; expected one with the photographs' names", display(file)));
  }
  std::vector<std::string> names;
  const std::string text = read_file(*list);
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    if (!trimmed(line).empty()) names.push_back(bundler_name(line));
  }
  return make_capture(parse_bundler(read_file(file), display(file), names), kind, file, list->parent_path(), {root});
}

Capture read_opensfm(const fs::path& file, const fs::path& root, const char* kind) {
  // OpenDroneMap: PROJECT/opensfm/reconstruction.json, PROJECT/images.
  const fs::path folder = file.parent_path();
  const bool is_drone_map = folder.filename() == "opensfm" && !is_same_file(folder, root);
  CameraList list = parse_opensfm(read_file(file), display(file));
  for (ListedCamera& camera : list.cameras) {
    if (is_file(root / "images" / camera.file)) camera.file = "images/" + camera.file;
  }
  return make_capture(std::move(list), kind, file, is_drone_map ? folder.parent_path() : root, {folder});
}

Capture read_polycam(const fs::path& folder, const fs::path& root, const char* kind) {
  const bool corrected = folder.filename() == "corrected_cameras";
  CameraList list = list_of_files<parse_polycam>(folder, kPolycamKey);
  list.up = Eigen::Vector3d::UnitY();
  list.up_is_measured = true;
  list.metres_per_unit = 1;
  for (ListedCamera& camera : list.cameras) {
    const std::string image = (corrected ? "corrected_images/" : "images/") + camera.file;
    camera.file = (folder.parent_path() / image).lexically_relative(root).string();
  }
  return make_capture(std::move(list), kind, folder, root, {});
}

Capture read_bop(const fs::path& file, const fs::path& root, const char* kind) {
  CameraList list = parse_bop(read_file(file), read_file(file.parent_path() / "scene_gt.json"), display(file));
  const std::vector<std::string> names = photographs_by_name(root);
  std::map<std::string, std::string> by_stem;
  for (const std::string& name : names) by_stem.emplace(fs::path(name).stem().string(), name);
  for (ListedCamera& camera : list.cameras) {
    const auto found = by_stem.find(fmt::format("{:0>6}", camera.file));
    const auto place = static_cast<std::size_t>(&camera - list.cameras.data());
    if (found != by_stem.end()) {
      camera.file = found->second;
    } else if (names.size() == list.cameras.size()) {
      camera.file = names[place];
    }
  }
  return make_capture(std::move(list), kind, file, root, {});
}

}  // namespace p2mpp
