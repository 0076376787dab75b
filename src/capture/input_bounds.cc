#include "capture/input_bounds.h"

#include <fmt/format.h>

#include "base/input_file.h"
#include "cameras/colmap/colmap_model.h"
#include "capture/fit_views.h"
#include "fit/self_intersections.h"
#include "io/cameras_json.h"
#include "io/image/image_file.h"
#include "io/image/pixel_budget.h"
#include "io/test_list.h"
#include "p2mpp/fit.h"
#include "p2mpp/fit_mask.h"
#include "p2mpp/sample.h"

namespace p2mpp {
namespace {

std::string range(std::uint64_t least, std::uint64_t most) {
  return fmt::format("{} to {}", with_commas(least), with_commas(most));
}

std::string to_megabytes(std::uint64_t bytes) { return fmt::format("{} MB", with_commas(bytes >> 20)); }

}  // namespace

std::vector<Bound> input_bounds() {
  const char* const refused = "refused by its header";
  const char* const unread = "refused before it is read";
  return {
      {"pixels of an image's side", range(2, kMaxImageSide), "", refused},
      {"pixels of an image", with_commas(kMaxImagePixels), "", refused},
      {"pixels of an image's side with a camera row", with_commas(kMaxViewSide), "", "reduced while it is read"},
      {"decoded pixels in memory", with_commas(kMaxPixelsInWork), "--max-pixels",
       "others wait; a sample that has more alone is refused"},
      {"views that enter the network", range(kMinViews, kMaxViews), "--views", "refused"},
      {"entries of `cameras.json`", range(kMinViews, kMaxCameraViews), "", "refused"},
      {"bytes of a text file or a mesh", to_megabytes(kMaxTextFileBytes), "", unread},
      {"bytes of a file of a COLMAP model", to_megabytes(kMaxColmapFileBytes), "", unread},
      {"bytes of a sample's name", with_commas(kMaxIdLength), "", "refused"},
      {"pixels of the side of a mask for the fit", range(kMinFitMask, kMaxFitMask), "", "refused"},
      {"views of a fit to all", with_commas(kMostFittedViews), "--fit-views",
       "as many are taken, evenly spread; a list of views may be longer"},
      {"steps of a fit", with_commas(kMaxFitSteps), "--fit-steps", "refused"},
      {"vertices of an initial mesh", range(kMinInitialVertices, kMaxInitialVertices), "--target-vertices", "refused"},
      {"pairs of triangles that a search for self-intersections looks at", with_commas(kMostIntersectionPairs), "",
       "it gives \"at least\" the number that it has found"}};
}

}  // namespace p2mpp
