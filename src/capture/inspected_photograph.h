#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "capture/canonical_view.h"
#include "capture/mask_context.h"
#include "capture/photograph_pixels.h"
#include "capture/sample_request.h"
#include "capture/view_choice.h"
#include "hull/hull_projection.h"
#include "image/mask_facts.h"
#include "image/mask_view.h"
#include "image/object_mask.h"

namespace p2mpp {

/// The use of a photograph, or the reason why it was not used.
struct PhotographReport {
  std::string name;
  std::string mask;                       ///< where its mask comes from: "alpha", "mask file", "background 255,255,255"
  std::string problem;                    ///< why it is not used at all, "the mask is empty"; empty if it is
  std::optional<Colour> background = {};  ///< set if the mask was made from the background's colour
  bool contradicts = false;               ///< its silhouette contradicts the others: not used for the frame
  SilhouetteFit fit;                      ///< against the hull of all
  MaskFacts facts;
  ViewCandidate candidate;
};

/// A photograph without what is around the object, from its decoding to its canonical view.
struct KeptPhotograph {
  Photograph photograph;  ///< as it was decoded
  Cutout cutout;
};

/// What is kept of a photograph after it is decoded.
struct InspectedPhotograph {
  PhotographReport report;
  std::optional<MaskView> silhouette;
  std::optional<KeptPhotograph> kept;
  std::optional<MaskExcess> excess;  ///< of a mask that was measured as it was given
};

/// Which photographs are kept, so that few are decoded twice: those that may become views, while there is room.
class KeptPixels {
 public:
  /// `views`: the photographs that were chosen; empty: any.
  explicit KeptPixels(const std::vector<std::size_t>& views) : views_(views) {}

  /// Thread-safe.
  bool take(std::size_t photograph, std::size_t pixels);

 private:
  const std::vector<std::size_t>& views_;
  std::atomic<std::size_t> left_ = std::size_t{32} << 20;  // 160 MiB with the masks
};

/// Decodes a photograph of a capture and finds the object in it. Throws InputError naming a file that is missing or
/// damaged or has no plain background. Thread-safe.
[[nodiscard]] InspectedPhotograph inspect(const Capture& capture, std::size_t index, const SampleRequest& request,
                                          const MaskContext& context, PixelBudget& budget, KeptPixels& kept);

/// The canonical view of a photograph, whose pose may have been corrected since it was kept. It is decoded again if it
/// was not kept.
[[nodiscard]] View canonical_view(const Photograph& posed, std::optional<KeptPhotograph> kept,
                                  const SampleRequest& request, const MaskContext& context,
                                  const Similarity& source_from_world, PixelBudget& budget);

}  // namespace p2mpp
