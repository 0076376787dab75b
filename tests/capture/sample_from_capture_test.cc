#include "capture/sample_from_capture.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <functional>
#include <numeric>

#include "cameras/capture.h"
#include "capture/drawn_capture_folder.h"
#include "capture/open_sample.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

class SampleFromCapture : public DrawnCaptureFolder {
 protected:
  SampleFromCapture() : DrawnCaptureFolder(8, 11, "IMG_") {}
  Image filled(std::uint8_t alpha) const {
    Image image = drawn.images[0];
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = alpha;
    return image;
  }
};

TEST_F(SampleFromCapture, ReportsWhatItFound) {
  const PreparedCapture prepared = sample_from_capture(drawn.capture, "chair");
  EXPECT_EQ(prepared.sample.id, "chair");
  ASSERT_EQ(prepared.sample.views.size(), 3U);
  ASSERT_TRUE(prepared.sample.network_frame);
  EXPECT_EQ(prepared.chosen.size(), 3U);
  EXPECT_TRUE(prepared.duplicates.empty());
  EXPECT_EQ(prepared.photographs[2].mask, "alpha");
  EXPECT_EQ(prepared.silhouettes.size(), 8U);
  EXPECT_NEAR(prepared.frame.source_from_world.scale / drawn.source_from_world.scale, 1, 0.06);
  for (const View& view : prepared.sample.views) {
    EXPECT_FALSE(view.behind);
    EXPECT_NO_THROW(check_camera(view.camera));
    EXPECT_EQ(view.image.rgba.size(), std::size_t{4} * 224 * 224);
  }
}

/// The same bytes for any number of threads, and from the folder that an import writes.
TEST_F(SampleFromCapture, IsTheSameThroughCamerasJson) {
  SampleRequest options;
  options.threads = 3;
  options.max_pixels = drawn.images[0].rgba.size() / 4;  // one photograph at a time
  drawn.capture.metres_per_unit = 0.001;
  const PreparedCapture prepared = sample_from_capture(drawn.capture, "chair");
  const PreparedCapture threaded = sample_from_capture(drawn.capture, "chair", options);
  EXPECT_EQ(prepared.sample.metres_per_source_unit, 0.001);
  std::vector<std::string> images, masks(8);
  for (const Photograph& photograph : drawn.capture.photographs) images.push_back(photograph.name);
  folder.write("cameras.json", cameras_json_text(describe_cameras(prepared, images, masks)));
  const Sample sample = open_sample(folder.path(), {}).sample;
  ASSERT_EQ(sample.views.size(), prepared.sample.views.size());
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    const View &a = sample.views[i], &b = prepared.sample.views[i];
    EXPECT_EQ(b.image.rgba, threaded.sample.views[i].image.rgba);
    int most = 0;
    for (std::size_t k = 0; k < a.image.rgba.size(); ++k)
      most = std::max(most, std::abs(a.image.rgba[k] - b.image.rgba[k]));
    EXPECT_LE(most, 1);  // the cameras differ in the last bits
    EXPECT_LT((a.camera.origin - b.camera.origin).norm(), 1e-9);
    EXPECT_LT((a.camera.rotation - b.camera.rotation).norm(), 1e-9);
    EXPECT_NEAR(a.camera.intrinsics.fx, b.camera.intrinsics.fx, 1e-6);
  }
  EXPECT_NEAR(sample.source_from_world.scale, prepared.sample.source_from_world.scale, 1e-12);
  EXPECT_EQ(sample.metres_per_source_unit, 0.001);
  // So many: those with "use" come first, in the file as in the sample.
  const Sample five = open_sample(folder.path(), {.view_count = 5}).sample;
  ASSERT_EQ(five.views.size(), 5U);
  for (std::size_t i = 0; i < sample.views.size(); ++i) EXPECT_EQ(five.views[i].name, sample.views[i].name);
  EXPECT_EQ(open_sample(folder.path(), {.view_count = 2}).sample.views.size(), 2U);
  EXPECT_EQ(open_sample(folder.path(), {.view_count = 60}).sample.views.size(), 8U);
  SamplePaths paths = locate_sample(folder.path(), {});
  paths.camera_rows = {4, 1};
  EXPECT_EQ(open_sample(paths, {}).sample.views.size(), 2U);
  paths.camera_rows = {4, 99};
  EXPECT_REFUSED(open_sample(paths, {}), "cameras.json: has 8 views; expected view 99");
  const SamplePaths named =
      named_sample("x", {folder.path() / "IMG_3.png", folder.path() / "IMG_1.png"}, folder.path() / "cameras.json");
  EXPECT_EQ(open_sample(named, {}).sample.views.size(), 2U);
}

/// Corrected cameras are those of the views and of cameras.json; the capture itself is not changed.
TEST_F(SampleFromCapture, CorrectsPosesUnlessToldNot) {
  EXPECT_FALSE(sample_from_capture(drawn.capture, "x").refinement.applied) << "they are exact";
  std::mt19937_64 random(3);
  for (Photograph& photograph : drawn.capture.photographs) {
    const Eigen::Vector3d centre = photograph.centre();
    const Eigen::Vector3d axis = Eigen::Vector3d(draw_unit(random) - 0.5, draw_unit(random) - 0.5, 0).normalized();
    photograph.cam_from_source =
        rigid_from_centre(Eigen::AngleAxisd(0.04, axis) * photograph.cam_from_source.rotation, centre);
  }
  SampleRequest options;
  options.views = {0, 2, 5};
  const PreparedCapture corrected = sample_from_capture(drawn.capture, "x", options);
  options.capture.corrections.poses = false;
  const PreparedCapture kept = sample_from_capture(drawn.capture, "x", options);
  ASSERT_TRUE(corrected.refinement.applied);
  EXPECT_GT(corrected.refinement.mean_deg, 0.3);
  EXPECT_FALSE(kept.refinement.applied);
  const double scale = drawn.source_from_world.scale;
  EXPECT_LT(std::fabs(corrected.frame.source_from_world.scale / scale - 1),
            std::fabs(kept.frame.source_from_world.scale / scale - 1));
  const Eigen::Matrix3d& given = drawn.capture.photographs[2].cam_from_source.rotation;
  EXPECT_EQ(kept.capture.photographs[2].cam_from_source.rotation, given);
  EXPECT_GT((corrected.capture.photographs[2].cam_from_source.rotation - given).norm(), 1e-3);
  const CamerasJson cameras =
      describe_cameras(corrected, std::vector<std::string>(8, "x.png"), std::vector<std::string>(8));
  const Rigid3& pose = corrected.capture.photographs[0].cam_from_source;
  const Eigen::Matrix3d expected = pose.rotation * corrected.frame.source_from_world.rotation;
  EXPECT_LT((cameras.views[0].cam_from_world.rotation - expected).norm(), 1e-12);
  const Similarity world_from_source = inverse(corrected.frame.source_from_world);
  const Eigen::Vector3d centre = world_from_source.transformed(inverse(pose).translation);
  EXPECT_LT((corrected.sample.views[0].camera.origin - centre).norm(), 1e-9);
  const CapturePhotographs photographs(corrected, options);
  EXPECT_LT((photographs.photographs()[0].cam_from_world.rotation - expected).norm(), 1e-12);
  EXPECT_LT((inverse(photographs.photographs()[0].cam_from_world).translation - centre).norm(), 1e-9);
}

TEST_F(SampleFromCapture, TakesTheViewsThatAreNamed) {
  SampleRequest options;
  options.views = {5, 2};
  EXPECT_EQ(sample_from_capture(drawn.capture, "x", options).chosen, options.views);
  options.views = {5, 8};
  EXPECT_THROW(static_cast<void>(sample_from_capture(drawn.capture, "x", options)), UsageError);
  options.views = {5, 5};
  EXPECT_THROW(static_cast<void>(sample_from_capture(drawn.capture, "x", options)), UsageError);
}

TEST_F(SampleFromCapture, SurvivesHostileMasks) {
  write(0, filled(0));
  Image one = filled(0);
  one.rgba[4 * 1000 + 3] = 255;
  write(1, one);
  Image full = filled(255);
  full.rgba[3] = 254;  // alpha that says nothing
  write(2, full);
  const PreparedCapture prepared = sample_from_capture(drawn.capture, "x");
  EXPECT_EQ(prepared.photographs[0].problem, "the mask is empty");
  EXPECT_EQ(prepared.photographs[1].problem, "the mask has 1x1 pixels; expected at least 8 one way");
  EXPECT_EQ(prepared.photographs[2].problem, "the mask covers 100% of the image");
  for (const std::size_t i : prepared.chosen) EXPECT_GT(i, 2U);
  const CapturePhotographs photographs(prepared, {});
  ASSERT_EQ(photographs.photographs().size(), 5U) << "those that show the object";
  EXPECT_EQ(photographs.photographs()[0].name, "IMG_3.png");
  EXPECT_EQ(photographs.decode(0).image.rgba, drawn.images[3].rgba);
  EXPECT_EQ(photographs.decode(0).mask.coverage, alpha_mask(drawn.images[3]).coverage);
  EXPECT_TRUE(prepared.sample.source_from_world.translation.allFinite());
  for (std::size_t i = 3; i < 8; ++i) write(i, filled(0));
  EXPECT_REFUSED(sample_from_capture(drawn.capture, "x"),
                 "drawn: 0 of 8 photographs have a usable mask; expected at least 2; IMG_0.png: the mask is empty");
}

TEST_F(SampleFromCapture, RefusesMasksOfNothingInCommon) {
  for (std::size_t i = 0; i < 8; ++i) {
    Image corner = filled(0);
    const int left = i % 2 == 0 ? 2 : 180, top = i % 4 < 2 ? 2 : 130;
    for (int row = top; row < top + 12; ++row) {
      for (int column = left; column < left + 12; ++column) {
        corner.rgba[static_cast<std::size_t>(4 * (row * corner.width + column) + 3)] = 255;
      }
    }
    write(i, corner);
  }
  EXPECT_REFUSED(sample_from_capture(drawn.capture, "x"), "drawn: the silhouettes have no point in common");
}

TEST_F(SampleFromCapture, FindsMasksAndDuplicates) {
  fs::create_directories(folder.path() / "masks");
  for (std::size_t i = 0; i < 8; ++i) {
    Image mask = drawn.images[i];
    for (std::size_t k = 0; k < mask.rgba.size(); k += 4) {
      std::fill_n(mask.rgba.begin() + static_cast<std::ptrdiff_t>(k), 3, mask.rgba[k + 3]);
      mask.rgba[k + 3] = 255;
    }
    folder.write("masks/IMG_" + std::to_string(i) + (i % 2 ? ".png.png" : ".png"), encode_png(mask));
  }
  write(3, drawn.images[2]);
  const PreparedCapture prepared =
      sample_from_capture(drawn.capture, "x", {.capture = {.masks = folder.path() / "masks"}});
  EXPECT_EQ(prepared.photographs[0].mask, "mask file");
  EXPECT_EQ(prepared.duplicates, (std::vector<std::pair<std::size_t, std::size_t>>{{2, 3}}));
  fs::remove(folder.path() / "masks" / "IMG_4.png");
  EXPECT_REFUSED(sample_from_capture(drawn.capture, "x", {.capture = {.masks = folder.path() / "masks"}}),
                 "masks: has no mask for IMG_4.png; expected IMG_4.png");
}

/// Exact and slightly wrong cameras and masks stay far below the bound.
TEST_F(SampleFromCapture, DoesNotDoubtSmallErrors) {
  const DrawnOptions options{
      .views = 12, .width = 200, .height = 150, .pose_noise_deg = 1, .pose_noise = 0.01, .samples = 1};
  DrawnCapture noisy = draw_capture(drawn_plane(), options, 2);
  for (std::size_t i = 0; i < noisy.images.size(); ++i) {
    noisy.capture.photographs[i].name = name(i + 100);
    noisy.capture.photographs[i].image = write(i + 100, noisy.images[i]);
  }
  for (const SampleWarning& doubt : sample_from_capture(noisy.capture, "x").sample.doubts) {
    EXPECT_NE(doubt.code, "poses") << doubt.message;
  }
}

TEST_F(SampleFromCapture, WarnsOfPhotographsThatAreLeftOut) {
  write(0, filled(0));
  write(5, drawn.images[4]);
  const std::vector<SampleWarning> doubts = sample_from_capture(drawn.capture, "x").sample.doubts;
  ASSERT_EQ(doubts.size(), 2U);
  EXPECT_EQ(doubts[0].code, "masks");
  EXPECT_EQ(
      doubts[0].message.find("2 of 8 photographs are not used: IMG_0.png (the mask is empty), IMG_5.png (its mask "
                             "contradicts the others); expected the object in each mask"),
      0U)
      << doubts[0].message;
  EXPECT_EQ(doubts[1].code, "same_view");
  EXPECT_EQ(doubts[1].message, "these photographs show one view: IMG_4.png and IMG_5.png; expected different ones");
}

/// White is the background.
TEST_F(SampleFromCapture, NamesInvertedMasks) {
  for (std::size_t i = 0; i < 8; ++i) {
    Image inverted = drawn.images[i];
    for (std::size_t k = 3; k < inverted.rgba.size(); k += 4) {
      inverted.rgba[k] = static_cast<std::uint8_t>(255 - inverted.rgba[k]);
    }
    write(i, inverted);
  }
  EXPECT_REFUSED(sample_from_capture(drawn.capture, "x"),
                 "; most masks are white at the border: is the object white in them?");
}

TEST_F(SampleFromCapture, NamesPosesThatFitBetter) {
  Capture capture = drawn.capture;
  PoseAlternative exact{"they are exact", {}};
  for (const Photograph& photograph : capture.photographs) {
    exact.cam_from_source.push_back(photograph.cam_from_source);
  }
  capture.alternatives = {exact};
  add_pose_alternatives(capture);
  EXPECT_TRUE(sample_from_capture(capture, "x").sample.doubts.empty());
  std::swap(capture.photographs[2].image, capture.photographs[5].image);
  std::swap(capture.photographs[1].image, capture.photographs[6].image);
  const std::vector<SampleWarning> doubts = sample_from_capture(capture, "x").sample.doubts;
  ASSERT_GE(doubts.size(), 1U);
  EXPECT_EQ(doubts[0].code, "poses");
  EXPECT_EQ(doubts[0].message.find("the masks contradict the cameras ("), 0U) << doubts[0].message;
  EXPECT_HOLDS(doubts[0].message, "% of a mask on average; IMG_");
  EXPECT_EQ(doubts[0].message.find("and agree"), std::string::npos) << "no other poses are better";
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitY()).toRotationMatrix();
  capture = drawn.capture;
  capture.alternatives = {exact};
  for (const std::size_t i : {1U, 4U, 6U}) {  // about the object, as if a table had turned further
    Rigid3& cam_from_source = capture.photographs[i].cam_from_source;
    const Eigen::Vector3d middle = drawn.source_from_world.translation;
    cam_from_source = cam_from_source * Rigid3{turn, middle - turn * middle};
  }
  const PreparedCapture prepared = sample_from_capture(capture, "x", {.capture = {.corrections = {.poses = false}}});
  ASSERT_EQ(prepared.sample.doubts.size(), 1U);
  EXPECT_HOLDS(prepared.sample.doubts[0].message, "and agree (0%) if they are exact");
}

/// Each way in which files write poses wrongly is named.
TEST_F(SampleFromCapture, NamesTheWayInWhichPosesAreWrong) {
  struct Mistake {
    const char* named;
    std::function<Rigid3(const Rigid3&)> written;
  };
  const std::vector<Mistake> mistakes{
      {"turned by 180 degrees about its x axis: are these OpenGL's axes",
       [](const Rigid3& p) { return flip_y_and_z(p); }},
      {"if each pose is inverted: are these poses", [](const Rigid3& p) { return inverse(p); }},
      {"if each pose is inverted and its camera turned",
       [](const Rigid3& p) { return flip_y_and_z(inverse(flip_y_and_z(p))); }},
      {"are they written as x y z w where w x y z is expected?",
       [](const Rigid3& p) {
         const Eigen::Quaterniond q(p.rotation);
         return Rigid3{Eigen::Quaterniond(q.x(), q.y(), q.z(), q.w()).toRotationMatrix(), p.translation};
       }},
      {"behind all cameras and their axes are reversed: are the matrices left-handed",
       [](const Rigid3& p) {
         return Rigid3{-p.rotation, -p.translation};
       }},
      {"pitch and roll have the other sign", [](const Rigid3& p) {
         Eigen::Matrix3d r = p.rotation;
         r.row(1) *= -1;
         r.col(2) *= -1;
         return rigid_from_centre(r, inverse(p).translation);
       }}};
  for (const Mistake& mistake : mistakes) {
    Capture capture = drawn.capture;
    for (Photograph& photograph : capture.photographs) {
      photograph.cam_from_source = mistake.written(photograph.cam_from_source);
    }
    capture.alternatives.clear();
    if (&mistake == mistakes.data()) {
      EXPECT_REFUSED(sample_from_capture(capture, "x"), "drawn: the silhouettes have no point in common");
    }
    add_pose_alternatives(capture);
    add_other_angles(capture);
    std::string message;
    const std::string refusal = refusal_by([&] {
      const std::vector<SampleWarning> doubts = sample_from_capture(capture, "x").sample.doubts;
      message = doubts.empty() ? "" : doubts[0].message;
    });
    message += refusal;
    EXPECT_HOLDS(message, mistake.named) << mistake.named << "; not: " << message;
  }
}

TEST_F(SampleFromCapture, TakesTheSignOfAnglesWithWhichTheSilhouettesAgree) {
  const PreparedCapture expected = sample_from_capture(drawn.capture, "x");
  Capture capture = drawn.capture;
  capture.alternatives.clear();
  add_other_angles(capture);
  const PreparedCapture as_given = sample_from_capture(capture, "x");
  EXPECT_TRUE(as_given.sample.doubts.empty());
  EXPECT_EQ(as_given.frame.source_from_world.translation, expected.frame.source_from_world.translation);
  for (std::size_t i = 0; i < capture.photographs.size(); ++i) {
    std::swap(capture.photographs[i].cam_from_source, capture.alternatives.front().cam_from_source[i]);
  }
  const PreparedCapture settled = sample_from_capture(capture, "x");
  ASSERT_EQ(settled.sample.doubts.size(), 1U);
  EXPECT_HOLDS(settled.sample.doubts.front().message,
               "other sign, as some programs write them; these cameras are used");
  EXPECT_TRUE(settled.frame.source_from_world.translation.isApprox(expected.frame.source_from_world.translation, 1e-6));
  EXPECT_EQ(settled.chosen, expected.chosen);
  EXPECT_NEAR(settled.hull.volume, expected.hull.volume, 1e-6 * expected.hull.volume);
}

TEST_F(SampleFromCapture, ReportsEachPhotographOnce) {
  SampleRequest request;
  request.threads = 2;
  std::vector<std::size_t> reported;
  const std::size_t count = drawn.capture.photographs.size();
  request.on_photograph = [&](std::size_t read, std::size_t all) {
    EXPECT_EQ(all, count);
    reported.push_back(read);
  };
  static_cast<void>(sample_from_capture(drawn.capture, "x", request));
  std::vector<std::size_t> expected(count);
  std::iota(expected.begin(), expected.end(), std::size_t{1});
  EXPECT_EQ(reported, expected);
}

TEST_F(SampleFromCapture, RefusesACentreThatNoPhotographSees) {
  SampleRequest options;
  options.capture.frame.centre = drawn.source_from_world.transformed(Eigen::Vector3d(0, 0.1, 0));
  EXPECT_TRUE(sample_from_capture(drawn.capture, "x", options)
                  .frame.source_from_world.translation.isApprox(*options.capture.frame.centre));
  options.capture.frame.centre = drawn.source_from_world.transformed(Eigen::Vector3d(0, 50, 0));
  const std::string message =
      message_of<UsageError>([&] { static_cast<void>(sample_from_capture(drawn.capture, "x", options)); });
  EXPECT_HOLDS(message, "--centre: ");
  EXPECT_HOLDS(message, "is not visible in any photograph; expected it near");
}

// Map coordinates are millions of metres from zero.
TEST_F(SampleFromCapture, IsTheSameFarFromZero) {
  const Eigen::Vector3d far(500'000, 4'500'000, 140);
  const PreparedCapture near = sample_from_capture(drawn.capture, "x");
  Capture moved = drawn.capture;
  move_origin(moved, -far);
  const PreparedCapture prepared = sample_from_capture(moved, "x");
  const Similarity &expected = near.frame.source_from_world, &found = prepared.frame.source_from_world;
  EXPECT_NEAR(found.scale / expected.scale, 1, 1e-5);
  EXPECT_LT((found.translation - far - expected.translation).norm(), 1e-5 * expected.scale);
  EXPECT_EQ(prepared.sample.source_from_world.translation, found.translation);
  EXPECT_EQ(prepared.chosen, near.chosen);
  for (std::size_t i = 0; i < near.sample.views.size(); ++i) {
    EXPECT_LT((prepared.sample.views[i].camera.origin - near.sample.views[i].camera.origin).norm(), 1e-5);
  }
  EXPECT_LT((prepared.capture.photographs[3].centre() - far - near.capture.photographs[3].centre()).norm(), 1e-6);
  SampleRequest options;
  options.capture.frame.centre = far + drawn.source_from_world.translation;
  EXPECT_LT(
      (sample_from_capture(moved, "x", options).frame.source_from_world.translation - *options.capture.frame.centre)
          .norm(),
      1e-8);
}

TEST_F(SampleFromCapture, ScalesTheLensToTheFile) {
  for (Photograph& photograph : drawn.capture.photographs) {
    photograph.width *= 2;
    photograph.height *= 2;
    Lens& lens = photograph.lens;
    lens.fx *= 2, lens.fy *= 2, lens.cx *= 2, lens.cy *= 2;
  }
  const PreparedCapture prepared = sample_from_capture(drawn.capture, "x");
  EXPECT_NEAR(prepared.frame.source_from_world.scale / drawn.source_from_world.scale, 1, 0.06);
  drawn.capture.photographs[3].width = 399;
  drawn.capture.photographs[3].height = 400;
  EXPECT_REFUSED(sample_from_capture(drawn.capture, "x"),
                 "IMG_3.png: has 200x150 pixels; its camera expects 399x400, or the same shape");
}

}  // namespace
}  // namespace p2mpp
