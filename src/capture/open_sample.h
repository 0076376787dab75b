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

/// Decodes a sample whose files were located: a folder's, a list's entry's, named files, or a capture. Throws as
/// read_sample_files(), read_capture() and sample_from_capture().
[[nodiscard]] OpenedSample open_sample(const SamplePaths& paths, const SampleRequest& request);

/// The same for the path of a sample's folder or a capture: see locate_sample(), which decides what it is.
[[nodiscard]] OpenedSample open_sample(const std::filesystem::path& path, const SampleRequest& request);

}  // namespace p2mpp
