#include "check/sample_check.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "capture/sample_views.h"
#include "check/sample_silhouettes.h"
#include "image/viewpoint.h"
#include "support/growth.h"
#include "support/messages.h"

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

TEST(SampleCheck, NothingIsWrongWithTheBundledSamples) {
  for (const std::string& name : bundled_names()) EXPECT_EQ(found(bundled_sample(name)), "") << name;
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

/// With all distances of the cameras wrong by a factor.
Sample with_far_cameras(Sample sample, double factor) {
  for (View& view : sample.views) {
    view.camera.origin *= factor;
    view.row.reset();
  }
  return sample;
}

using Change = std::function<void(Sample&)>;

/// A change of every row, and of the cameras with them.
Change in_rows(const std::function<void(CameraRow&)>& change) {
  return [change](Sample& sample) { sample = with_rows(std::move(sample), change); };
}

void exchange_cameras(Sample& sample, std::size_t one, std::size_t other) {
  std::swap(sample.views[one].row, sample.views[other].row);
  std::swap(sample.views[one].camera, sample.views[other].camera);
}

void pad_portrait(Sample& sample) {
  View& view = sample.views[1];
  put_before(view.image, {255, 255, 255});
  const std::string name = view.name;
  view = view_from_row(cropped(view.image, 17, 0, 103, 137, {255, 255, 255, 255}), *view.row);
  view.name = name;
  EXPECT_EQ(view.image.width, 137);
}

void crop_third(Sample& sample, int left, int top) {
  Image& image = sample.views[2].image;
  image = cropped(image, left, top, 137, 137, {0, 0, 0, 0});
}

/// Every alpha from this byte on is 255, and 0 before.
void set_alpha(Sample& sample, std::size_t opaque_from) {
  std::vector<std::uint8_t>& rgba = sample.views[0].image.rgba;
  for (std::size_t i = 3; i < rgba.size(); i += 4) rgba[i] = i > opaque_from ? 255 : 0;
}

struct CheckedMistake {
  const char* code;
  Change make;
  const char* line;
};

// The failures that were silent: each is one line that says what is wrong.
TEST(SampleCheck, EachMistakeHasItsLine) {
  const std::vector<CheckedMistake> mistakes = {
      {"background",
       [](Sample& s) {
         for (View& view : s.views) put_before(view.image, {128, 128, 128});
       },
       "00.png: the background is neither white nor transparent; expected one object cut out (rembg does that"},
      {"too_few_views",
       [](Sample& s) {
         for (View& view : s.views) put_before(view.image, {128, 128, 128});
       },
       "0 of 3 views show an object on a background; expected at least 2\n"},
      {"not_square", pad_portrait,
       "06.png: the image is not square and was padded; camera rows are for square images\n"},
      {"elevation", in_rows([](CameraRow& row) {
         row.azimuth_deg = row.elevation_deg;
         row.elevation_deg = 150;
       }),
       "00.png: the elevation is 150 degrees; expected -90 to 90: are the columns of azimuths and elevations "
       "exchanged?\n"},
      {"elevation", in_rows([](CameraRow& row) { row.elevation_deg = 70; }),
       "the elevation is 70 degrees; the model was trained with 25 to 30"},
      {"distance", in_rows([](CameraRow& row) { row.distance /= 0.57F; }),
       "00.png: the camera's distance is 1.35; the model was trained with 0.65 to 0.9 (the object's bounding box "
       "has the diagonal 0.57)"},
      {"distance", in_rows([](CameraRow& row) { row.distance *= 0.57F; }),
       "the camera's distance is 0.439; the model was trained with"},
      {"focal_length",
       [](Sample& s) {
         for (View& view : s.views) view.camera.intrinsics.fx = view.camera.intrinsics.fy = 400;
       },
       "the focal length is 400 pixels at 224; the model was trained with 248"},
      {"silhouettes", in_rows([](CameraRow& row) { row.azimuth_deg = -row.azimuth_deg; }),
       "% of one silhouette cannot be part of an object that all of them show; they agree better if azimuths turn the "
       "other way\n"},
      {"silhouettes", [](Sample& s) { exchange_cameras(s, 1, 2); },
       "they agree better if the cameras of 06.png and 07.png are exchanged\n"},
      {"cut_by_border", [](Sample& s) { crop_third(s, 40, 0); },
       "07.png: the object touches the left border; expected it to be whole in the image\n"},
      {"cut_by_border", [](Sample& s) { crop_third(s, 40, 68); }, "touches the left and upper border"},
      {"empty", [](Sample& s) { set_alpha(s, std::size_t{4} * 137 * 137); },
       "00.png: the mask is empty; expected an object on a white or transparent background\n"},
      {"full", [](Sample& s) { set_alpha(s, std::size_t{4} * 137 * 4); },
       "00.png: the object fills 97% of the image; expected one on a white or transparent background\n"},
      {"same_view", [](Sample& s) { s.views[2].image = s.views[0].image; },
       "07.png: its image is the same as that of 00.png; expected a different one\n"},
      {"same_view",
       [](Sample& s) {
         s.views[2].row = s.views[0].row;
         s.views[2].camera = s.views[0].camera;
       },
       "07.png: its camera is at the same place as that of 00.png; expected a different place\n"}};
  for (const auto& [code, make, line] : mistakes) {
    Sample sample = bundled_sample(kPlane);
    make(sample);
    EXPECT_HOLDS(found(sample, code), line);
  }
  const Sample steep = with_rows(bundled_sample(kPlane), [](CameraRow& row) { row.elevation_deg = 50; });
  EXPECT_EQ(found(steep, "elevation", {.elevation_deg = {-10, 60}}), "");
}

TEST(SampleCheck, RowsThatAreOneOff) {
  Sample shifted = bundled_sample("04530566/p2mpp0001");
  exchange_cameras(shifted, 0, 1);
  exchange_cameras(shifted, 1, 2);
  EXPECT_HOLDS(found(shifted, "silhouettes"),
               "they agree better if 06.png has the first camera, and the others follow");
}

TEST(SampleCheck, AnglesInRadians) {
  const Sample sample = with_rows(bundled_sample(kPlane), [](CameraRow& row) {
    row.azimuth_deg *= std::numbers::pi_v<float> / 180;
    row.elevation_deg *= std::numbers::pi_v<float> / 180;
  });
  const std::string text = found(sample);
  EXPECT_HOLDS(text, "radians: azimuths and elevations look like radians; expected degrees\n");
  EXPECT_EQ(text.find("elevation: "), std::string::npos) << "of radians, no number says anything";
}

TEST(SampleCheck, AzimuthsAloneInRadians) {
  const Sample sample =
      with_rows(bundled_sample(kPlane), [](CameraRow& row) { row.azimuth_deg *= std::numbers::pi_v<float> / 180; });
  EXPECT_EQ(found(sample, "radians"), "azimuths look like radians; expected degrees\n");
  const Sample above = with_rows(bundled_sample(kPlane), [](CameraRow& row) { row.azimuth_deg = 0; });
  EXPECT_EQ(found(above, "radians"), "") << "all look from one side";
}

TEST(SampleCheck, AllDistancesWrongByAFifth) {
  const auto scaled = [](const std::string& name, double factor) {
    return found(with_far_cameras(bundled_sample(name), factor), "size", {.distance = {0.4, 1.5}});
  };
  EXPECT_HOLDS(scaled(kPlane, 1.2), "the silhouettes show an object whose bounding box has a diagonal of about 0.7");
  EXPECT_HOLDS(scaled(kPlane, 1.2), "% too large\n");
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
  EXPECT_HOLDS(found(mirrored), "expected 0.57: it has about that size if azimuths turn the other way\n");
  const auto exchanged = [](const std::string& name) {
    Sample sample = bundled_sample(name);
    exchange_cameras(sample, 0, 1);
    return found(sample);
  };
  for (const char* name : {"03001627/p2mpp0003", "04379243/p2mpp0001"}) {
    EXPECT_HOLDS(exchanged(name), "if the cameras of 00.png and 06.png are exchanged\n") << name;
  }
}

TEST(SampleCheck, ADistanceOfOneViewHidesNoSize) {
  const Sample sample = with_far_cameras(bundled_sample(kPlane), 1.2);
  std::vector<double> distances;
  for (const View& view : sample.views) distances.push_back(view.camera.origin.norm());
  std::ranges::sort(distances);
  const TrainedViews all_but_one{.distance = {0.4, (distances[1] + distances[2]) / 2 / 1.25}};
  EXPECT_EQ(std::ranges::count(found(sample, "distance", all_but_one), '\n'), 1);
  EXPECT_NE(found(sample, "size", all_but_one), "");
  const TrainedViews none{.distance = {0.4, 0.5}};
  EXPECT_EQ(std::ranges::count(found(sample, "distance", none), '\n'), 3);
  EXPECT_EQ(found(sample, "size", none), "") << "they say the same";
}

TEST(SampleCheck, TheSizeOfACapture) {
  Sample sample = with_far_cameras(bundled_sample(kPlane), 1.2);
  const TrainedViews trained{.distance = {0.4, 1.5}};
  sample.unit_origin = UnitOrigin::kGiven;
  EXPECT_HOLDS(found(sample, "size", trained), "expected 0.57: --scale may be about ");
  EXPECT_HOLDS(found(sample, "size", trained), "% too small\n");
  sample.unit_origin = UnitOrigin::kMasks;
  EXPECT_EQ(found(sample, "size", trained), "") << "masks and cameras agree";
  const Eigen::Matrix3d nod = Eigen::AngleAxisd(0.002, Eigen::Vector3d::UnitX()).toRotationMatrix();
  while (silhouette_disagreement(sample, view_cameras(sample)).value() < 0.015) {
    sample.views[1].camera.rotation = nod * sample.views[1].camera.rotation;
  }
  EXPECT_HOLDS(found(sample, "size", trained), "expected 0.57: the masks contradict the cameras\n");
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
  EXPECT_HOLDS(found(sample), "axes: 06.png: the object is behind the camera; expected it in front\n");
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

TEST(SampleCheck, OneUsableView) {
  Sample sample = bundled_sample(kPlane);
  for (const std::size_t i : {0U, 1U}) put_before(sample.views[i].image, {70, 110, 60});
  const std::string text = found(sample);
  EXPECT_HOLDS(text, "too_few_views: 1 of 3 views show an object on a background; expected at least 2\n");
  EXPECT_EQ(text.find("silhouettes: "), std::string::npos);
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
  EXPECT_HOLDS(text, "(and 4 other views alike)\n");
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
// 5 to 25 ms, depending on the processor; 9 to 15 times as long as reading the images in the same run.
TEST(SampleCheck, TakesAFewMilliseconds) {
  const std::string name = "03001627/p2mpp0001";
  const Sample sample = bundled_sample(name);
  const auto read = [&] { static_cast<void>(bundled_sample(name)); };
  const auto check = [&] { static_cast<void>(check_sample(sample, {})); };
  EXPECT_LT(growth(read, check, 30), 30);
}
#endif

}  // namespace
}  // namespace p2mpp
