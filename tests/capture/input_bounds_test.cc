#include "capture/input_bounds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "capture/fit_views.h"
#include "capture/photograph_pixels.h"
#include "capture/sample_paths.h"
#include "fit/view_fitter.h"
#include "image/resize.h"
#include "io/cameras_json.h"
#include "io/image/image_file.h"
#include "io/image/png_file.h"
#include "io/test_list.h"
#include "p2mpp/error.h"
#include "support/bound_probes.h"
#include "support/documents.h"
#include "support/messages.h"
#include "support/pixels.h"

namespace p2mpp {
namespace {

TEST(InputBoundsTest, TheDocumentListsThem) {
  EXPECT_HOLDS(document("inputs.md"), bounds_table(input_bounds())) << "docs/inputs.md: expected\n"
                                                                    << bounds_table(input_bounds());
}

Mask whole_mask(int side) {
  return {side, side, std::vector<std::uint8_t>(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 255)};
}

std::string describe_cameras(std::size_t count) {
  const std::string view =
      R"("width":9,"height":9,"intrinsics":{"fx":9,"fy":9,"cx":4,"cy":4},"cam_from_world":[[1,0,0,0],[0,1,0,0],[0,0,1,1]]})";
  std::string views;
  for (std::size_t i = 0; i < count; ++i) {
    views += fmt::format("{}{{\"image\":\"{}.png\",\"use\":{},{}", i == 0 ? "" : ",", i, i < 2, view);
  }
  return fmt::format(R"({{"p2mpp_cameras":1,"views":[{}]}})", views);
}

// With an input just below each bound and one just above it. `elsewhere`: the test that does so.
TEST(InputBoundsTest, EachIsKept) {
  const auto elsewhere = [](const char*) { return [] {}; };
  const auto takes_image = [](std::int64_t width, std::int64_t height) { check_image_size(width, height, "a.png"); };
  const auto takes_mask = [](int side) { check_mask(FitMask{whole_mask(side)}, 0); };
  const BoundProbes probes = {
      {"pixels of an image's side",
       [&] {
         const auto takes_png = [](int width) {
           static_cast<void>(image_size(encode_png(uniform(width, 2, {9, 9, 9, 255})), "a.png"));
         };
         takes_png(2);
         EXPECT_THROW(takes_png(1), InputError);
         takes_image(kMaxImageSide, 2);
         EXPECT_THROW(takes_image(kMaxImageSide + 1, 2), InputError);
       }},
      {"pixels of an image",
       [&] {
         takes_image(kMaxImageSide, kMaxImagePixels / kMaxImageSide);
         EXPECT_THROW(takes_image(kMaxImageSide, kMaxImagePixels / kMaxImageSide + 1), InputError);
       }},
      {"pixels of an image's side with a camera row",
       [] {
         EXPECT_EQ(reduced_size({kMaxViewSide, 100}, kMaxViewSide), (ImageSize{kMaxViewSide, 100}));
         EXPECT_EQ(reduced_size({kMaxViewSide + 1, 100}, kMaxViewSide).width, kMaxViewSide);
       }},
      {"decoded pixels in memory", elsewhere("OpenSample: max_pixels of 3 images")},
      {"views that enter the network", elsewhere("tests/cli/refusals/general.txt and predict.txt")},
      {"entries of `cameras.json`",
       [] {
         EXPECT_EQ(parse_cameras_json(describe_cameras(kMaxCameraViews), "c").views.size(), kMaxCameraViews);
         EXPECT_THROW(static_cast<void>(parse_cameras_json(describe_cameras(kMaxCameraViews + 1), "c")), InputError);
         EXPECT_THROW(static_cast<void>(parse_cameras_json(describe_cameras(1), "c")), InputError);
       }},
      {"bytes of a text file or a mesh", elsewhere("ReadFile: 1 TiB in a sparse file, 4 and 5 bytes")},
      {"bytes of a file of a COLMAP model", elsewhere("ReadFile")},
      {"bytes of a sample's name",
       [] {
         check_sample_id(std::string(kMaxIdLength, 'a'));
         EXPECT_THROW(check_sample_id(std::string(kMaxIdLength + 1, 'a')), InputError);
       }},
      {"pixels of the side of a mask for the fit",
       [&] {
         for (const int side : {kMinFitMask, kMaxFitMask}) takes_mask(side);
         for (const int side : {kMinFitMask - 1, kMaxFitMask + 1}) EXPECT_THROW(takes_mask(side), InputError);
       }},
      {"views of a fit to all",
       [] {
         std::vector<std::size_t> all(kMostFittedViews);
         std::iota(all.begin(), all.end(), std::size_t{0});
         EXPECT_EQ(select_fitted(all), all);
         all.push_back(all.size());
         EXPECT_EQ(select_fitted(all).size(), kMostFittedViews);
       }},
      {"steps of a fit", elsewhere("tests/cli/refusals/general.txt and predict.txt")},
      {"vertices of an initial mesh", elsewhere("tests/cli/refusals/predict.txt")},
      {"pairs of triangles that a search for self-intersections looks at",
       elsewhere("SelfIntersectionsTest.ABoundedSearchFindsSomeAndSaysSo")}};
  expect_kept(input_bounds(), probes);
}

// Six bytes a pixel are kept: coverage, brightness and a distance. A fit has 27 more at work.
TEST(InputBoundsTest, SilhouettesOfAnyNumberOfPhotographsFitIntoMemory) {
  EXPECT_EQ(mask_view_size(800), kMaskViewSize);
  for (std::size_t count = 1; count <= kMaxCameraViews; ++count) {
    const auto size = static_cast<std::size_t>(mask_view_size(count));
    ASSERT_LT((6 * count + 27 * std::min(count, kMostFittedViews)) * size * size, 1'000'000'000U) << count;
  }
}

}  // namespace
}  // namespace p2mpp
