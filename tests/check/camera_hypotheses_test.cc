#include <gtest/gtest.h>

#include <algorithm>

#include "check/sample_check.h"
#include "image/network_frame.h"
#include "image/viewpoint.h"
#include "p2mpp/camera.h"

namespace p2mpp {
namespace {

Sample make_sample(const std::vector<CameraRow>& rows) {
  Sample sample{"sample", {}};
  for (const CameraRow& row : rows) sample.views.push_back(view_from_row({2, 2, std::vector<std::uint8_t>(16)}, row));
  return sample;
}

const std::vector<CameraRow> kRows = {{.azimuth_deg = 40, .elevation_deg = 25, .distance = 0.7F},
                                      {.azimuth_deg = 130, .elevation_deg = 28, .distance = 0.8F},
                                      {.azimuth_deg = 250, .elevation_deg = 30, .distance = 0.9F}};

std::vector<CameraRow> many_rows() {
  std::vector<CameraRow> rows;
  for (int i = 0; i < 64; ++i) {
    rows.push_back({.azimuth_deg = 5.0F * static_cast<float>(i), .elevation_deg = 25, .distance = 0.8F});
  }
  return rows;
}

TEST(CameraHypotheses, AreFewHoweverManyViewsThereAre) {
  const Sample sample = make_sample(many_rows());
  EXPECT_EQ(order_hypotheses(sample).size(), 3U) << "mirrored, and rows off by one in both directions";
  EXPECT_EQ(number_hypotheses(sample).size(), 4U) << "all elevations and all distances";
}

const CameraHypothesis& named(const std::vector<CameraHypothesis>& hypotheses, const std::string& name) {
  const auto found = std::ranges::find(hypotheses, name, &CameraHypothesis::name);
  if (found == hypotheses.end()) throw std::runtime_error("no hypothesis: " + name);
  return *found;
}

/// Expects the cameras of rows.
void expect_rows(const std::vector<Camera>& cameras, const std::vector<CameraRow>& rows) {
  ASSERT_EQ(cameras.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Camera expected = camera_from_row(rows[i]);
    EXPECT_LT((cameras[i].origin - expected.origin).norm(), 1e-6) << i;
    EXPECT_LT((cameras[i].rotation - expected.rotation).norm(), 1e-6) << i;
    EXPECT_NO_THROW(check_camera(cameras[i])) << i;
  }
}

TEST(OrderHypotheses, NamesEachOnce) {
  std::vector<std::string> names;
  for (const CameraHypothesis& hypothesis : order_hypotheses(make_sample(kRows))) names.push_back(hypothesis.name);
  EXPECT_EQ(
      names,
      (std::vector<std::string>{
          "azimuths turn the other way", "the cameras of view 1 and view 2 are exchanged",
          "the cameras of view 1 and view 3 are exchanged", "the cameras of view 2 and view 3 are exchanged",
          "view 3 has the first camera, and the others follow", "view 2 has the first camera, and the others follow"}));
  EXPECT_EQ(order_hypotheses(make_sample({kRows[0], kRows[1]})).size(), 2U);  // of two, a shift is an exchange
}

TEST(OrderHypotheses, MirroredAzimuthsHaveTheOtherSign) {
  std::vector<CameraRow> rows = kRows;
  for (CameraRow& row : rows) row.azimuth_deg = -row.azimuth_deg;
  expect_rows(order_hypotheses(make_sample(kRows)).front().cameras, rows);
  const Sample sample = make_sample({{.azimuth_deg = 0, .elevation_deg = 90, .distance = 0.8F}, kRows[1]});
  EXPECT_NO_THROW(check_camera(sample.views[0].camera));
  const std::vector<Camera> mirrored = order_hypotheses(sample).front().cameras;
  for (const Camera& camera : mirrored) EXPECT_NO_THROW(check_camera(camera)) << camera.rotation;
}

TEST(OrderHypotheses, ExchangeAndShift) {
  const auto hypotheses = order_hypotheses(make_sample(kRows));
  expect_rows(named(hypotheses, "the cameras of view 1 and view 3 are exchanged").cameras,
              {kRows[2], kRows[1], kRows[0]});
  expect_rows(named(hypotheses, "view 3 has the first camera, and the others follow").cameras,
              {kRows[1], kRows[2], kRows[0]});
  expect_rows(named(hypotheses, "view 2 has the first camera, and the others follow").cameras,
              {kRows[2], kRows[0], kRows[1]});
}

TEST(NumberHypotheses, AreThoseOfOtherRows) {
  const auto hypotheses = number_hypotheses(make_sample(kRows));
  EXPECT_EQ(hypotheses.size(), 8U);
  for (const float sign : {1.0F, -1.0F}) {
    const std::string plus = sign > 0 ? "+" : "-";
    std::vector<CameraRow> higher = kRows, farther = kRows, turned = kRows;
    for (CameraRow& row : higher) row.elevation_deg += 10 * sign;
    for (CameraRow& row : farther) row.distance *= 1 + 0.1F * sign;
    turned[2].azimuth_deg += 10 * sign;
    expect_rows(named(hypotheses, "all elevations " + plus + "10 degrees").cameras, higher);
    expect_rows(named(hypotheses, "all distances " + plus + "10%").cameras, farther);
    expect_rows(named(hypotheses, "the azimuth of view 3 " + plus + "10 degrees").cameras, turned);
  }
}

TEST(WithCameras, RowsGoAndTheNetworksFrameFollows) {
  const Sample sample = make_sample(kRows);
  const CameraHypothesis exchanged = order_hypotheses(sample)[1];
  const Sample changed = with_cameras(sample, exchanged);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(changed.views[i].row);
    EXPECT_EQ(changed.views[i].camera.origin, exchanged.cameras[i].origin);
    EXPECT_EQ(changed.views[i].image.rgba, sample.views[i].image.rgba);
  }
  ASSERT_TRUE(changed.network_frame);
  EXPECT_EQ(changed.network_frame->origin, network_frame_for(exchanged.cameras[0]).origin);
}

}  // namespace
}  // namespace p2mpp
