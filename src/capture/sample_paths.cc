#include "capture/sample_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/camera_formats.h"
#include "io/camera_rows.h"
#include "io/cameras_json.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"
#include "p2mpp/sample.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadataName = "rendering_metadata.txt";
constexpr const char* kCamerasName = "cameras.txt";
constexpr const char* kExpectedPath = "a sample's folder or a capture";

std::vector<std::size_t> first_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// FOLDER's name or, for a folder rendering/, its parent's.
std::string folder_id(const fs::path& folder) {
  fs::path full = fs::absolute(folder).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  if (full.filename() == "rendering") full = full.parent_path();
  return full.filename().string();
}

fs::path numbered_image(const fs::path& folder, std::size_t index) { return folder / fmt::format("{:02}.png", index); }

/// Whether a file with the name of our camera files is another program's. Gaussian splatting's cameras.json is a list;
/// ours is an object. The rows of COLMAP's cameras.txt have a model's name in the second column, ours numbers alone.
/// Files without a row are told apart by their neighbours.
bool is_of_other_program(const fs::path& file) {
  const std::string head = file_head(file);
  if (file.filename() == kCamerasJsonName) return trimmed(head).starts_with('[');
  LineReader lines(head);
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
    static_cast<void>(take_column(line));
    const std::string_view second = take_column(line);
    return !second.empty() && !parse_finite(second);
  }
  return may_exist(file.parent_path() / "images.txt") || may_exist(file.parent_path() / "images.bin");
}

void refuse_capture_options(const fs::path& folder, const PreparationOptions& given) {
  const std::initializer_list<std::pair<bool, const char*>> options = {
      {!given.source.images.empty(), "--photographs"},       {!given.masks.empty(), "--masks"},
      {given.background.colour.has_value(), "--background"}, {given.frame.up.has_value(), "--up"},
      {given.frame.centre.has_value(), "--centre"},          {given.frame.scale.has_value(), "--scale"}};
  for (const auto& [is_given, option] : options) {
    if (!is_given) continue;
    throw UsageError(
        fmt::format("{}: {} is a sample's folder, whose cameras and masks are complete; expected a capture", option,
                    folder.string()));
  }
}

/// The camera file of numbered views; empty if the folder has none.
fs::path find_metadata(const fs::path& folder) {
  for (const fs::path& file : {folder / "rendering" / kMetadataName, folder / kMetadataName}) {
    if (may_exist(file)) return file;
  }
  return {};
}

/// The camera file of the first layout that a folder has; empty if it has none, as for a turntable. Throws UsageError
/// as is_capture_path().
fs::path find_sample_cameras(const fs::path& folder, const SampleRequest& request) {
  if (request.capture.source.is_turntable) return {};
  fs::path found = find_metadata(folder);
  for (const char* name : {kCamerasJsonName, kCamerasName}) {
    if (found.empty() && may_exist(folder / name) && !is_of_other_program(folder / name)) found = folder / name;
  }
  if (!found.empty()) refuse_capture_options(folder, request.capture);
  return found;
}

SamplePaths numbered_sample(const fs::path& metadata, const SampleRequest& request) {
  SamplePaths paths;
  paths.cameras = metadata;
  paths.camera_rows = request.views.empty() ? request.trained_views : request.views;
  paths.folder = metadata.parent_path();
  check_view_count(paths.camera_rows.size(), display(paths.folder));
  for (const std::size_t index : paths.camera_rows) paths.images.push_back(numbered_image(paths.folder, index));
  return paths;
}

SamplePaths images_with_rows(const fs::path& cameras, const SampleRequest& request) {
  constexpr std::size_t kBestOfMany = 3;
  const fs::path folder = cameras.parent_path();
  const std::vector<fs::path> images = list_images(folder);
  if (images.size() < kMinViews) {
    throw InputError(
        fmt::format("{}: number of images is {}; expected at least {}", display(folder), images.size(), kMinViews));
  }
  SamplePaths paths;
  paths.cameras = cameras;
  paths.folder = folder;
  paths.row_count = images.size();
  if (request.views.empty()) {
    paths.view_count = request.view_count == 0 && images.size() > kMaxViewsUnasked ? kBestOfMany : request.view_count;
  }
  paths.camera_rows = request.views.empty() ? first_rows(images.size()) : request.views;
  for (const std::size_t row : paths.camera_rows) {
    if (row >= images.size()) {
      throw InputError(
          fmt::format("{}: has {} images; expected view {} (counted from 0)", display(folder), images.size(), row));
    }
    paths.images.push_back(images[row]);
  }
  return paths;
}

SamplePaths sample_with(const fs::path& cameras, const SampleRequest& request) {
  if (cameras.filename() == kMetadataName) return numbered_sample(cameras, request);
  if (cameras.filename() == kCamerasName) return images_with_rows(cameras, request);
  SamplePaths paths;
  paths.cameras = cameras;
  paths.camera_rows = request.views;
  paths.view_count = request.view_count;
  return paths;
}

[[noreturn]] void refuse_unknown(const fs::path& path) {
  if (const fs::path text = path / kCamerasName; may_exist(text)) {
    throw InputError(fmt::format("{}: is a COLMAP file without images.txt beside it; expected both", display(text)));
  }
  if (const std::string step = missing_step(path); !step.empty()) {
    throw InputError(fmt::format("{}: {}", display(path), step));
  }
  require_folder(path, kExpectedPath);
  throw InputError(fmt::format(
      "{}: is not a sample's folder; expected rendering/{} or {} with NN.png, or {} or {} with images, or a "
      "capture with the cameras of {}, or --turntable",
      display(path), kMetadataName, kMetadataName, kCamerasName, kCamerasJsonName, readable_formats()));
}

SamplePaths capture_paths(const fs::path& path, const SampleRequest& request) {
  if (!request.takes_captures) {
    throw InputError(fmt::format(
        "{0}: is a capture; expected a sample's folder, as `p2mpp import {0} --out FOLDER` writes it", path.string()));
  }
  SamplePaths paths;
  paths.id = capture_id(path);
  paths.capture = path;
  return paths;
}

}  // namespace

void check_view_count(std::size_t count, const std::string& where) {
  if (count < kMinViews || count > kMaxViews) {
    throw InputError(fmt::format("{}: number of images is {}; expected {} to {}", where, count, kMinViews, kMaxViews));
  }
}

void check_sample_id(const std::string& id) {
  const bool has_separator = id.find('/') != std::string::npos || id.find('\0') != std::string::npos;
  if (id.empty() || has_separator || id.size() > kMaxIdLength) {
    throw InputError(fmt::format("'{}': cannot name a sample; expected 1 to {} characters without '/'", printable(id),
                                 kMaxIdLength));
  }
}

bool is_capture_path(const fs::path& path, const SampleRequest& request) {
  return find_sample_cameras(path, request).empty() && (request.capture.source.is_turntable || is_capture(path));
}

SamplePaths locate_sample(const fs::path& path, const SampleRequest& request) {
  const fs::path cameras = find_sample_cameras(path, request);
  if (cameras.empty()) {
    if (request.capture.source.is_turntable || is_capture(path)) return capture_paths(path, request);
    refuse_unknown(path);
  }
  require_folder(path, kExpectedPath);
  SamplePaths paths = sample_with(cameras, request);
  paths.id = folder_id(path);
  check_sample_id(paths.id);
  return paths;
}

SamplePaths locate_listed_sample(const fs::path& images_root, const ListEntry& entry, const SampleRequest& request) {
  if (!entry.problem.empty()) throw InputError(fmt::format("{} (line {}): {}", entry.id, entry.line, entry.problem));
  const fs::path root = listed_root(images_root);
  const fs::path folder = images_root / entry.category / entry.model;
  check_below_root(root, folder);
  const fs::path metadata = find_metadata(folder);
  if (metadata.empty()) {
    throw InputError(fmt::format("{}: does not exist, with or without rendering/; expected the images of {}",
                                 display(folder / "rendering" / kMetadataName), entry.id));
  }
  SamplePaths paths = numbered_sample(metadata, request);
  paths.id = entry.id;
  check_below_root(root, paths.cameras);
  for (const fs::path& image : paths.images) check_below_root(root, image);
  for (const FitImage& found : find_fit_images(paths, request.fit)) check_below_root(root, found.image);
  return paths;
}

SamplePaths named_sample(std::string id, std::vector<fs::path> images, fs::path cameras) {
  check_sample_id(id);
  check_view_count(images.size(), id);
  SamplePaths paths{std::move(id), std::move(images), std::move(cameras), {}};
  paths.row_count = paths.images.size();
  paths.camera_rows = first_rows(paths.images.size());
  return paths;
}

std::vector<FitImage> find_fit_images(const SamplePaths& paths, const FitViews& views) {
  if (views.kind == FitViews::Kind::kNone || views.kind == FitViews::Kind::kAutomatic) return {};
  std::vector<FitImage> own;
  for (std::size_t i = 0; i < paths.images.size(); ++i) own.push_back({paths.images[i], paths.camera_rows[i]});
  if (views.kind == FitViews::Kind::kSame) return own;
  std::vector<FitImage> all = own;
  if (!paths.folder.empty()) {
    const std::size_t rows = read_cameras(paths.cameras).size();
    const bool is_numbered = paths.cameras.filename() == kMetadataName;
    const std::vector<fs::path> listed = is_numbered ? std::vector<fs::path>() : list_images(paths.folder);
    all.clear();
    for (std::size_t row = 0; row < rows; ++row) {
      const fs::path image = is_numbered           ? numbered_image(paths.folder, row)
                             : row < listed.size() ? listed[row]
                                                   : fs::path();
      if (may_exist(image)) all.push_back({image, row});
    }
  }
  if (views.kind == FitViews::Kind::kAll) return select_fitted(all);
  std::vector<FitImage> chosen;
  for (const std::size_t number : views.listed) {
    const auto found = std::ranges::find(all, number, &FitImage::row);
    if (found == all.end()) {
      throw InputError(fmt::format("{}: has no view {} for the fit; it has {} (counted from 0)",
                                   paths.folder.empty() ? printable(paths.id) : display(paths.folder), number,
                                   all.size()));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace p2mpp
