#pragma once

#include <vector>

#include "capture/capture.h"
#include "io/cameras_json.h"
#include "io/image/pixel_budget.h"
#include "io/sample_folder.h"
#include "io/sample_paths.h"
#include "io/worker_request.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// Reads images and cameras. If the cameras are rows of five numbers, each image is a view. With cameras.json (a name
/// that ends in .json), the views are the canonical views of the entries in paths.camera_rows, or of those whose images
/// are in paths.images, or else of those with "use". If paths.view_count is not 0, only that many of them, the best,
/// are used.
/// `fit`: the views whose masks are read for Sample::fit_masks. Throws InputError naming the missing or malformed file
/// or the missing row, if the number of rows differs from paths.row_count, and if there are more than max_pixels: of
/// all images with camera rows together, as they are in memory (see read_view()), or of one photograph of cameras.json,
/// of which one is in memory at a time.
[[nodiscard]] Sample read_sample(const SamplePaths& paths, const FitViews& fit = {},
                                 std::size_t max_pixels = kMaxPixelsInWork);

/// The options for reading a requested folder.
struct FolderOptions {
  std::vector<std::size_t> view_indices = {};  ///< of a folder with numbered views
  std::size_t capture_views = 3;               ///< photographs of a capture that enter the network
  std::size_t max_pixels = kMaxPixelsInWork;   ///< see read_sample(); of a capture: see PrepareOptions
  int threads = 1;
};

/// Opens and decodes a sample that is given by its files or its folder. Throws InputError as read_sample(). For a
/// confined request, max_pixels also bounds the images with camera rows before they are reduced, which bounds the time
/// of decoding. If they have more pixels, the function throws before any image is decoded.
[[nodiscard]] Sample read_requested_sample(const WorkerRequest& request, const FitViews& fit = {},
                                           const FolderOptions& options = {});

/// The photographs of cameras.json in `folder`, in the normalised world; up is its y axis.
[[nodiscard]] Capture capture_of(const CamerasJson& cameras, const std::filesystem::path& folder);

}  // namespace p2mpp
