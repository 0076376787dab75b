#include "capture/mask_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "base/text.h"
#include "capture/mask_resampling.h"
#include "capture/photograph_mask.h"
#include "capture/photograph_pixels.h"
#include "image/mask_excess.h"
#include "image/mask_facts.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kEnough = 16;  ///< photographs
constexpr int kLeastSide = 64;       ///< pixels of a silhouette that is measured

bool has_own_mask(const Photograph& photograph, const Image& image) {
  return !photograph.mask.empty() || !is_opaque(image);
}

/// In pixels of the photograph's mask.
std::optional<MaskExcess> excess_of(const DecodedPhotograph& decoded) {
  const Photograph& photograph = decoded.photograph;
  const Mask mask = photograph_mask(decoded.image, display(photograph.image), photograph.mask).mask;
  const MaskFacts facts = mask_facts(mask);
  if (!shows_object(facts)) return std::nullopt;
  const int extent = std::max(facts.right - facts.left, facts.bottom - facts.top);
  const MaskView silhouette =
      resampled_mask(photograph, mask, facts, std::clamp(extent, kLeastSide, kMaskViewSize), &decoded.image);
  std::optional<MaskExcess> excess = mask_excess(silhouette, silhouette.brightness);
  if (excess) excess = {excess->pixels / silhouette.grain, silhouette.grain};
  return excess;
}

}  // namespace

void find_mask_context(const Capture& capture, const SampleRequest& request, PixelBudget& budget,
                       MaskContext& context) {
  const std::size_t count = capture.photographs.size(), used = std::min(count, kEnough);
  const bool has_files = std::ranges::any_of(capture.photographs, [](const auto& each) { return !each.mask.empty(); });
  const bool needs_colours = !request.background.colour && !has_files;
  if (!needs_colours && !request.refine_masks) return;
  std::vector<std::optional<MaskExcess>> measured(used);
  for_each_task(used, request.threads, [&](std::size_t i) {
    const DecodedPhotograph decoded = decode(capture.photographs[i * count / used], budget);
    if (!has_own_mask(decoded.photograph, decoded.image)) {
      if (needs_colours) context.border_colours.add(decoded.image);
    } else if (request.refine_masks) {
      try {
        measured[i] = excess_of(decoded);
      } catch (const InputError&) {  // inspect() meets it again, and says which search found the mask
      }
    }
  });
  context.excess = common_excess(measured);
}

ObjectMask mask_of(const Photograph& photograph, const Image& image, const SampleRequest& request,
                   const MaskContext& context) {
  ObjectMask mask =
      photograph_mask(image, display(photograph.image), photograph.mask, request.background, &context.border_colours);
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
