#include "cli/support/capture_options.h"

#include <fmt/format.h>

#include <numbers>

#include "base/parallel.h"
#include "cli/support/progress.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

std::optional<Eigen::Vector3d> vector_of(const std::vector<double>& numbers) {
  if (numbers.empty()) return std::nullopt;
  return Eigen::Vector3d(numbers[0], numbers[1], numbers[2]);
}

CaptureOptions capture_options(const CaptureArguments& arguments) {
  CaptureOptions options;
  if (!arguments.images.empty()) options.images = arguments.images;
  if (!arguments.turntable) return options;
  if (!arguments.elevation_deg) throw UsageError("--turntable also needs --elevation DEGREES");
  Turntable turntable;
  turntable.elevation_deg = *arguments.elevation_deg;
  turntable.clockwise = arguments.clockwise;
  if (arguments.field_of_view_deg && *arguments.field_of_view_deg < std::numbers::pi) {
    throw UsageError(
        fmt::format("--fov: {:g} looks like radians; expected degrees, such as 69.4", *arguments.field_of_view_deg));
  }
  if (arguments.field_of_view_deg) turntable.field_of_view_deg = *arguments.field_of_view_deg;
  options.turntable = turntable;
  return options;
}

}  // namespace

SampleRequest sample_request(const Settings& settings, const ViewNumbers& numbered, const CaptureArguments& arguments) {
  const FrameOptions frame{vector_of(arguments.up), vector_of(arguments.centre), arguments.scale};
  if (frame.up && frame.up->isZero()) throw UsageError("--up: is 0,0,0; expected a direction, such as 0,0,1");
  return {.views = settings.views,
          .view_count = settings.view_count,
          .trained_views = numbered,
          .max_pixels = settings.max_pixels,
          .threads = settings.engine.threads > 0 ? settings.engine.threads : physical_core_count(),
          .refine_masks = arguments.refine_masks,
          .capture = capture_options(arguments),
          .masks = arguments.masks,
          .background = parse_background(arguments.background),
          .frame = frame,
          .refine_poses = arguments.refine_poses};
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

}  // namespace p2mpp::cli
