#include "cameras/camera_search.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/named_files.h"
#include "cameras/parsing/text_rows.h"

namespace p2mpp {

namespace fs = std::filesystem;

namespace {

template <typename Fits>
FoundCameras first_file(const SearchedPath& path, std::initializer_list<const char*> folders, const Fits& fits) {
  for (const char* folder : folders) {
    for (const fs::path& file : path.files(folder)) {
      if (fits(file)) return file;
    }
  }
  return std::nullopt;
}

}  // namespace

FoundCameras file_with(const SearchedPath& path, const char* extension, std::initializer_list<const char*> words,
                       std::initializer_list<const char*> folders) {
  return first_file(path, folders, [&](const fs::path& file) {
    if (lower_extension(file) != extension) return false;
    const std::string head = file_head(file);
    return std::ranges::all_of(words, [&](const char* word) { return head.find(word) != std::string::npos; });
  });
}

FoundCameras folder_with(const SearchedPath& path, const char* extension, const char* word,
                         std::initializer_list<const char*> folders) {
  for (const char* folder : folders) {
    int count = 0;
    for (const fs::path& file : path.files(folder)) {
      if (lower_extension(file) == extension && file_head(file).find(word) != std::string::npos) ++count;
      if (count == 2) return (path.path() / folder).lexically_normal();
    }
  }
  return std::nullopt;
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

FoundCameras find_matrices(const SearchedPath& path) {
  for (const char* folder : {"calib", "cams", "cameras", "camera", "poses", "pose", "txt", "images", ""}) {
    if (std::ranges::count_if(path.files(folder), has_matrix) >= 2) return (path.path() / folder).lexically_normal();
  }
  return std::nullopt;
}

FoundCameras find_named_rows(const SearchedPath& path) {
  return first_file(path, {""}, [](const fs::path& file) {
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
  });
}

FoundCameras find_xmp(const SearchedPath& path) {
  return folder_with(path, ".xmp", kXmpKey, {"", "images", "image", "input", "photos"});
}

FoundCameras find_csv(const SearchedPath& path) {
  for (const char* angle : {"heading", "yaw", "omega"}) {
    if (FoundCameras found = file_with(path, ".csv", {"#name", angle})) return found;
  }
  return std::nullopt;
}

FoundCameras find_meshroom(const SearchedPath& path) {
  const auto has_poses = [](const fs::path& file) { return file.filename() == "cameras.sfm"; };
  if (FoundCameras found = first_file(path, {""}, has_poses)) return found;
  if (FoundCameras found = file_with(path, ".sfm", {})) return found;
  return file_with(path, ".json", {"\"viewId\"", "\"path\""});
}

namespace {

/// 16 numbers with the last row 0 0 0 1. A pose that a program did not find has infinities.
bool is_pose_file(const fs::path& file) {
  if (lower_extension(file) != ".txt") return false;
  std::string head = file_head(file, 2048);
  LineReader lines(head);
  std::vector<std::string_view> words;
  for (std::string_view line; lines.next(line);) {
    for (std::string_view word = take_column(line); !word.empty(); word = take_column(line)) words.push_back(word);
  }
  if (words.size() != 16) return false;
  const auto is_number = [](std::string_view word) {
    return parse_finite(word).has_value() || lower_case(word).find("inf") != std::string::npos ||
           lower_case(word).find("nan") != std::string::npos;
  };
  if (!std::ranges::all_of(words, is_number)) return false;
  const bool is_lost = !numbers_in(head);
  return is_lost || (parse_finite(words[12]) == 0.0 && parse_finite(words[13]) == 0.0 &&
                     parse_finite(words[14]) == 0.0 && parse_finite(words[15]) == 1.0);
}

}  // namespace

PoseFiles pose_files_in(const SearchedPath& path) {
  PoseFiles found;
  for (const char* folder : {"pose", "poses", ""}) {
    std::ranges::copy_if(path.files(folder), std::back_inserter(found.poses), is_pose_file);
    if (found.poses.size() >= 2) break;
    found.poses.clear();
  }
  for (const char* name : {"intrinsics.txt", "intrinsic/intrinsic_color.txt", "intrinsic_color.txt",
                           "camera-intrinsics.txt", "../camera-intrinsics.txt", "intrinsic.txt"}) {
    if (!found.lens && path.has(name)) found.lens = (path.path() / name).lexically_normal();
  }
  if (found.lens) std::erase(found.poses, *found.lens);
  return found;
}

FoundCameras find_pose_files(const SearchedPath& path) {
  const PoseFiles found = pose_files_in(path);
  const bool is_7_scenes = !found.poses.empty() && found.poses.front().stem().extension() == ".pose";
  return found.poses.size() >= 2 && (found.lens || is_7_scenes) ? FoundCameras(path.path()) : std::nullopt;
}

FoundCameras open3d_intrinsics(const fs::path& log) {
  return file_with(SearchedPath(log.parent_path()), ".json", {"\"intrinsic_matrix\""});
}

FoundCameras find_open3d_log(const SearchedPath& path) {
  return first_file(path, {""}, [](const fs::path& file) {
    if (lower_extension(file) != ".log") return false;
    std::string head = file_head(file, 512);
    LineReader lines(head);
    std::string_view first, second;
    if (!lines.next(first) || !lines.next(second)) return false;
    const auto count = [](std::string_view line) { return numbers_in(line).value_or(std::vector<double>()).size(); };
    return count(first) == 3 && count(second) == 4;
  });
}

FoundCameras find_stray_scanner(const SearchedPath& path) {
  return first_file(path, {""}, [](const fs::path& file) {
    return file.filename() == "odometry.csv" && is_file(file.parent_path() / "camera_matrix.csv") &&
           file_head(file, 256).find("timestamp") != std::string::npos;
  });
}

std::vector<fs::path> mve_views(const SearchedPath& path, const std::string& folder) {
  std::vector<fs::path> views;
  for (const FolderEntry& entry : path.entries(folder)) {
    const fs::path view = path.path() / folder / entry.name;
    if (entry.is_folder && lower_extension(view) == ".mve" && is_file(view / "meta.ini")) views.push_back(view);
  }
  return views;
}

FoundCameras find_mve(const SearchedPath& path) {
  for (const char* folder : {"views", ""}) {
    if (!mve_views(path, folder).empty()) return (path.path() / folder).lexically_normal();
  }
  return std::nullopt;
}

FoundCameras find_polycam(const SearchedPath& path) {
  return folder_with(path, ".json", kPolycamKey,
                     {"keyframes/corrected_cameras", "keyframes/cameras", "corrected_cameras", "cameras", ""});
}

FoundCameras find_record3d(const SearchedPath& path) {
  if (FoundCameras found = file_with(path, ".json", {"\"poses\"", "\"K\""})) return found;
  return file_with(path.is_file() ? path : SearchedPath(path.path() / "metadata"), "", {"\"poses\"", "\"K\""});
}

}  // namespace p2mpp
