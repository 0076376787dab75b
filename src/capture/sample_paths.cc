#include "capture/sample_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <optional>
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

/// COLMAP's cameras.txt has the same name: its rows have a model's name in the second column, ours numbers alone. Files
/// without a row are told apart by their neighbours.
bool is_colmap_text(const fs::path& folder) {
  const std::string head = file_head(folder / kCamerasName);
  LineReader lines(head);
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
    static_cast<void>(take_column(line));
    const std::string_view second = take_column(line);
    return !second.empty() && !parse_finite(second);
  }
  return may_exist(folder / "images.txt") || may_exist(folder / "images.bin");
}

/// The cameras.json of Gaussian splatting is a list; ours is an object.
bool is_own_cameras_json(const fs::path& folder) {
  if (!may_exist(folder / kCamerasJsonName)) return false;
  const std::string head = file_head(folder / kCamerasJsonName);
  return !trimmed(head).starts_with('[');
}

/// Whether a folder has the camera file of a layout.
bool is_sample_folder(const fs::path& folder) {
  return may_exist(folder / "rendering" / kMetadataName) || may_exist(folder / kMetadataName) ||
         is_own_cameras_json(folder) || (may_exist(folder / kCamerasName) && !is_colmap_text(folder));
}

/// The first layout, without an id; nullopt if the folder does not have it.
std::optional<SamplePaths> find_numbered_sample(const fs::path& folder, const SampleRequest& request) {
  const std::vector<std::size_t>& views = request.views.empty() ? request.trained_views : request.views;
  for (const fs::path& place : {folder / "rendering", folder}) {
    if (!may_exist(place / kMetadataName)) continue;
    check_view_count(views.size(), display(place));
    SamplePaths paths;
    paths.cameras = place / kMetadataName;
    paths.camera_rows = views;
    paths.folder = place;
    for (const std::size_t index : views) paths.images.push_back(numbered_image(place, index));
    return paths;
  }
  return std::nullopt;
}

SamplePaths find_images_with_rows(const fs::path& folder, const SampleRequest& request) {
  constexpr std::size_t kBestOfMany = 3;
  const std::vector<fs::path> images = list_images(folder);
  if (images.size() < kMinViews) {
    throw InputError(
        fmt::format("{}: number of images is {}; expected at least {}", display(folder), images.size(), kMinViews));
  }
  SamplePaths paths;
  paths.cameras = folder / kCamerasName;
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

SamplePaths find_folder(const fs::path& folder, const SampleRequest& request) {
  const auto refuse_for = [&](const std::string& step) {
    if (!step.empty()) throw InputError(fmt::format("{}: {}", display(folder), step));
  };
  if (is_file(folder)) refuse_for(missing_step(folder));
  require_folder(folder, "a sample's folder or a capture");
  if (std::optional<SamplePaths> numbered = find_numbered_sample(folder, request)) {
    return *std::move(numbered);
  }
  if (is_own_cameras_json(folder)) {
    SamplePaths paths;
    paths.cameras = folder / kCamerasJsonName;
    paths.camera_rows = request.views;
    paths.view_count = request.view_count;
    return paths;
  }
  if (may_exist(folder / kCamerasName)) {
    if (!is_colmap_text(folder)) return find_images_with_rows(folder, request);
    throw InputError(fmt::format("{}: is a COLMAP file without images.txt beside it; expected both",
                                 display(folder / kCamerasName)));
  }
  refuse_for(missing_step(folder));
  throw InputError(fmt::format(
      "{}: is not a sample's folder; expected rendering/{} or {} with NN.png, or {} or {} with images, or a "
      "capture with the cameras of {}, or --turntable",
      display(folder), kMetadataName, kMetadataName, kCamerasName, kCamerasJsonName, readable_formats()));
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

SamplePaths find_capture(const fs::path& path, const SampleRequest& request) {
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
  if (request.capture.source.is_turntable) return true;
  if (!is_sample_folder(path)) return is_capture(path);
  refuse_capture_options(path, request.capture);
  return false;
}

SamplePaths locate_sample(const fs::path& path, const SampleRequest& request) {
  if (is_capture_path(path, request)) return find_capture(path, request);
  SamplePaths paths = find_folder(path, request);
  paths.id = folder_id(path);
  check_sample_id(paths.id);
  return paths;
}

SamplePaths locate_listed_sample(const fs::path& images_root, const ListEntry& entry, const SampleRequest& request) {
  if (!entry.problem.empty()) throw InputError(fmt::format("{} (line {}): {}", entry.id, entry.line, entry.problem));
  const fs::path root = listed_root(images_root);
  const fs::path folder = images_root / entry.category / entry.model;
  check_below_root(root, folder);
  std::optional<SamplePaths> paths = find_numbered_sample(folder, request);
  if (!paths) {
    throw InputError(fmt::format("{}: does not exist, with or without rendering/; expected the images of {}",
                                 display(folder / "rendering" / kMetadataName), entry.id));
  }
  paths->id = entry.id;
  check_below_root(root, paths->cameras);
  for (const fs::path& image : paths->images) check_below_root(root, image);
  for (const FitImage& found : find_fit_images(*paths, request.fit)) check_below_root(root, found.image);
  return *std::move(paths);
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
