#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "capture/sample_request.h"
#include "io/test_list.h"
#include "p2mpp/camera.h"

namespace p2mpp {

/// The paths of a sample's files. No file has been opened yet.
struct SamplePaths {
  std::string id;
  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;         ///< a file with rows of five numbers, or cameras.json
  std::vector<std::size_t> camera_rows;  ///< row of each image, or entry of cameras.json, from 0
  std::size_t row_count = 0;             ///< number of rows that the file must have; 0: any
  std::filesystem::path folder = {};     ///< of the images; empty if they were named one by one
  std::size_t view_count = 0;            ///< the best views to use, of the images or of cameras.json; 0: all
  std::vector<CameraRow> rows = {};      ///< of the images, in place of a file
  std::filesystem::path capture = {};    ///< set: a capture, which has none of the above but an id
};

/// Whether a path is read as a capture rather than as a sample's folder: it is a turntable's, or it has the files of a
/// capture and the camera file of no sample folder. Throws UsageError if it is a sample's folder and the request has an
/// option that only a capture takes.
[[nodiscard]] bool is_capture_path(const std::filesystem::path& path, const SampleRequest& request);

/// Finds the files of a capture or of a sample's folder, which has one of three layouts:
///   FOLDER/rendering/NN.png + rendering_metadata.txt, or the same without rendering/: request.trained_views.
///   FOLDER/cameras.json: the photographs that it names; `images` and `camera_rows` stay empty.
///   FOLDER/*.png|jpg|jpeg|webp + cameras.txt: the images in natural order (plane2 before plane10), one row each.
///   Images whose names begin with '.' are skipped. Without views or a number of views in the request: all if there are
///   at most kMaxViewsUnasked, else three.
/// The id is the folder's name; for rendering/ itself, its parent's. Throws InputError naming the folder and the
/// expected files, if there are fewer than 2 images, if a chosen one does not exist, or if request.takes_captures is
/// false for a capture; UsageError as is_capture_path().
[[nodiscard]] SamplePaths locate_sample(const std::filesystem::path& path, const SampleRequest& request);

/// The files of a list's entry: IMAGE_ROOT/CATEGORY/MODEL/rendering/ or IMAGE_ROOT/CATEGORY/MODEL/. images_root may be
/// a symbolic link, but links below it that lead out of it are refused, also for the images of request.fit. Throws
/// InputError naming both folders if neither exists, or with the entry's problem.
[[nodiscard]] SamplePaths locate_listed_sample(const std::filesystem::path& images_root, const ListEntry& entry,
                                               const SampleRequest& request);

/// A sample of named files. Throws InputError unless there are 2 to 64 images and the id can be part of a file name.
[[nodiscard]] SamplePaths named_sample(std::string id, std::vector<std::filesystem::path> images,
                                       std::filesystem::path cameras);

/// An image for the fit, and the row of its camera.
struct FitImage {
  std::filesystem::path image;
  std::size_t row = 0;
};

/// The images to which a sample with camera rows is fitted. A folder with numbered views: all existing views. Any other
/// folder: all its images. A sample of named images: only these. None for kNone and kAutomatic. Throws InputError
/// naming the folder if a listed view does not exist.
[[nodiscard]] std::vector<FitImage> find_fit_images(const SamplePaths& paths, const FitViews& views);

/// Throws InputError unless the id can be part of a file's name.
void check_sample_id(const std::string& id);

/// Throws InputError with `where` unless 2 to 64 images are named.
void check_view_count(std::size_t count, const std::string& where);

}  // namespace p2mpp
