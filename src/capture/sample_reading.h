#pragma once

#include <vector>

#include "capture/capture.h"
#include "io/cameras_json.h"
#include "io/sample_folder.h"
#include "io/worker_request.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// Reads images and cameras. With rows of five numbers each image is a view; with cameras.json (its name ends in .json)
/// the views are canonical views of the entries that paths.camera_rows names, of those whose image paths.images names,
/// or else of those with "use". Throws InputError naming the file that is missing or malformed, or the missing row, and
/// if the number of rows differs from row_count. Of more than five images with rows, the best three are taken.
/// `fit`: whose masks are read, too (Sample::fit_masks).
[[nodiscard]] Sample read_sample(const SamplePaths& paths, const FitViews& fit = {});

/// How a requested folder is read.
struct FolderOptions {
  std::vector<std::size_t> view_indices = {};  ///< of a folder with numbered views
  std::size_t capture_views = 3;               ///< photographs of a capture that enter the network
  std::size_t max_pixels = 0;                  ///< of images with camera rows, all together; 0: any number
  int threads = 1;
};

/// Opens and decodes a sample that is given by its files or its folder. Throws InputError, also if the images of a
/// folder with camera rows, which are in memory at the same time, have too many pixels: before any is decoded.
[[nodiscard]] Sample read_requested_sample(const WorkerRequest& request, const FitViews& fit = {},
                                           const FolderOptions& options = {});

/// The photographs of cameras.json in `folder`, in the normalised world; up is its y axis.
[[nodiscard]] Capture capture_of(const CamerasJson& cameras, const std::filesystem::path& folder);

}  // namespace p2mpp
