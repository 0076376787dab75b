#include "cameras/camera_search.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/folder_files.h"
#include "cameras/named_files.h"
#include "cameras/parsing/text_rows.h"

namespace p2mpp {

namespace fs = std::filesystem;

FoundCameras file_with(const fs::path& path, const char* extension, std::initializer_list<const char*> words,
                       std::initializer_list<const char*> folders) {
  const auto fits = [&](const fs::path& file) {
    if (lower_extension(file) != extension) return false;
    const std::string head = file_head(file);
    return std::ranges::all_of(words, [&](const char* word) { return head.find(word) != std::string::npos; });
  };
  if (is_file(path)) return fits(path) ? FoundCameras(path) : std::nullopt;
  for (const char* folder : folders) {
    for (const fs::path& file : files_in(path / folder)) {
      if (fits(file)) return file;
    }
  }
  return std::nullopt;
}

FoundCameras folder_with(const fs::path& path, const char* extension, const char* word,
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

FoundCameras find_matrices(const fs::path& path) {
  for (const char* folder : {"calib", "cams", "cameras", "camera", "poses", "pose", "txt", "images", ""}) {
    const std::vector<fs::path> files = files_in(path / folder);
    if (std::ranges::count_if(files, has_matrix) >= 2) return (path / folder).lexically_normal();
  }
  return std::nullopt;
}

FoundCameras find_named_rows(const fs::path& path) {
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
  if (is_file(path)) return fits(path) ? FoundCameras(path) : std::nullopt;
  for (const fs::path& file : files_in(path)) {
    if (fits(file)) return file;
  }
  return std::nullopt;
}

FoundCameras find_xmp(const fs::path& path) {
  return folder_with(path, ".xmp", kXmpKey, {"", "images", "image", "input", "photos"});
}

FoundCameras find_csv(const fs::path& path) {
  for (const char* angle : {"heading", "yaw", "omega"}) {
    if (FoundCameras found = file_with(path, ".csv", {"#name", angle})) return found;
  }
  return std::nullopt;
}

FoundCameras find_meshroom(const fs::path& path) {
  if (is_file(path / "cameras.sfm")) return path / "cameras.sfm";
  if (FoundCameras found = file_with(path, ".sfm", {})) return found;
  return file_with(path, ".json", {"\"viewId\"", "\"path\""});
}

FoundCameras find_polycam(const fs::path& path) {
  return folder_with(path, ".json", kPolycamKey,
                     {"keyframes/corrected_cameras", "keyframes/cameras", "corrected_cameras", "cameras", ""});
}

FoundCameras find_record3d(const fs::path& path) {
  if (FoundCameras found = file_with(path, ".json", {"\"poses\"", "\"K\""})) return found;
  return file_with(is_file(path) ? path : path / "metadata", "", {"\"poses\"", "\"K\""});
}

}  // namespace p2mpp
