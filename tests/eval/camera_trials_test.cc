#include "eval/camera_trials.h"

#include <gtest/gtest.h>

#include "support/messages.h"

namespace p2mpp {
namespace {

CameraTrial trial(const std::string& name, std::initializer_list<double> ious) {
  CameraTrial result{name, {}};
  for (const double iou : ious) result.overlaps.emplace_back().iou = iou;
  return result;
}

const TrainedViews kTrained{.typical_iou = {{0.87, 0.06}}};

TEST(CameraVerdict, NothingIsSaidOfCamerasThatFitBest) {
  const std::vector<CameraTrial> trials = {trial("as given", {0.9, 0.8}), trial("all distances +10%", {0.89, 0.84})};
  EXPECT_NEAR(trials[0].mean_iou(), 0.85, 1e-9);
  const CameraVerdict found = verdict(trials, kTrained);
  EXPECT_EQ(found.warning, "");
  EXPECT_EQ(found.typical, "this model reaches 0.87 +- 0.06 on its own kind of objects");
  EXPECT_FALSE(found.is_low);
  EXPECT_EQ(verdict(trials, {}).typical, "");
}

TEST(CameraVerdict, NamesOtherCamerasThatFitClearlyBetterAndMeshesThatFitWithNone) {
  const auto warning = [](double other) {
    return verdict(std::vector<CameraTrial>{trial("as given", {0.8}), trial("azimuths turn the other way", {other})},
                   {})
        .warning;
  };
  EXPECT_EQ(warning(0.84), "other cameras fit better: azimuths turn the other way");
  EXPECT_EQ(warning(0.82), "");
  const std::vector<CameraTrial> trials = {trial("as given", {0.45}), trial("other", {0.46})};
  EXPECT_EQ(verdict(trials, {}).warning, "the mesh does not fit the images with any of these cameras");
}

TEST(CameraVerdict, AnUnusuallyLowOverlapIsNotNothing) {
  const CameraVerdict found = verdict(std::vector<CameraTrial>{trial("as given", {0.74})}, kTrained);
  EXPECT_EQ(found.warning, "");
  EXPECT_TRUE(found.is_low);
  EXPECT_HOLDS(found.typical, "; 0.74 is unusually low: ");
  EXPECT_HOLDS(found.typical, "The IoU alone does not tell whether their distances are right");
}

}  // namespace
}  // namespace p2mpp
