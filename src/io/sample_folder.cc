#include "io/sample_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <system_error>

#include "base/input_file.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "io/cameras_json.h"
#include "io/image/image_file.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadataName = "rendering_metadata.txt";
constexpr const char* kCamerasName = "cameras.txt";

CameraRow parse_camera(std::string_view line, const std::string& where) {
  std::array<double, kCameraColumns> numbers{};
  std::size_t count = 0;
  for (std::string_view column = take_column(line); !column.empty(); column = take_column(line), ++count) {
    if (count >= kCameraColumns) continue;
    const std::optional<double> number = parse_finite(column);
    if (!number) {
      throw InputError(
          fmt::format("{}: '{}' is not a finite number; expected azimuth, elevation, rotation, "
                      "distance, field of view",
                      where, printable(column, 40)));
    }
    numbers[count] = *number;
  }
  if (count != kCameraColumns) {
    throw InputError(
        fmt::format("{}: has {} columns; expected {}: azimuth, elevation, rotation, distance, field of view", where,
                    count, kCameraColumns));
  }
  return {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]), static_cast<float>(numbers[2]),
          static_cast<float>(numbers[3]), static_cast<float>(numbers[4])};
}

std::vector<std::size_t> first_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// FOLDER's name or, for a folder rendering/, its parent's.
std::string id_of(const fs::path& folder) {
  fs::path full = fs::absolute(folder).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  if (full.filename() == "rendering") full = full.parent_path();
  return full.filename().string();
}

fs::path numbered_image(const fs::path& folder, std::size_t index) { return folder / fmt::format("{:02}.png", index); }

SamplePaths numbered_sample(const fs::path& folder, std::span<const std::size_t> view_indices) {
  check_view_count(view_indices.size(), display(folder));
  SamplePaths paths;
  paths.cameras = folder / kMetadataName;
  paths.camera_rows.assign(view_indices.begin(), view_indices.end());
  paths.folder = folder;
  for (const std::size_t index : view_indices) paths.images.push_back(numbered_image(folder, index));
  return paths;
}

SamplePaths demo_sample(const fs::path& folder, std::span<const std::size_t> chosen, std::size_t count) {
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
  if (chosen.empty()) paths.view_count = count == 0 && images.size() > kMaxViewsUnasked ? kBestOfMany : count;
  paths.camera_rows = chosen.empty() ? first_rows(images.size()) : std::vector(chosen.begin(), chosen.end());
  for (const std::size_t row : paths.camera_rows) {
    if (row >= images.size()) {
      throw InputError(
          fmt::format("{}: has {} images; expected view {} (counted from 0)", display(folder), images.size(), row));
    }
    paths.images.push_back(images[row]);
  }
  return paths;
}

}  // namespace

void check_view_count(std::size_t count, const std::string& where) {
  if (count < kMinViews || count > kMaxViews) {
    throw InputError(fmt::format("{}: number of images is {}; expected {} to {}", where, count, kMinViews, kMaxViews));
  }
}

View read_view(const fs::path& image, const CameraRow& row) {
  Image pixels = read_reduced_image(image, kMaxViewSide);
  try {
    View view = view_from_row(std::move(pixels), row);
    view.name = image.filename().string();
    return view;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", display(image), error.what()));
  }
}

std::vector<CameraRow> read_cameras(const fs::path& path) { return parse_cameras(read_file(path), display(path)); }

std::vector<CameraRow> parse_cameras(std::string_view text, const std::string& name) {
  std::vector<CameraRow> rows;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(without_comment(line));
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", name, lines.number());
    rows.push_back(parse_camera(line, where));
    with_prefix(where + ": ", [&] { check_camera(rows.back()); });
  }
  if (rows.empty()) throw InputError(fmt::format("{}: has no row; expected one a view", name));
  return rows;
}

std::optional<SamplePaths> find_numbered_sample(const fs::path& folder, std::span<const std::size_t> view_indices) {
  for (const fs::path& place : {folder / "rendering", folder}) {
    if (may_exist(place / kMetadataName)) return numbered_sample(place, view_indices);
  }
  return std::nullopt;
}

void check_sample_id(const std::string& id) {
  const bool has_separator = id.find('/') != std::string::npos || id.find('\0') != std::string::npos;
  if (id.empty() || has_separator || id.size() > kMaxIdLength) {
    throw InputError(fmt::format("'{}': cannot name a sample; expected 1 to {} characters without '/'", printable(id),
                                 kMaxIdLength));
  }
}

bool is_sample_folder(const fs::path& folder) {
  return may_exist(folder / "rendering" / kMetadataName) || may_exist(folder / kMetadataName) ||
         may_exist(folder / kCamerasJsonName) || may_exist(folder / kCamerasName);
}

SamplePaths find_sample(const fs::path& folder, std::span<const std::size_t> view_indices,
                        std::span<const std::size_t> chosen, std::size_t count) {
  require_folder(folder, "a sample's folder or a capture");
  std::optional<SamplePaths> paths = find_numbered_sample(folder, chosen.empty() ? view_indices : chosen);
  if (!paths && may_exist(folder / kCamerasJsonName)) {
    paths = SamplePaths{{}, {}, folder / kCamerasJsonName, {chosen.begin(), chosen.end()}};
    paths->view_count = count;
  }
  if (!paths && may_exist(folder / kCamerasName)) paths = demo_sample(folder, chosen, count);
  if (!paths) {
    throw InputError(fmt::format(
        "{}: is not a sample's folder; expected rendering/{} or {} with NN.png, or {} or {} with images, or a "
        "capture: COLMAP's cameras.bin or cameras.txt with images.bin or images.txt (here or in sparse/0), "
        "transforms.json, or --turntable",
        display(folder), kMetadataName, kMetadataName, kCamerasName, kCamerasJsonName));
  }
  paths->id = id_of(folder);
  check_sample_id(paths->id);
  return *std::move(paths);
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
  if (views.kind == FitViews::Kind::kAll) return all;
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

SamplePaths explicit_sample(std::string id, std::vector<fs::path> images, fs::path cameras) {
  check_sample_id(id);
  check_view_count(images.size(), id);
  SamplePaths paths{std::move(id), std::move(images), std::move(cameras), {}};
  paths.row_count = paths.images.size();
  paths.camera_rows = first_rows(paths.images.size());
  return paths;
}

}  // namespace p2mpp
