#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "image/mask_view.h"

namespace p2mpp {

inline constexpr double kPieceDepth = 0.1;  ///< of a piece, at most, as a share of the silhouette's side
inline constexpr int kSliver = 4;           ///< pixels around what was filled that may be missing, too

/// A pixel that was filled, and its coverage before.
struct FilledPixel {
  std::size_t pixel = 0;
  std::uint8_t before = 0;
};

/// The pixels outside a mask where a piece may be missing, [width, width], 1 or 0; empty if there is none. There the
/// photograph shows no outline, or pixels around were filled, and it is as bright as the object rather than as the
/// background. Without brightness, or if the photograph's outline is not to be trusted, none is.
[[nodiscard]] std::vector<std::uint8_t> doubtful_pixels(const MaskView& silhouette,
                                                        std::span<const FilledPixel> filled);

/// The pixels of a silhouette that were filled.
struct FilledPiece {
  std::size_t silhouette = 0;
  std::vector<std::size_t> pixels = {};
};

/// Fills pieces that masks lack. A piece is missing where a mask's boundary has no outline in the photograph, because
/// the object goes on behind it, and where the other silhouettes say that there is something. Masks with soft or no
/// outlines anywhere stay, and so do all if there are fewer than eight or more than 150, if the cameras do not look at
/// one place, if the other silhouettes refute most of what looks like a missing piece, or if the object would grow.
/// Silhouettes without brightness stay and count for the others. The same result for any number of threads.
std::vector<FilledPiece> fill_missing_pieces(std::span<MaskView> silhouettes, int threads);

/// The same for the masks of a fit. Returns the number of masks that were changed.
std::size_t fill_missing_pieces(std::span<FitMask> masks, int threads);

/// What was filled in a photograph's silhouette, for the photograph's own mask.
struct PhotographPiece {
  Mask pixels = {};
  Pinhole<double> camera = {};                      ///< of the pixels; its world is the photograph's camera frame
  void add_to(Mask& mask, const Lens& lens) const;  ///< of the photograph's size; the lens refers to its pixels
};

[[nodiscard]] PhotographPiece make_piece(const MaskView& silhouette, const FilledPiece& filled);

/// "3 masks lack pieces of the object and are filled where the photographs show no outline (...)".
[[nodiscard]] std::string pieces_note(std::size_t masks);

}  // namespace p2mpp
