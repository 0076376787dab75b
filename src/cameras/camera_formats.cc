#include "cameras/camera_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/capture_images.h"
#include "cameras/folder_files.h"
#include "cameras/named_files.h"
#include "cameras/parsing/text_rows.h"
#include "cameras/pose_alternatives.h"
#include "cameras/programs/camera_files.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;
using Found = std::optional<fs::path>;

/// The path itself or a file in it, by extension, whose start contains all words.
Found file_with(const fs::path& path, const char* extension, std::initializer_list<const char*> words,
                std::initializer_list<const char*> folders = {""}) {
  const auto fits = [&](const fs::path& file) {
    if (lower_extension(file) != extension) return false;
    const std::string head = file_head(file);
    return std::ranges::all_of(words, [&](const char* word) { return head.find(word) != std::string::npos; });
  };
  if (is_file(path)) return fits(path) ? Found(path) : std::nullopt;
  for (const char* folder : folders) {
    for (const fs::path& file : files_in(path / folder)) {
      if (fits(file)) return file;
    }
  }
  return std::nullopt;
}

/// The first of these folders with at least two files whose starts contain a word.
Found folder_with(const fs::path& path, const char* extension, const char* word,
                  std::initializer_list<const char*> folders) {
  for (const char* folder : folders) {
    int count = 0;
    for (const fs::path& file : files_in(path / folder)) {
      if (lower_extension(file) == extension && file_head(file).find(word) != std::string::npos) ++count;
      if (count == 2) return (path / folder).lexically_normal();
    }
  }
  return std::nullopt;
}

// --- A file of all cameras -----------------------------------------------------------------------------------------

using Parse = CameraList (*)(std::string_view, const std::string&);

template <Parse parse>
Capture read_file_of_cameras(const fs::path& file, const fs::path& root, const char* kind) {
  return capture_of(parse(read_file(file), display(file)), kind, file, root, {file.parent_path()});
}

/// The photographs' names come from their folder, in the order of their names.
using ParseNamed = CameraList (*)(std::string_view, const std::string&, const std::vector<std::string>&);

template <ParseNamed parse>
Capture read_with_photographs(const fs::path& file, const fs::path& root, const char* kind) {
  const std::vector<std::string> names = photographs_by_name(root);
  if (names.empty()) {
    throw InputError(fmt::format("{}: has no photographs beside it; expected them in {}, or --photographs FOLDER",
                                 display(file), display(root / "images")));
  }
  return capture_of(parse(read_file(file), display(file), names), kind, file, root, {});
}

// --- A file for each camera -----------------------------------------------------------------------------------------

using ParseOne = ListedCamera (*)(std::string_view, const std::string&, const std::string&);

constexpr const char* kPolycamKey = "\"t_00\"";
constexpr const char* kScannerAppKey = "\"cameraPoseARFrame\"";

/// Of the .json files that have a key: apps write others beside them, such as info.json.
template <ParseOne parse>
CameraList list_of_files(const fs::path& folder, const char* key) {
  CameraList list;
  for (const fs::path& file : files_in(folder)) {
    if (lower_extension(file) != ".json") continue;
    const std::string text = read_file(file);
    if (text.find(key) == std::string::npos) continue;
    list.cameras.push_back(parse(text, display(file), file.stem().string()));
  }
  return list;
}

Capture read_scanner_app(const fs::path& folder, const fs::path& root, const char* kind) {
  CameraList list = list_of_files<parse_scanner_app>(folder, kScannerAppKey);
  list.up = Eigen::Vector3d::UnitY();
  list.up_is_measured = true;
  return capture_of(std::move(list), kind, folder, root, {});
}

bool has_matrix(const fs::path& file) {
  if (lower_extension(file) != ".txt") return false;
  const std::string head = file_head(file);
  if (head.find("extrinsic") != std::string::npos) return true;
  const std::string_view text = without_byte_order_mark(head);
  const std::size_t line = text.find('\n');
  const std::string_view after =
      text.starts_with("CONTOUR") && line != std::string_view::npos ? text.substr(line) : text;
  const std::optional<std::vector<double>> numbers = numbers_in(after);
  return numbers && (numbers->size() == 12 || numbers->size() == 16 || numbers->size() == 21);
}

Found find_matrices(const fs::path& path) {
  for (const char* folder : {"calib", "cams", "cameras", "camera", "poses", "pose", "txt", "images", ""}) {
    const std::vector<fs::path> files = files_in(path / folder);
    if (std::ranges::count_if(files, has_matrix) >= 2) return (path / folder).lexically_normal();
  }
  return std::nullopt;
}

Capture read_matrices(const fs::path& folder, const fs::path& root, const char* kind) {
  CameraList list;
  for (const fs::path& file : files_in(folder)) {
    if (!has_matrix(file)) continue;
    std::string name = file.stem().string();
    for (const char* ending : {"_cam", "_P", "_pose", "_camera"}) {
      if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
    }
    list.cameras.push_back(parse_matrix_file(read_file(file), display(file), name));
  }
  return capture_of(std::move(list), kind, folder, root, {});
}

Found find_named_rows(const fs::path& path) {
  const auto fits = [](const fs::path& file) {
    if (lower_extension(file) != ".txt") return false;
    const std::string head = file_head(file);
    LineReader lines(head);
    for (std::string_view line; lines.next(line);) {
      std::size_t count = 0;
      const std::string_view name = take_column(line);
      if (name.empty() || name.starts_with('#')) continue;
      for (; !take_column(line).empty();) ++count;
      if (count == 0 && parse_finite(name)) continue;  // how many rows follow
      return (count == 12 || count == 21) && !parse_finite(name) && image_stem(name) != name;
    }
    return false;
  };
  if (is_file(path)) return fits(path) ? Found(path) : std::nullopt;
  for (const fs::path& file : files_in(path)) {
    if (fits(file)) return file;
  }
  return std::nullopt;
}

// --- Programs with layouts of their own ------------------------------------------------------------------------------

Found find_xmp(const fs::path& path) {
  return folder_with(path, ".xmp", "xcr:FocalLength35mm", {"", "images", "image", "input", "photos"});
}

Capture read_csv(const fs::path& file, const fs::path& root, const char* kind) {
  Capture capture = read_file_of_cameras<parse_realitycapture_csv>(file, root, kind);
  add_other_angles(capture);
  return capture;
}

Capture read_xmp(const fs::path& folder, const fs::path& root, const char* kind) {
  CameraList all;
  for (const fs::path& file : files_in(folder)) {
    if (lower_extension(file) != ".xmp") continue;
    CameraList one = parse_realitycapture_xmp(read_file(file), display(file));
    for (ListedCamera& camera : one.cameras) {
      camera.file = (folder / file.stem()).lexically_relative(root).string();
      all.cameras.push_back(std::move(camera));
    }
    if (one.up) all.up = one.up;
  }
  return capture_of(std::move(all), kind, folder, root, {});
}

/// The names in list.txt beside a bundle.out or above it: "images/a.jpg 0 1520.4".
Capture read_bundler(const fs::path& file, const fs::path& root, const char* kind) {
  const fs::path folder = file.parent_path();
  for (const fs::path& place : {folder, folder.parent_path()}) {
    const fs::path list = place / "list.txt";
    if (!is_file(list)) continue;
    std::vector<std::string> names;
    for_each_row(read_file(list), display(list),
                 [&](Columns columns, LineReader&) { names.emplace_back(columns.word("photograph's name")); });
    return capture_of(parse_bundler(read_file(file), display(file), names), kind, file, place, {root});
  }
  throw InputError(
      fmt::format("{}: has no list.txt beside it; expected one with the photographs' names", display(file)));
}

Capture read_opensfm(const fs::path& file, const fs::path& root, const char* kind) {
  // OpenDroneMap: PROJECT/opensfm/reconstruction.json, PROJECT/images.
  const fs::path folder = file.parent_path();
  const bool is_drone_map = folder.filename() == "opensfm" && !is_same_file(folder, root);
  CameraList list = parse_opensfm(read_file(file), display(file));
  for (ListedCamera& camera : list.cameras) {
    if (is_file(root / "images" / camera.file)) camera.file = "images/" + camera.file;
  }
  return capture_of(std::move(list), kind, file, is_drone_map ? folder.parent_path() : root, {folder});
}

Found find_polycam(const fs::path& path) {
  return folder_with(path, ".json", kPolycamKey,
                     {"keyframes/corrected_cameras", "keyframes/cameras", "corrected_cameras", "cameras", ""});
}

Capture read_polycam(const fs::path& folder, const fs::path& root, const char* kind) {
  const bool corrected = folder.filename() == "corrected_cameras";
  CameraList list = list_of_files<parse_polycam>(folder, kPolycamKey);
  list.up = Eigen::Vector3d::UnitY();
  list.up_is_measured = true;
  for (ListedCamera& camera : list.cameras) {
    const std::string image = (corrected ? "corrected_images/" : "images/") + camera.file;
    camera.file = (folder.parent_path() / image).lexically_relative(root).string();
  }
  return capture_of(std::move(list), kind, folder, root, {});
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
  return capture_of(std::move(list), kind, file, root, {});
}

/// In the order in which they are tried.
constexpr std::array kProgramFormats = {
    CameraFormat{"Gaussian splatting's cameras.json",
                 [](const fs::path& path) {
                   return file_with(path, ".json", {"\"img_name\"", "\"rotation\""});
                 },
                 read_file_of_cameras<parse_gaussian_splatting>},
    CameraFormat{"Metashape XML",
                 [](const fs::path& path) {
                   return file_with(path, ".xml", {"<document", "<chunk"});
                 },
                 read_file_of_cameras<parse_metashape>},
    CameraFormat{"RealityCapture CSV",
                 [](const fs::path& path) {
                   return file_with(path, ".csv", {"#name", "heading"});
                 },
                 read_csv},
    CameraFormat{"RealityCapture XMP", find_xmp, read_xmp},
    CameraFormat{"NeuS cameras.npz", [](const fs::path& path) { return file_with(path, ".npz", {"_mat_"}); },
                 read_with_photographs<parse_neus>},
    CameraFormat{"matrices in one file", find_named_rows, read_file_of_cameras<parse_middlebury>},
    CameraFormat{"OpenMVG", [](const fs::path& path) { return file_with(path, ".json", {"\"sfm_data_version\""}); },
                 read_file_of_cameras<parse_openmvg>},
    CameraFormat{"Meshroom", [](const fs::path& path) { return file_with(path, ".sfm", {}); },
                 read_file_of_cameras<parse_meshroom>},
    CameraFormat{"Bundler",
                 [](const fs::path& path) {
                   return file_with(path, ".out", {"# Bundle file"}, {"", "bundle"});
                 },
                 read_bundler},
    CameraFormat{"VisualSFM", [](const fs::path& path) { return file_with(path, ".nvm", {"NVM_V3"}); },
                 read_file_of_cameras<parse_visualsfm>},
    CameraFormat{"OpenSfM",
                 [](const fs::path& path) {
                   return file_with(path, ".json", {"\"projection_type\"", "\"cameras\""}, {"", "opensfm"});
                 },
                 read_opensfm},
    CameraFormat{"Polycam", find_polycam, read_polycam},
    CameraFormat{"3D Scanner App",
                 [](const fs::path& path) {
                   return folder_with(path, ".json", kScannerAppKey, {"", "frames"});
                 },
                 read_scanner_app},
    CameraFormat{"Record3D",
                 [](const fs::path& path) {
                   return file_with(path, ".json", {"\"poses\"", "\"K\""});
                 },
                 read_with_photographs<parse_record3d>},
    CameraFormat{"LLFF poses_bounds.npy",
                 [](const fs::path& path) {
                   return file_with(path, ".npy", {"NUMPY", ", 17)"});
                 },
                 read_with_photographs<parse_llff>},
    CameraFormat{"BOP",
                 [](const fs::path& path) {
                   const Found file = file_with(path, ".json", {"\"cam_K\""});
                   return file && is_file(file->parent_path() / "scene_gt.json") ? file : std::nullopt;
                 },
                 read_bop},
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
    Unread{".mvs", "a scene of OpenMVS", "use the COLMAP or OpenMVG files that it was made from"},
    Unread{".r3d", "a recording of Record3D", "export it as 'EXR + RGB', or unzip it"},
    Unread{".zip", "an archive", "unzip it"},
    Unread{"database.db", "COLMAP's features without a model", "run `colmap mapper`"},
    Unread{".abc", "Alembic", "export cameras.sfm (Meshroom), or Agisoft XML"},
};

}  // namespace

std::span<const CameraFormat> camera_formats() { return kProgramFormats; }

std::string missing_step(const fs::path& path) {
  std::vector<fs::path> files = is_file(path) ? std::vector<fs::path>{path} : files_in(path);
  for (const Unread& unread : kUnread) {
    for (const fs::path& file : files) {
      const std::string name = folded(file.filename().string());
      if (!name.ends_with(unread.ending)) continue;
      return fmt::format("{} is {}, which is not read: {}", display(file.filename()), unread.what, unread.step);
    }
  }
  if (is_file(path)) {
    const std::string extension = lower_extension(path);
    const bool is_video = extension == ".mp4" || extension == ".mov";
    return is_video ? "is a video: p2mpp-photos --video FILE takes photographs from it (docs/photos.md)" : "";
  }
  const std::size_t count = photographs_by_name(path).size();
  if (count < kMinPhotographs) {
    const std::string unread = describe_unread_images(path) + describe_unread_images(path / "images");
    if (unread.empty()) return {};
    return fmt::format("has no cameras{}. p2mpp-photos reads HEIC and TIFF, too, and finds cameras (docs/photos.md)",
                       unread);
  }
  return fmt::format(
      "has {} photographs and no cameras: let p2mpp-photos or COLMAP find them (docs/photos.md), write their angles "
      "into cameras.txt (docs/inputs.md), or give --turntable",
      count);
}

}  // namespace p2mpp
