#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/fit_views.h"
#include "io/sample_paths.h"
#include "p2mpp/sample.h"

namespace p2mpp {

inline constexpr std::size_t kCameraColumns = 5;  ///< numbers in a camera row
inline constexpr std::size_t kMaxIdLength = 200;  ///< of a sample, in bytes

/// Reads rows of five numbers (azimuth in degrees, elevation in degrees, in-plane rotation, distance, field of view),
/// one per line. Blank lines and text after '#' are skipped. Throws InputError naming file, line and value for a wrong
/// number of columns, NaN, infinity or a distance that is not positive, and for a file without rows.
[[nodiscard]] std::vector<CameraRow> read_cameras(const std::filesystem::path& path);

/// The same from memory; `name` replaces the path in messages.
[[nodiscard]] std::vector<CameraRow> parse_cameras(std::string_view text, const std::string& name);

/// Finds the files of a sample folder, in one of three layouts:
///   FOLDER/rendering/NN.png + rendering_metadata.txt, or the same without rendering/: the views of view_indices.
///   FOLDER/cameras.json: the photographs that it names; `images` and `camera_rows` stay empty.
///   FOLDER/*.png|jpg|jpeg|webp + cameras.txt: the images in natural order (plane2 before plane10), one row each.
///   Images whose names begin with '.' are skipped.
/// `chosen`: views that the user named, in any of the layouts, instead of view_indices or all. `count`: the largest
/// number of views to use, the best ones, if `chosen` is empty. 0: all if there are at most kMaxViewsUnasked, else
/// three. The id is the folder's name; for rendering/ itself, its parent's. Throws InputError naming the folder and the
/// expected files, and if there are fewer than 2 images or a chosen one does not exist.
[[nodiscard]] SamplePaths find_sample(const std::filesystem::path& folder, std::span<const std::size_t> view_indices,
                                      std::span<const std::size_t> chosen = {}, std::size_t count = 0);

/// Throws InputError unless the id can be part of a file's name.
void check_sample_id(const std::string& id);

/// Whether a folder has the camera file of one of these layouts.
[[nodiscard]] bool is_sample_folder(const std::filesystem::path& folder);

/// Finds the first of these layouts only, without an id; nullopt if the folder does not have it.
[[nodiscard]] std::optional<SamplePaths> find_numbered_sample(const std::filesystem::path& folder,
                                                              std::span<const std::size_t> view_indices);

/// An image for the fit, and the row of its camera.
struct FitImage {
  std::filesystem::path image;
  std::size_t row = 0;
};

/// The images to which a sample with camera rows is fitted. A folder with numbered views: all existing views. Any other
/// folder: all its images. A sample of named images: only these. None for kNone and kAutomatic. Throws InputError
/// naming the folder if a listed view does not exist.
[[nodiscard]] std::vector<FitImage> find_fit_images(const SamplePaths& paths, const FitViews& views);

/// A sample of named files. Throws InputError unless there are 2 to 64 images and the id can be part of a file name.
[[nodiscard]] SamplePaths explicit_sample(std::string id, std::vector<std::filesystem::path> images,
                                          std::filesystem::path cameras);

/// Reads the image of a camera row. Reduces an image with a side of more than kMaxViewSide to that while it is read,
/// and pads an image that is not square. Throws InputError naming the image.
[[nodiscard]] View read_view(const std::filesystem::path& image, const CameraRow& row);

/// Throws InputError with `where` unless 2 to 64 images are named.
void check_view_count(std::size_t count, const std::string& where);

}  // namespace p2mpp
