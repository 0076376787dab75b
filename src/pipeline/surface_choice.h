#pragma once

#include <string>
#include <string_view>

#include "p2mpp/sample.h"
#include "p2mpp/surface.h"
#include "pipeline/initial_shape.h"

namespace p2mpp {

/// Reads "auto", "template" or "volume" into `choice`. The other fields stay. Throws UsageError.
void from_text(std::string_view text, SurfaceChoice& choice);

/// The text that from_text() reads.
[[nodiscard]] std::string to_string(const SurfaceChoice& choice);

/// Why an automatic choice does not take a volume for a sample ("5 masks; a volume needs 8"); empty if it does. It
/// takes one for photographs with masks from enough sides, if the network's mesh begins from the template.
[[nodiscard]] std::string obstacle_to_volume(const Sample& sample, const InitialShape& shape);

/// "256 voxels, 24 masks, 3 small parts dropped, 3500 ms"
[[nodiscard]] std::string surface_summary(const SurfaceFigures& figures);

}  // namespace p2mpp
