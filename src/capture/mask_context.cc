#include "capture/mask_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/parallel.h"
#include "base/text.h"
#include "capture/photograph_pixels.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

bool has_own_mask(const Photograph& photograph, const Image& image) {
  return !photograph.mask.empty() || !is_opaque(image);
}

}  // namespace

void find_border_colours(const Capture& capture, const SampleRequest& request, PixelBudget& budget,
                         MaskContext& context) {
  const std::size_t count = capture.photographs.size();
  const bool has_files = std::ranges::any_of(capture.photographs, [](const auto& each) { return !each.mask.empty(); });
  if (request.capture.background.colour || has_files) return;
  for_each_task(count, request.threads, [&](std::size_t i) {
    if (!stands_for_all(i, count)) return;
    const DecodedPhotograph decoded = decode(capture.photographs[i], budget);
    if (!has_own_mask(decoded.photograph, decoded.image)) context.border_colours.add(decoded.image);
  });
}

bool stands_for_all(std::size_t photograph, std::size_t count) {
  constexpr std::size_t kEnough = 16;
  const std::size_t used = std::min(count, kEnough);
  const std::size_t which = (photograph * used + count - 1) / count;  // the first one whose photograph is not before it
  return which < used && which * count / used == photograph;
}

std::optional<MaskExcess> find_excess(const Photograph& photograph, const Image& image, const Mask& mask,
                                      const MaskFacts& facts) {
  constexpr int kLeastSide = 64;  // pixels of a view that is measured
  if (!has_own_mask(photograph, image)) return std::nullopt;
  const MaskView view =
      resampled_mask(photograph, mask, facts, std::clamp(facts.extent(), kLeastSide, kMaskViewSize), &image);
  std::optional<MaskExcess> excess = mask_excess(view, view.brightness);
  if (excess) excess = {excess->pixels / view.grain, view.grain};
  return excess;
}

ObjectMask find_mask(const Photograph& photograph, const Image& image, const SampleRequest& request,
                     const MaskContext& context) {
  ObjectMask mask = photograph_mask(image, display(photograph.image), photograph.mask, request.capture.background,
                                    &context.border_colours);
  if (context.excess != 0 && has_own_mask(photograph, image)) {
    mask.mask = narrowed(mask.mask, context.excess);
    mask.origin +=
        fmt::format(", {:.1f} pixels {}", std::fabs(context.excess), context.excess > 0 ? "narrower" : "wider");
  }
  if (const auto piece = context.pieces.find(photograph.image); piece != context.pieces.end()) {
    piece->second.add_to(mask.mask, photograph.lens);
    mask.origin += ", a piece filled";
  }
  return mask;
}

double correct_widths(std::span<FitMask> masks) {
  std::vector<std::optional<MaskExcess>> measured;
  for (const FitMask& mask : masks) measured.push_back(mask_excess(mask, mask.brightness));
  const double excess = common_excess(measured);
  if (excess == 0) return 0;
  for (FitMask& mask : masks) mask.coverage = narrowed(mask, excess).coverage;
  return excess;
}

std::string width_note(double excess) {
  const auto [is, become] = excess > 0 ? std::pair("wider", "narrower") : std::pair("narrower", "wider");
  return fmt::format(
      "the masks are {:.1f} pixels {} than the object in the photographs, and are made {} (--no-refine-masks keeps "
      "them)",
      std::fabs(excess), is, become);
}

}  // namespace p2mpp
