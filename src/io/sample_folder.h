#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// Rows of five numbers (azimuth deg, elevation deg, in-plane rotation, distance, field of view),
/// one a line; blank lines and what follows a '#' are skipped. Throws InputError naming file, line
/// and value for too few or too many columns, NaN, infinity, a distance that is not positive, or a
/// file without rows.
[[nodiscard]] std::vector<CameraRow> read_cameras(const std::filesystem::path& path);

/// The same from memory; `name` stands in messages.
[[nodiscard]] std::vector<CameraRow> parse_cameras(std::string_view text, const std::string& name);

/// Recognises a sample's folder and names its files. `view_indices` are used where the folder
/// numbers its views.
///   FOLDER/rendering/NN.png + rendering_metadata.txt, or the same without rendering/: the views of
///   view_indices; FOLDER/*.png|jpg|jpeg + cameras.txt: all images in natural order (plane2 before
///   plane10), one row each.
/// The id is the folder's name (of rendering/ itself: its parent's). Images whose name starts with
/// '.' are skipped. Throws InputError naming the folder and what was looked for, or unless there
/// are 2 to 5 images.
[[nodiscard]] SamplePaths find_sample(const std::filesystem::path& folder, std::span<const std::size_t> view_indices);

/// The first of these layouts alone, without an id; nothing if the folder does not hold it.
[[nodiscard]] std::optional<SamplePaths> find_numbered_sample(const std::filesystem::path& folder,
                                                              std::span<const std::size_t> view_indices);

/// Images and a file of cameras named one by one; the id is `id`. Throws InputError unless there
/// are 2 to 5 images and the id can be part of a file's name.
[[nodiscard]] SamplePaths explicit_sample(std::string id, std::vector<std::filesystem::path> images,
                                          std::filesystem::path cameras);

/// Reads images and cameras. Throws InputError naming the file that is missing or wrong, or the row
/// that is not there or has no image.
[[nodiscard]] Sample read_sample(const SamplePaths& paths);

}  // namespace p2mpp
