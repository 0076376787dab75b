#include "capture/inspected_photograph.h"

#include <algorithm>

#include "p2mpp/error.h"

namespace p2mpp {

bool KeptPixels::take(std::size_t photograph, std::size_t pixels) {
  if (!views_.empty() && std::ranges::find(views_, photograph) == views_.end()) return false;
  std::size_t left = left_;
  while (left >= pixels) {
    if (left_.compare_exchange_weak(left, left - pixels)) return true;
  }
  return false;
}

InspectedPhotograph inspect(const Capture& capture, std::size_t index, const SampleRequest& request,
                            const MaskContext& context, PixelBudget& budget, KeptPixels& kept) {
  const Photograph& photograph = capture.photographs[index];
  const DecodedPhotograph decoded = decode(photograph, budget);
  const ObjectMask mask = [&] {
    try {
      return find_mask(decoded.photograph, decoded.image, request, context);
    } catch (const InputError& error) {
      throw InputError(error.what() + (photograph.mask.empty() ? capture.mask_search : std::string()));
    }
  }();
  InspectedPhotograph result;
  PhotographReport& report = result.report;
  report.name = photograph.name;
  report.mask = mask.origin;
  report.background = mask.background;
  report.facts = mask_facts(mask.mask);
  report.candidate.name = photograph.name;
  report.candidate.pixels = pixel_hash(decoded.image);
  try {
    check_shows_object(report.facts);
  } catch (const InputError& error) {
    report.problem = error.what();
    report.candidate.usable = false;
    return result;
  }
  report.candidate.border_share = report.facts.border_share;
  report.candidate.extent = report.facts.extent();
  report.candidate.sharpness = sharpness(decoded.image, mask.mask, report.facts);
  result.silhouette = resampled_mask(decoded.photograph, mask.mask, report.facts,
                                     mask_view_size(capture.photographs.size()), &decoded.image);
  if (request.capture.corrections.masks && context.excess == 0 && stands_for_all(index, capture.photographs.size())) {
    result.excess = find_excess(decoded.photograph, decoded.image, mask.mask, report.facts);
  }
  const PixelBox box = covered_box(mask.mask);
  const auto width = static_cast<std::size_t>(box.right - box.left);
  if (kept.take(index, width * static_cast<std::size_t>(box.bottom - box.top))) {
    result.kept = KeptPhotograph{decoded.photograph, cut_out(decoded.image, mask, box)};
  }
  return result;
}

View canonical_view(const Photograph& posed, std::optional<KeptPhotograph> kept, const SampleRequest& request,
                    const MaskContext& context, const Similarity& source_from_world, PixelBudget& budget) {
  if (!kept) {
    const DecodedPhotograph decoded = decode(posed, budget);
    const ObjectMask mask = find_mask(decoded.photograph, decoded.image, request, context);
    return canonical_view(decoded.photograph, cut_out(decoded.image, mask), source_from_world);
  }
  kept->photograph.cam_from_source = posed.cam_from_source;
  return canonical_view(kept->photograph, kept->cutout, source_from_world);
}

}  // namespace p2mpp
