#include "report/viewer_page.h"

#include "p2mpp/error.h"
#include "report/page.h"
#include "report/page_data.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

#define NEEDS_VIEWER() \
  if (embedded::three.empty()) GTEST_SKIP() << "this build has no three.js"

namespace p2mpp {
namespace {

ViewerScene scene() {
  ViewerScene scene{.title = "a <chair>",
                    .subtitle = "2 views",
                    .facts = {{"model", "tiny"}},
                    .surfaces = {},
                    .truth = {},
                    .views = {}};
  scene.surfaces = {{"coarse", testing::icosphere(0)}, {"refined", testing::icosphere(2)}};
  const Image image{8, 8, std::vector<std::uint8_t>(256, 200)};
  scene.views = {{image, image, {0, 0, 1}, "view 1"}, {image, {}, {1, 0, 0}, "view 2"}};
  return scene;
}

TEST(ViewerPage, HoldsMeshesViewsAndItsProgram) {
  NEEDS_VIEWER();
  const std::string page = viewer_page(scene());
  expect_self_contained(page);
  EXPECT_HOLDS(page, "<title>a &lt;chair&gt;</title>");
  EXPECT_HOLDS(page, "three.js authors");  // its licence
  EXPECT_HOLDS(page, "Permission is hereby granted");
  const auto data = page_data(page);
  ASSERT_EQ(data["surfaces"].size(), 2U);
  EXPECT_EQ(data["surfaces"][1]["name"], "refined");
  EXPECT_EQ(data["surfaces"][1]["vertices"].get<std::string>().size(), 162U * 12 / 3 * 4);
  EXPECT_EQ(data["surfaces"][1]["triangles"].get<std::string>().size(), 320U * 12 / 3 * 4);
  EXPECT_TRUE(data["truth"].is_null());
  ASSERT_EQ(data["views"].size(), 2U);
  EXPECT_TRUE(data["views"][0].contains("overlay"));
  EXPECT_FALSE(data["views"][1].contains("overlay"));
  EXPECT_NEAR(data["views"][0]["position"][2].get<double>(), 1, 1e-6);
}

TEST(ViewerPage, ColoursByDistanceWhereTheTruthIsKnown) {
  NEEDS_VIEWER();
  ViewerScene with_truth = scene();
  with_truth.truth = testing::icosphere(2).vertices;
  for (Eigen::Vector3f& point : with_truth.truth) point *= 1.1F;
  const auto data = page_data(viewer_page(with_truth));
  EXPECT_EQ(data["truth"]["points"].get<std::string>().size(), 162U * 12 / 3 * 4);
  EXPECT_NEAR(data["largest_distance"].get<double>(), 0.1, 1e-4);
  EXPECT_TRUE(data["surfaces"][0].contains("distances"));
}

TEST(ViewerPage, HasAScaleWhereTheSourcesUnitIsKnown) {
  NEEDS_VIEWER();
  EXPECT_FALSE(page_data(viewer_page(scene())).contains("source_scale"));
  ViewerScene with_scale = scene();
  with_scale.source_scale = 2.5;
  EXPECT_EQ(page_data(viewer_page(with_scale))["source_scale"], 2.5);
}

TEST(ViewerPage, RefusesWhatCannotBeSeen) {
  NEEDS_VIEWER();
  ViewerScene bad = scene();
  bad.surfaces[0].mesh.triangles.clear();
  EXPECT_REFUSED(viewer_page(bad), "has no triangle");
  bad = scene();
  bad.surfaces[1].mesh.vertices[3].x() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_REFUSED(viewer_page(bad), "vertex 4, counted from 1, is not finite");
}

}  // namespace
}  // namespace p2mpp
