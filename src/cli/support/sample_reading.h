#pragma once

#include <filesystem>
#include <vector>

#include "capture/open_sample.h"
#include "capture/preparation_options.h"
#include "capture/sample_from_capture.h"
#include "cli/support/command.h"
#include "io/mesh/mesh_file.h"

namespace p2mpp::cli {

using ViewNumbers = std::vector<std::size_t>;

/// How a sample's folder or a capture is read. `numbered`: view_indices(). Throws UsageError as check_turntable().
[[nodiscard]] SampleRequest sample_request(const Settings& settings, const ViewNumbers& numbered,
                                           const PreparationOptions& capture = {});

/// The same for commands that refuse captures.
[[nodiscard]] SampleRequest folder_request(const Settings& settings,
                                           const ViewNumbers& numbered = SampleRequest().trained_views);

/// open_sample() with a bar on a terminal while the photographs of a capture are read.
[[nodiscard]] OpenedSample open_with_bar(const std::filesystem::path& path, SampleRequest request,
                                         const Settings& settings);

/// read_noted_mesh(), which logs what its reader has to say.
[[nodiscard]] NotedMesh read_mesh_and_log_notes(const std::filesystem::path& file);

}  // namespace p2mpp::cli
