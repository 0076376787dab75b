#pragma once

#include <vector>

#include "backends/common/preprocess.h"
#include "backends/self_check/draw.h"
#include "p2mpp/metrics.h"

// Plain loops for preprocessing and nearest neighbours.

namespace p2mpp::plain {

/// preprocess() is bit-identical to cv2, which rounds positions to 1/2048 of a pixel and results to 8 bits.
inline constexpr double kPreprocessTolerance = 1.5 / 255;

inline constexpr std::size_t kPlane = 224 * 224;

/// The expected result of preprocess() in double precision: composited, resized bilinearly with half-pixel centres.
/// [3 or 4,224,224].
[[nodiscard]] std::vector<double> preprocess(const Image& image, const ImageRules& rules);

/// The largest relative error of the squared distances to the nearest target, by exhaustive search; infinite if an
/// index is out of range.
[[nodiscard]] double squared_distance_difference(const Neighbours& found, const Points& queries, const Points& targets);

/// Random colours; some pixels are transparent.
[[nodiscard]] Image drawn_image(Draw& draw, int width, int height);

/// Colours and greys around the one below which a pixel of an opaque image is the object's.
[[nodiscard]] Image drawn_opaque_image(Draw& draw, int width, int height);

/// Random points in a cube of side 1.
[[nodiscard]] Points drawn_cloud(Draw& draw, std::size_t count);

}  // namespace p2mpp::plain
