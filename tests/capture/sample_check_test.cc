#include "capture/check/sample_check.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>
#include <numbers>
#include <string>

#include "capture/check/sample_silhouettes.h"
#include "capture/sample_views.h"
#include "image/viewpoint.h"

namespace p2mpp {
namespace {

constexpr const char* kPlane = "02691156/p2mpp0001";

/// All lines, and the codes in front of them: "2 distance: 00.png: ...".
std::string found(const Sample& sample, const TrainedViews& trained = {}) {
  std::string text;
  for (const SampleWarning& warning : check_sample(sample, trained)) {
    text += warning.code + ": " + warning.message + "\n";
  }
  return text;
}

/// The same, of one code.
std::string found(const Sample& sample, const std::string& code, const TrainedViews& trained = {}) {
  std::string text;
  for (const SampleWarning& warning : check_sample(sample, trained)) {
    if (warning.code == code) text += warning.message + "\n";
  }
  return text;
}

::testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "not found: " << part << "\nin: " << text;
}

TEST(SampleCheck, NothingIsWrongWithTheBundledSamples) {
  for (const std::string& name : bundled_names()) EXPECT_EQ(found(bundled_sample(name)), "") << name;
}

TEST(SampleCheck, NothingIsWrongBeforeWhite) {
  Sample sample = bundled_sample(kPlane);
  for (View& view : sample.views) put_before(view.image, {255, 255, 255});
  EXPECT_EQ(found(sample), "");
}

TEST(SampleCheck, SmallErrorsOfTheCamerasAreNoWarning) {
  for (const std::string& name : bundled_names()) {
    float sign = 1;
    const Sample sample = with_rows(bundled_sample(name), [&](CameraRow& row) {
      row.azimuth_deg += sign;
      row.elevation_deg -= sign;
      row.distance *= 1 + 0.01F * sign;
      sign = -sign;
    });
    EXPECT_EQ(found(sample, "silhouettes"), "") << name;
  }
}

// The failures that were silent: each is one line that says what is wrong.

TEST(SampleCheck, GreyBackground) {
  Sample sample = bundled_sample(kPlane);
  for (View& view : sample.views) put_before(view.image, {128, 128, 128});
  const std::string text = found(sample);
  EXPECT_TRUE(says(text, "background: 00.png: the background is neither white nor transparent; expected"));
  EXPECT_TRUE(says(text, "rembg"));
  EXPECT_TRUE(says(text, "too_few_views: 0 of 3 views show an object on a background; expected at least 2\n"));
}

TEST(SampleCheck, PortraitPhotographWithRows) {
  Sample sample = bundled_sample(kPlane);
  View& view = sample.views[1];
  put_before(view.image, {255, 255, 255});
  const CameraRow row = *view.row;
  const std::string name = view.name;
  view = view_from_row(cropped(view.image, 17, 0, 103, 137, {255, 255, 255, 255}), row);
  view.name = name;
  EXPECT_EQ(view.image.width, 137);
  EXPECT_EQ(found(sample, "not_square"),
            "06.png: the image is not square and was padded; camera rows are for square images\n");
}

TEST(SampleCheck, AnglesInRadians) {
  const Sample sample = with_rows(bundled_sample(kPlane), [](CameraRow& row) {
    row.azimuth_deg *= std::numbers::pi_v<float> / 180;
    row.elevation_deg *= std::numbers::pi_v<float> / 180;
  });
  const std::string text = found(sample);
  EXPECT_TRUE(says(text, "radians: azimuths and elevations look like radians; expected degrees\n"));
  EXPECT_FALSE(says(text, "elevation: ")) << "of radians, no number says anything";
}

TEST(SampleCheck, AzimuthsAloneInRadians) {
  for (const std::string& name : bundled_names()) {
    const Sample sample =
        with_rows(bundled_sample(name), [](CameraRow& row) { row.azimuth_deg *= std::numbers::pi_v<float> / 180; });
    EXPECT_EQ(found(sample, "radians"), "azimuths look like radians; expected degrees\n") << name;
  }
  const Sample above = with_rows(bundled_sample(kPlane), [](CameraRow& row) { row.azimuth_deg = 0; });
  EXPECT_EQ(found(above, "radians"), "") << "all look from one side";
}

TEST(SampleCheck, ExchangedColumns) {
  const Sample sample = with_rows(bundled_sample(kPlane), [](CameraRow& row) {
    row.azimuth_deg = row.elevation_deg;
    row.elevation_deg = 150;
  });
  EXPECT_TRUE(says(found(sample, "elevation"),
                   "00.png: the elevation is 150 degrees; expected -90 to 90: are the columns of azimuths and "
                   "elevations exchanged?\n"));
}

TEST(SampleCheck, DistancesInAnotherScale) {
  const Sample far = with_rows(bundled_sample(kPlane), [](CameraRow& row) { row.distance /= 0.57F; });
  EXPECT_TRUE(says(found(far, "distance"),
                   "00.png: the camera's distance is 1.35; the model was trained with "
                   "0.65 to 0.9 (the object's bounding box has the diagonal 0.57)\n"));
  const Sample near = with_rows(bundled_sample(kPlane), [](CameraRow& row) { row.distance *= 0.57F; });
  EXPECT_TRUE(says(found(near, "distance"), "the camera's distance is 0.439; the model was trained with"));
}

TEST(SampleCheck, AllDistancesWrongByAFifth) {
  const auto scaled = [](const std::string& name, double factor) {
    Sample sample = bundled_sample(name);
    for (View& view : sample.views) {
      view.camera.origin *= factor;
      view.row.reset();
    }
    return found(sample, "size", {.distance = {0.4, 1.5}});
  };
  EXPECT_TRUE(
      says(scaled(kPlane, 1.2), "the silhouettes show an object whose bounding box has a diagonal of about 0.7"));
  EXPECT_TRUE(says(scaled(kPlane, 1.2), "% too large\n"));
  int large = 0, small = 0, close = 0;
  for (const std::string& name : bundled_names()) {
    large += scaled(name, 1.2).find("too large") != std::string::npos;
    small += scaled(name, 1 / 1.2).find("too small") != std::string::npos;
    close += !scaled(name, 1.03).empty() + !scaled(name, 1 / 1.03).empty();
  }
  EXPECT_GE(large, 25);  // of 30
  EXPECT_GE(small, 12);
  EXPECT_EQ(close, 0);
}

// The silhouettes of these agree with the wrong order, too, and show an object of another size.
TEST(SampleCheck, ASizeThatAnOrderOfTheCamerasExplains) {
  const Sample mirrored =
      with_rows(bundled_sample("03001627/p2mpp0003"), [](CameraRow& row) { row.azimuth_deg = -row.azimuth_deg; });
  EXPECT_TRUE(says(found(mirrored), "expected 0.57: it has about that size if azimuths turn the other way\n"));
  const auto exchanged = [](const std::string& name) {
    Sample sample = bundled_sample(name);
    std::swap(sample.views[0].row, sample.views[1].row);
    std::swap(sample.views[0].camera, sample.views[1].camera);
    return found(sample);
  };
  for (const char* name : {"03001627/p2mpp0003", "04379243/p2mpp0001"}) {
    EXPECT_TRUE(says(exchanged(name), "if the cameras of 00.png and 06.png are exchanged\n")) << name;
  }
}

TEST(SampleCheck, ADistanceOfOneViewHidesNoSize) {
  Sample sample = bundled_sample(kPlane);
  std::vector<double> distances;
  for (View& view : sample.views) {
    view.camera.origin *= 1.2;
    view.row.reset();
    distances.push_back(view.camera.origin.norm());
  }
  std::ranges::sort(distances);
  const TrainedViews all_but_one{.distance = {0.4, (distances[1] + distances[2]) / 2 / 1.25}};
  EXPECT_EQ(std::ranges::count(found(sample, "distance", all_but_one), '\n'), 1);
  EXPECT_NE(found(sample, "size", all_but_one), "");
  const TrainedViews none{.distance = {0.4, 0.5}};
  EXPECT_EQ(std::ranges::count(found(sample, "distance", none), '\n'), 3);
  EXPECT_EQ(found(sample, "size", none), "") << "they say the same";
}

TEST(SampleCheck, TheSizeOfACapture) {
  Sample sample = bundled_sample(kPlane);
  for (View& view : sample.views) {
    view.camera.origin *= 1.2;
    view.row.reset();
  }
  const TrainedViews trained{.distance = {0.4, 1.5}};
  sample.unit_origin = UnitOrigin::kGiven;
  EXPECT_TRUE(says(found(sample, "size", trained), "expected 0.57: --scale may be about "));
  EXPECT_TRUE(says(found(sample, "size", trained), "% too small\n"));
  sample.unit_origin = UnitOrigin::kMasks;
  EXPECT_EQ(found(sample, "size", trained), "") << "masks and cameras agree";
  const Eigen::Matrix3d nod = Eigen::AngleAxisd(0.002, Eigen::Vector3d::UnitX()).toRotationMatrix();
  while (silhouette_disagreement(sample, view_cameras(sample)).value() < 0.015) {
    sample.views[1].camera.rotation = nod * sample.views[1].camera.rotation;
  }
  EXPECT_TRUE(says(found(sample, "size", trained), "expected 0.57: the masks contradict the cameras\n"));
  sample.fit_masks.resize(sample.views.size() + 1);
  EXPECT_EQ(found(sample, "size", trained), "") << "more masks than views determined the size";
  sample.fit_masks.clear();
  sample.doubts = {{"poses", {}, "the masks contradict the cameras"}};
  EXPECT_EQ(found(sample, "size", trained), "") << "it was said";
}

TEST(SampleCheck, AxesOfOpenGl) {
  Sample sample = bundled_sample(kPlane);
  for (View& view : sample.views) {
    view.behind = true;
    std::ranges::fill(view.image.rgba, std::uint8_t{0});
  }
  EXPECT_EQ(
      found(sample),
      "axes: the object is behind all cameras; turned by 180 degrees about their x axes, they look at it: expected "
      "x right, y down, z forward (OpenCV), not y up, z backwards (OpenGL, Blender)\n");
  sample.views[0].behind = false;
  EXPECT_TRUE(says(found(sample), "axes: 06.png: the object is behind the camera; expected it in front\n"));
}

TEST(SampleCheck, DoubtsAboutTheCapture) {
  Sample sample = bundled_sample(kPlane);
  sample.doubts = {{"poses", {}, "the table turns clockwise"}};
  EXPECT_EQ(found(sample), "poses: the table turns clockwise\n");
}

TEST(Refusal, NamesTheFirstWarningAndCountsTheOthers) {
  const std::vector<SampleWarning> warnings = {{"x", {}, "a"}, {"x", 1, "b"}, {"y", {}, "c"}};
  EXPECT_EQ(refusal(std::span(warnings).first(1)), "a (--strict)");
  EXPECT_EQ(refusal(warnings), "a and 2 more (--strict)");
}

TEST(SampleCheck, MirroredAzimuths) {
  const Sample sample = with_rows(bundled_sample(kPlane), [](CameraRow& row) { row.azimuth_deg = -row.azimuth_deg; });
  const std::string text = found(sample);
  EXPECT_TRUE(says(text, "silhouettes: the silhouettes do not agree with the cameras: "));
  EXPECT_TRUE(
      says(text,
           "% of one silhouette cannot be part of an object that all of them show; they agree better if azimuths "
           "turn the other way\n"));
}

TEST(SampleCheck, PermutedRows) {
  Sample exchanged = bundled_sample(kPlane);
  std::swap(exchanged.views[1].row, exchanged.views[2].row);
  std::swap(exchanged.views[1].camera, exchanged.views[2].camera);
  EXPECT_TRUE(
      says(found(exchanged, "silhouettes"), "they agree better if the cameras of 06.png and 07.png are exchanged\n"));
  Sample shifted = bundled_sample("04530566/p2mpp0001");
  const std::vector<View> views = shifted.views;
  for (std::size_t i = 0; i < 3; ++i) {
    shifted.views[i].row = views[(i + 1) % 3].row;
    shifted.views[i].camera = views[(i + 1) % 3].camera;
  }
  EXPECT_TRUE(
      says(found(shifted, "silhouettes"), "they agree better if 06.png has the first camera, and the others follow"));
}

TEST(SampleCheck, ObjectCutByTheBorder) {
  Sample sample = bundled_sample(kPlane);
  View& view = sample.views[2];
  view.image = cropped(view.image, 40, 0, 137, 137, {0, 0, 0, 0});
  EXPECT_EQ(found(sample, "cut_by_border"),
            "07.png: the object touches the left border; expected it to be whole in the image\n");
  view.image = cropped(view.image, 0, 68, 137, 137, {0, 0, 0, 0});
  EXPECT_TRUE(says(found(sample, "cut_by_border"), "touches the left and upper border"));
}

TEST(SampleCheck, EmptyMask) {
  Sample sample = bundled_sample(kPlane);
  for (std::size_t i = 3; i < sample.views[0].image.rgba.size(); i += 4) sample.views[0].image.rgba[i] = 0;
  EXPECT_EQ(found(sample, "empty"),
            "00.png: the mask is empty; expected an object on a white or transparent background\n");
  EXPECT_EQ(found(sample, "too_few_views"), "");
}

TEST(SampleCheck, FullImage) {
  Sample sample = bundled_sample(kPlane);
  for (std::size_t i = 3; i < sample.views[0].image.rgba.size(); i += 4) {
    sample.views[0].image.rgba[i] = i > 4U * 137 * 4 ? 255 : 0;
  }
  EXPECT_EQ(found(sample, "full"),
            "00.png: the object fills 97% of the image; expected one on a white or transparent background\n");
}

TEST(SampleCheck, TheSameImageTwice) {
  Sample sample = bundled_sample(kPlane);
  sample.views[2].image = sample.views[0].image;
  EXPECT_EQ(found(sample, "same_view"), "07.png: its image is the same as that of 00.png; expected a different one\n");
}

/// Smaller, by areas, and with errors as of a JPEG.
Image saved_again(const Image& image) {
  constexpr int kSide = 100, kParts = 4;
  Image result{kSide, kSide, {}};
  std::uint32_t noise = 1;
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      std::array<int, 4> sum{};
      for (int part = 0; part < kParts * kParts; ++part) {
        const int y = (row * kParts + part / kParts) * image.height / (kSide * kParts);
        const int x = (column * kParts + part % kParts) * image.width / (kSide * kParts);
        const auto at = static_cast<std::size_t>(4 * (y * image.width + x));
        for (std::size_t c = 0; c < 4; ++c) sum[c] += image.rgba[at + c];
      }
      noise = noise * 1664525 + 1013904223;
      const int error = static_cast<int>(noise >> 28) - 8;
      for (std::size_t c = 0; c < 4; ++c) {
        const int value = sum[c] / (kParts * kParts) + (c < 3 ? error : 0);
        result.rgba.push_back(static_cast<std::uint8_t>(std::clamp(value, 0, 255)));
      }
    }
  }
  return result;
}

TEST(SampleCheck, TheSameImageSavedAgain) {
  Sample sample = bundled_sample(kPlane);
  for (View& view : sample.views) put_before(view.image, {255, 255, 255});
  EXPECT_EQ(found(sample, "same_view"), "");
  View& copy = sample.views[2];
  copy.image = saved_again(sample.views[0].image);
  EXPECT_EQ(found(sample, "same_view"), "07.png: its image is the same as that of 00.png; expected a different one\n");
}

TEST(SampleCheck, TheSameCameraTwice) {
  Sample sample = bundled_sample(kPlane);
  sample.views[2].row = sample.views[0].row;
  sample.views[2].camera = sample.views[0].camera;
  EXPECT_EQ(found(sample, "same_view"),
            "07.png: its camera is at the same place as that of 00.png; expected a different place\n");
}

TEST(SampleCheck, OneUsableView) {
  Sample sample = bundled_sample(kPlane);
  for (const std::size_t i : {0U, 1U}) put_before(sample.views[i].image, {70, 110, 60});
  const std::string text = found(sample);
  EXPECT_TRUE(says(text, "too_few_views: 1 of 3 views show an object on a background; expected at least 2\n"));
  EXPECT_FALSE(says(text, "silhouettes: "));
}

TEST(SampleCheck, Elevation) {
  const Sample sample = with_rows(bundled_sample(kPlane), [](CameraRow& row) { row.elevation_deg = 70; });
  EXPECT_TRUE(says(found(sample, "elevation"), "the elevation is 70 degrees; the model was trained with 25 to 30\n"));
  const TrainedViews all{.elevation_deg = {-10, 60}};
  EXPECT_EQ(found(sample, "elevation", all), "");
}

TEST(SampleCheck, FocalLength) {
  Sample sample = bundled_sample(kPlane);
  for (View& view : sample.views) view.camera.intrinsics.fx = view.camera.intrinsics.fy = 400;
  EXPECT_TRUE(
      says(found(sample, "focal_length"), "the focal length is 400 pixels at 224; the model was trained with 248\n"));
}

TEST(SampleCheck, FarPhotographsWithLongLensesAreNotSuspicious) {
  Sample sample = bundled_sample(kPlane);
  for (View& view : sample.views) {
    // A canonical view of a photograph from far away shows the object as large as in the training.
    view.camera.intrinsics.fx = view.camera.intrinsics.fy = kFocalLength * 2 / 0.9;
    view.camera.origin *= 2 / view.camera.origin.norm();
    view.row.reset();
  }
  EXPECT_EQ(found(sample, "distance") + found(sample, "focal_length"), "");
}

TEST(SampleCheck, ManyWarningsOfAKindAreOne) {
  Sample sample = with_rows(bundled_sample(kPlane), [](CameraRow& row) { row.elevation_deg = 70; });
  for (int i = 0; i < 2; ++i) sample.views.push_back(sample.views.front());
  const std::string text = found(sample, "elevation");
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  EXPECT_TRUE(says(text, "(and 4 other views alike)\n")) << text;
}

TEST(SampleCheck, MessagesNameAViewWithoutANameByItsNumber) {
  Sample sample = bundled_sample(kPlane);
  sample.views[1].name.clear();
  EXPECT_EQ(view_label(sample, 0), "00.png");
  EXPECT_EQ(view_label(sample, 1), "view 2");
  sample.views[1].padded = true;
  const std::vector<SampleWarning> warnings = check_sample(sample, {});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].view, 1U) << "from 0";
  EXPECT_EQ(warnings[0].message, "view 2: the image is not square and was padded; camera rows are for square images");
}

#ifdef NDEBUG
/// The least CPU time of five runs, in milliseconds of this thread: other work on the machine does not count.
double least_milliseconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  };
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double start = now();
    work();
    least = std::min(least, now() - start);
  }
  return least;
}

// 5 to 25 ms, depending on the processor; 9 to 15 times as long as reading the images in the same run.
TEST(SampleCheck, TakesAFewMilliseconds) {
  const std::string name = "03001627/p2mpp0001";
  const Sample sample = bundled_sample(name);
  const double reading = least_milliseconds([&] { static_cast<void>(bundled_sample(name)); });
  const double checking = least_milliseconds([&] { static_cast<void>(check_sample(sample, {})); });
  EXPECT_LT(checking, 30 * reading);
}
#endif

}  // namespace
}  // namespace p2mpp
