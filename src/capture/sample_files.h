#pragma once

#include "capture/sample_paths.h"
#include "capture/sample_request.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// Reads images and cameras that are no capture's. If the cameras are rows of five numbers, each image is a view. With
/// cameras.json (a name that ends in .json), the views are the canonical views of the entries in paths.camera_rows, or
/// of those whose images are in paths.images, or else of those with "use". If paths.view_count is not 0, only that many
/// of them, the best, are used. Throws InputError naming the missing or malformed file or the missing row, if the
/// number of rows differs from paths.row_count, and if there are more than request.max_pixels. If
/// request.capture.confined is set, these also bound the images with camera rows before they are reduced, which bounds
/// the time of decoding: no image is decoded if they have more.
[[nodiscard]] Sample read_sample_files(const SamplePaths& paths, const SampleRequest& request);

}  // namespace p2mpp
