#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "capture/sample_from_capture.h"
#include "capture/sample_paths.h"
#include "capture/sample_request.h"
#include "image/photograph_source.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// A sample that was opened, and what was found if its path is a capture's.
struct OpenedSample {
  Sample sample;
  std::optional<CaptureReport> report = {};
  std::shared_ptr<const PhotographSource> photographs = {};  ///< a capture's, for textures; null for other samples
};

/// Decodes a sample whose files were located: a folder's, a list's entry's, named files, or a capture.
///
/// Images and cameras that are no capture's: if the cameras are rows of five numbers, each image is a view. With
/// cameras.json (a name that ends in .json), the views are the canonical views of the entries in paths.camera_rows, or
/// of those whose images are in paths.images, or else of those with "use". If paths.view_count is not 0, only that many
/// of them, the best, are used. Throws InputError naming the missing or malformed file or the missing row, if the
/// number of rows differs from paths.row_count, and if there are more than request.max_pixels. If
/// request.capture.confined is set, these also bound the images with camera rows before they are reduced, which bounds
/// the time of decoding: no image is decoded if they have more.
///
/// A capture throws as read_capture() and sample_from_capture().
[[nodiscard]] OpenedSample open_sample(const SamplePaths& paths, const SampleRequest& request);

/// The same for the path of a sample's folder or a capture: see locate_sample(), which decides what it is.
[[nodiscard]] OpenedSample open_sample(const std::filesystem::path& path, const SampleRequest& request);

}  // namespace p2mpp
