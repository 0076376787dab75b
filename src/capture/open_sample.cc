#include "capture/open_sample.h"

#include <fmt/format.h>

#include <utility>

#include "cameras/mask_files.h"
#include "capture/capture_photographs.h"
#include "capture/sample_files.h"

namespace p2mpp {
namespace {

OpenedSample open_capture(const SamplePaths& paths, const SampleRequest& request) {
  Capture capture = read_capture(paths.capture, request.capture.source);
  if (request.capture.masks.empty()) use_masks_beside(capture);
  PreparedCapture prepared = sample_from_capture(std::move(capture), paths.id, request);
  if (const std::size_t count = prepared.chosen.size(); count < request.photograph_count()) {
    prepared.capture.notes.push_back(fmt::format(
        "the network gets {} views instead of {}: the other photographs are not usable or show the same views", count,
        request.photograph_count()));
  }
  auto photographs = std::make_shared<CapturePhotographs>(prepared, request);
  return {std::move(prepared.sample), static_cast<CaptureReport&&>(prepared), std::move(photographs)};
}

}  // namespace

OpenedSample open_sample(const SamplePaths& paths, const SampleRequest& request) {
  if (!paths.capture.empty()) return open_capture(paths, request);
  return {read_sample_files(paths, request)};
}

OpenedSample open_sample(const std::filesystem::path& path, const SampleRequest& request) {
  return open_sample(locate_sample(path, request), request);
}

}  // namespace p2mpp
