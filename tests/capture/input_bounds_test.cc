#include "capture/input_bounds.h"

#include <gtest/gtest.h>

#include "capture/silhouette.h"
#include "io/cameras_json.h"
#include "support/documents.h"

namespace p2mpp {
namespace {

TEST(InputBoundsTest, TheDocumentListsThem) {
  EXPECT_NE(document("inputs.md").find(bounds_table(input_bounds())), std::string::npos)
      << "docs/inputs.md: expected\n"
      << bounds_table(input_bounds());
}

// 27 bytes a pixel are at work in a fit: coverage, brightness and distances, some of them twice.
TEST(InputBoundsTest, SilhouettesOfAnyNumberOfPhotographsFitIntoMemory) {
  EXPECT_EQ(silhouette_size(400), kSilhouetteSize);
  for (std::size_t count = 1; count <= kMaxCameraViews; ++count) {
    const auto size = static_cast<std::size_t>(silhouette_size(count));
    ASSERT_LT(27 * size * size * count, 1'200'000'000U) << count;
  }
}

}  // namespace
}  // namespace p2mpp
