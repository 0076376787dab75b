#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "capture/drawn_capture_folder.h"
#include "capture/mask_context.h"
#include "capture/open_sample.h"
#include "capture/photograph_pixels.h"
#include "capture/sample_views.h"
#include "image/brightness.h"
#include "image/mask_facts.h"
#include "image/object_mask.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using Kind = FitViews::Kind;

/// The index of a mask's pixel that shows the point of the world that a view's pixel shows. Both cameras are at the
/// same place, so the point may be at any distance.
std::optional<std::size_t> pixel_of_mask(const FitMask& mask, const View& view, std::size_t row, std::size_t column) {
  const Intrinsics& seen = view.camera.intrinsics;
  const Eigen::Vector3d in_view((static_cast<double>(column) + 0.5 - seen.cx) / seen.fx,
                                -(static_cast<double>(row) + 0.5 - seen.cy) / seen.fy, -1);
  const Eigen::Vector3d in_mask = mask.camera.cam_from_world(view.camera.world_from_cam(in_view));
  const Intrinsics& own = mask.camera.intrinsics;
  const double scale = mask.width / kImageSize;
  const double x = scale * (own.fx * in_mask.x() / -in_mask.z() + own.cx),
               y = scale * (own.fy * -in_mask.y() / -in_mask.z() + own.cy);
  if (x < 0 || y < 0 || x >= mask.width || y >= mask.width) return {};
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(mask.width) + static_cast<std::size_t>(x);
}

struct Agreement {
  double iou = 0;
  double brightness_difference = 0;  ///< mean inside both masks, of 0 to 255
  double contrast = 0;               ///< mean difference of the view's brightness from its mean
};

Agreement agreement(const FitMask& mask, const View& view) {
  double both = 0, either = 0, difference = 0;
  std::vector<double> shown;
  for (std::size_t row = 0; row < 224; ++row) {
    for (std::size_t column = 0; column < 224; ++column) {
      const std::uint8_t* rgba = &view.image.rgba[4 * (row * 224 + column)];
      const std::optional<std::size_t> at = pixel_of_mask(mask, view, row, column);
      const bool in_view = rgba[3] >= 128, in_mask = at && mask.coverage[*at] >= 128;
      either += in_view || in_mask;
      if (!in_view || !in_mask) continue;
      ++both;
      shown.push_back(luminance(rgba));
      difference += std::fabs(shown.back() - mask.brightness.at(*at));
    }
  }
  const double mean = std::accumulate(shown.begin(), shown.end(), 0.0) / both;
  double contrast = 0;
  for (const double value : shown) contrast += std::fabs(value - mean);
  return {both / either, difference / both, contrast / both};
}

class FitMasks : public DrawnCaptureFolder {
 protected:
  FitMasks() : DrawnCaptureFolder(6, 5, "") {}
  [[nodiscard]] PreparedCapture prepared(const FitViews& fit) const {
    return sample_from_capture(drawn.capture, "chair", {.fit = fit});
  }
};

TEST_F(FitMasks, OfACaptureShowWhatTheCanonicalViewsShow) {
  const PreparedCapture same = prepared({Kind::kSame});
  ASSERT_EQ(same.sample.fit_masks.size(), same.sample.views.size());
  for (const FitMask& mask : same.sample.fit_masks) {
    const auto view = std::ranges::find(same.sample.views, mask.name, &View::name);
    ASSERT_NE(view, same.sample.views.end()) << mask.name;
    EXPECT_NO_THROW(check_camera(mask.camera));
    const Agreement found = agreement(mask, *view);
    EXPECT_GT(found.iou, 0.93);
    EXPECT_LT(found.brightness_difference, 0.3 * found.contrast) << "the fit matches what it sees";
  }
}

TEST_F(FitMasks, OfACaptureAreThoseThatAreAskedFor) {
  EXPECT_EQ(prepared({}).sample.fit_masks.size(), 0U);
  EXPECT_EQ(prepared({Kind::kAll}).sample.fit_masks.size(), 6U);
  EXPECT_EQ(prepared({Kind::kAutomatic}).sample.fit_masks.size(), 6U) << "the network takes three";
  const Sample listed = prepared(parse_fit_views("4,1")).sample;
  ASSERT_EQ(listed.fit_masks.size(), 2U);
  EXPECT_EQ(listed.fit_masks[0].name, "4.png");
  EXPECT_THROW(static_cast<void>(prepared(parse_fit_views("6"))), UsageError);
  drawn.capture.photographs.resize(3);
  EXPECT_EQ(prepared({Kind::kAutomatic}).sample.fit_masks.size(), 0U) << "the network has them all";
}

TEST_F(FitMasks, OfVeryManyPhotographsAreAnEvenShare) {
  std::vector<Photograph>& photographs = drawn.capture.photographs;
  while (photographs.size() <= kMostFittedViews) photographs.push_back(photographs[photographs.size() - 6]);
  EXPECT_EQ(prepared({Kind::kAll}).sample.fit_masks.size(), kMostFittedViews);
}

TEST_F(FitMasks, OfAnEmptyPhotographAreLeftOutUnlessItIsListed) {
  Image empty = drawn.images[2];
  std::ranges::fill(empty.rgba, std::uint8_t{0});
  write(2, empty);
  EXPECT_EQ(prepared({Kind::kAll}).sample.fit_masks.size(), 5U);
  EXPECT_REFUSED(prepared(parse_fit_views("0,2")), "2.png: the mask is empty; expected a mask for the fit");
}

TEST_F(FitMasks, OfAnImportedCaptureAreThoseOfTheCapture) {
  const PreparedCapture all = prepared({Kind::kAll});
  std::vector<std::string> images;
  for (const Photograph& photograph : drawn.capture.photographs) images.push_back(photograph.name);
  folder.write("cameras.json", cameras_json_text(describe_cameras(all, images, {6, ""})));
  const SamplePaths paths = locate_sample(folder.path(), {});
  EXPECT_EQ(open_sample(paths, {}).sample.fit_masks.size(), 0U);
  EXPECT_EQ(open_sample(paths, {.fit = {Kind::kSame}}).sample.fit_masks.size(), 3U);
  const std::vector<FitMask> read = open_sample(paths, {.fit = {Kind::kAutomatic}}).sample.fit_masks;
  ASSERT_EQ(read.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {  // to the bit, so that the meshes are
    const FitMask& twin = all.sample.fit_masks[i];
    EXPECT_EQ(read[i].name, twin.name);
    EXPECT_EQ(read[i].coverage, twin.coverage);
    EXPECT_EQ(read[i].camera.origin, twin.camera.origin);
    EXPECT_EQ(read[i].camera.rotation, twin.camera.rotation);
    EXPECT_EQ(read[i].camera.intrinsics.fx, twin.camera.intrinsics.fx);
  }
  EXPECT_REFUSED(open_sample(paths, {.fit = parse_fit_views("6")}),
                 "has no view 6 for the fit; it has 6 (counted from 0)");
}

/// With masks, or with alpha and its search for borders' colours.
TEST_F(FitMasks, APhotographIsDecodedOnce) {
  const std::size_t count = drawn.images.size();
  EXPECT_EQ(prepared({Kind::kAll}).decodings, 2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    Photograph& photograph = drawn.capture.photographs[i];
    photograph.mask = folder.write("mask_" + name(i), encode_png(drawn.images[i]));
  }
  EXPECT_EQ(prepared({Kind::kAll}).decodings, count);
}

/// The solid angle that a mask covers, of any unit.
double covered_angle(const FitMask& mask) {
  const auto covered = std::ranges::count_if(mask.coverage, [](int each) { return each >= 128; });
  return static_cast<double>(covered) / std::pow(mask.width * mask.camera.intrinsics.fx, 2);
}

/// Alpha that is one and a half pixels too wide or too narrow gives nearly the masks of the true alpha, and the note
/// says so.
TEST_F(FitMasks, OfAWrongWidthAreCorrectedFromThePhotographs) {
  const std::vector<FitMask> exact = prepared({Kind::kAll}).sample.fit_masks;
  const auto error = [&](const Sample& sample) {  // of the shares that the object covers, in sum
    double sum = 0;
    for (const FitMask& mask : sample.fit_masks) {
      sum += std::fabs(covered_angle(mask) / covered_angle(*std::ranges::find(exact, mask.name, &FitMask::name)) - 1);
    }
    return sum;
  };
  for (const double too_wide : {1.5, -1.5}) {
    for (std::size_t i = 0; i < drawn.images.size(); ++i) {
      Image image = drawn.images[i];
      const Mask wrong = narrowed(alpha_mask(image), -too_wide);
      for (std::size_t k = 0; k < wrong.coverage.size(); ++k) image.rgba[4 * k + 3] = wrong.coverage[k];
      write(i, image);
    }
    const PreparedCapture corrected = prepared({Kind::kAll});
    EXPECT_NEAR(corrected.mask_context->excess, too_wide, 0.3);
    ASSERT_EQ(corrected.capture.notes.size(), 1U);
    EXPECT_NE(corrected.capture.notes[0].find("--no-refine-masks"), std::string::npos);
    const PreparedCapture kept = sample_from_capture(
        drawn.capture, "chair", {.fit = {Kind::kAll}, .capture = {.corrections = {.masks = false}}});
    EXPECT_TRUE(kept.capture.notes.empty());
    EXPECT_LT(error(corrected.sample), 0.2 * error(kept.sample));
  }
}

TEST(FitMaskOf, ASampleOfAWrongWidthIsCorrected) {
  std::vector<FitMask> masks;
  for (const View& view : bundled_sample("03001627/p2mpp0001").views) masks.push_back(make_fit_mask(view));
  const std::vector<std::uint8_t> exact = masks[0].coverage;
  EXPECT_EQ(correct_widths(masks), 0);
  EXPECT_EQ(masks[0].coverage, exact) << "its bytes stay";
  for (FitMask& mask : masks) mask.coverage = narrowed(mask, -2).coverage;
  EXPECT_NEAR(correct_widths(masks), 2, 0.3);
  EXPECT_EQ(correct_widths(masks), 0) << "once is enough";
}

TEST(FitMaskOf, ABundledSampleIsItsAlpha) {
  const Sample sample = bundled_sample("03001627/p2mpp0001");
  const FitMask mask = make_fit_mask(sample.views[0]);
  ASSERT_EQ(mask.width, sample.views[0].image.width);
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
    ASSERT_EQ(mask.coverage[i], sample.views[0].image.rgba[4 * i + 3]);
  }
  EXPECT_EQ(mask.camera.origin, sample.views[0].camera.origin);
}

TEST(FitMaskOf, LargeAndTinyImagesBecome224) {
  for (const int size : {2000, 300, 12}) {
    Image image{size, size, {}};
    for (int i = 0; i < size * size; ++i) {
      const bool inside = i % size >= size / 4 && i % size < size / 2;
      image.rgba.insert(image.rgba.end(), {10, 20, 30, static_cast<std::uint8_t>(inside ? 255 : 0)});
    }
    const FitMask mask = make_fit_mask(view_from_row(std::move(image), {10, 20, 0, 0.8F, 25}));
    ASSERT_EQ(mask.width, 224);
    double sum = 0;
    for (const std::uint8_t value : mask.coverage) sum += value / 255.0;
    EXPECT_NEAR(sum, 224 * 56, 224 * 0.01);
    EXPECT_EQ(mask.coverage[100 * 224 + 58], 255);
    EXPECT_EQ(mask.coverage[100 * 224 + 54], 0);
  }
}

}  // namespace
}  // namespace p2mpp
