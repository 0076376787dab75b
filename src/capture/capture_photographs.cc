#include "capture/capture_photographs.h"

#include <utility>

#include "capture/mask_context.h"
#include "capture/photograph_pixels.h"

namespace p2mpp {

Rigid3 in_world(const Rigid3& cam_from_source, const Similarity& source_from_world) {
  Rigid3 cam_from_world = cam_from_source * Rigid3{source_from_world.rotation, source_from_world.translation};
  cam_from_world.translation /= source_from_world.scale;
  return cam_from_world;
}

CapturePhotographs::CapturePhotographs(const CaptureReport& report, const SampleRequest& request)
    : request_(request), mask_context_(report.mask_context), budget_(request.max_pixels) {
  for (std::size_t i = 0; i < report.photographs.size(); ++i) {
    const PhotographReport& inspected = report.photographs[i];
    if (inspected.why_unused || inspected.contradicts) continue;
    const Photograph& file = report.capture.photographs[i];
    photographs_.push_back({.name = file.name,
                            .lens = file.lens,
                            .width = file.width,
                            .height = file.height,
                            .cam_from_world = in_world(file.cam_from_source, report.frame.source_from_world),
                            .sharpness = inspected.candidate.sharpness});
    files_.push_back(file);
  }
}

DecodedSource CapturePhotographs::decode(std::size_t photograph) const {
  DecodedPhotograph decoded = p2mpp::decode(files_[photograph], budget_);
  Mask mask = mask_of(decoded.photograph, decoded.image, request_, *mask_context_).mask;
  return {std::move(decoded.image), std::move(mask), decoded.photograph.lens, std::move(decoded.share)};
}

}  // namespace p2mpp
