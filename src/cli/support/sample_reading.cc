#include "cli/support/sample_reading.h"

#include <spdlog/spdlog.h>

#include <optional>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/support/progress.h"

namespace p2mpp::cli {

SampleRequest sample_request(const Settings& settings, const ViewNumbers& numbered, const PreparationOptions& capture) {
  if (capture.source.is_turntable) check_turntable(capture.source.turntable);
  return {.views = settings.views,
          .view_count = settings.view_count,
          .trained_views = numbered,
          .max_pixels = settings.max_pixels,
          .threads = settings.engine.threads > 0 ? settings.engine.threads : physical_core_count(),
          .capture = capture};
}

SampleRequest folder_request(const Settings& settings, const ViewNumbers& numbered) {
  SampleRequest request = sample_request(settings, numbered);
  request.takes_captures = false;
  return request;
}

OpenedSample open_with_bar(const std::filesystem::path& path, SampleRequest request, const Settings& settings) {
  std::optional<Progress> bar;
  if (progress_style(settings) == ProgressStyle::kBar) {
    request.on_photograph = [&bar](std::size_t read, std::size_t all) {
      if (!bar) bar.emplace("photographs", all, ProgressStyle::kBar);
      bar->update(read, 0);
    };
  }
  return open_sample(path, request);
}

NotedMesh read_mesh_and_log_notes(const std::filesystem::path& file) {
  NotedMesh read = read_noted_mesh(file);
  for (const std::string& note : read.notes) spdlog::info("{}: {}", display(file), note);
  return read;
}

}  // namespace p2mpp::cli
