#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "image/photograph_source.h"
#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The images of a sample's views as photographs. The sample must outlive the result. decode() throws InputError naming
/// a view whose image has neither alpha nor a plain background.
[[nodiscard]] std::shared_ptr<const PhotographSource> views_as_photographs(const Sample& sample);

/// The other photographs of a source.
[[nodiscard]] std::shared_ptr<const PhotographSource> without_photographs(
    std::shared_ptr<const PhotographSource> source, const std::vector<std::size_t>& left_out);

/// How much a coloured mesh looks like a photograph, where both show the object.
struct PhotographAgreement {
  std::string name;
  std::size_t pixels = 0;    ///< that are compared
  double psnr = 0;           ///< dB; red, green and blue in sRGB
  double psnr_balanced = 0;  ///< the same after a gain and an offset of each: a photograph has an exposure of its own
  double ssim = 0;  ///< structural similarity of the brightness, 1 is best: the mean over windows of 8x8 pixels
};

/// Draws a mesh with a texture or colours, in the world frame, into a photograph, and compares them. Throws as
/// PhotographSource::decode(), and Error if this build has no ray tracer.
[[nodiscard]] PhotographAgreement compare_with_photograph(const TriangleMesh& mesh, const PhotographSource& source,
                                                          std::size_t photograph, int threads);

}  // namespace p2mpp
