#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "cameras/capture.h"
#include "capture/pieces/missing_pieces.h"
#include "capture/sample_request.h"
#include "image/border_colours.h"
#include "image/mask_facts.h"
#include "image/object_mask.h"
#include "io/image/pixel_budget.h"
#include "p2mpp/fit_mask.h"

namespace p2mpp {

/// What the photographs of a capture together tell about their masks.
struct MaskContext {
  BorderColours border_colours;  ///< of the photographs without masks
  double excess = 0;             ///< pixels by which masks and alpha are too wide; negative: too narrow
  std::map<std::filesystem::path, PhotographPiece> pieces;  ///< that masks lack, by the photograph's file
};

/// Decodes some photographs, all over the capture, for their borders' colours: unless the background's colour is given
/// or a photograph has a mask. inspect() names the faults of a photograph.
void find_border_colours(const Capture& capture, const SampleRequest& request, PixelBudget& budget,
                         MaskContext& context);

/// Whether a photograph is one of the few, all over the capture, whose border or mask is looked at for all.
[[nodiscard]] bool stands_for_all(std::size_t photograph, std::size_t count);

/// By how many pixels of itself a photograph's own mask is too wide. Nothing if it has none, or none that tells.
[[nodiscard]] std::optional<MaskExcess> find_excess(const Photograph& photograph, const Image& image, const Mask& mask,
                                                    const MaskFacts& facts);

/// The object's mask in a decoded photograph, whose lens refers to the image's pixels. Throws as photograph_mask().
/// Thread-safe.
[[nodiscard]] ObjectMask find_mask(const Photograph& photograph, const Image& image, const SampleRequest& request,
                                   const MaskContext& context);

/// Corrects the width of masks that have brightness, if all of them are too wide or too narrow. Returns the pixels by
/// which they were too wide, or 0.
double correct_widths(std::span<FitMask> masks);

/// "the masks are 2.0 pixels wider than the object in the photographs, and are made narrower (...)".
[[nodiscard]] std::string width_note(double excess);

}  // namespace p2mpp
