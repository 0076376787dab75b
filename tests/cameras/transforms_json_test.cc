#include "cameras/transforms/transforms_json.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "base/thread_scopes.h"
#include "cameras/capture_folder.h"
#include "cameras/mask_files.h"
#include "cameras/read_capture.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"
#include "support/comma_locale.h"
#include "support/mutations.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

/// At (0, -4, 0), looking along +y at the origin; z is up. OpenGL's axes: x, z and -y.
const std::string kMatrix = "[[1, 0, 0, 0], [0, 0, -1, -4], [0, 1, 0, 0], [0, 0, 0, 1]]";

std::string frame(const std::string& file, const std::string& more = "") {
  return R"({"file_path": ")" + file + R"(", "transform_matrix": )" + kMatrix + more + "}";
}

/// A file with these keys and two frames.
std::string file_with(const std::string& keys, const std::string& more_of_first = "") {
  return "{" + keys + (keys.empty() ? "" : ", ") + R"("frames": [)" + frame("a.png", more_of_first) + ", " +
         frame("b.png") + "]}";
}

/// Throws the note about a frame that is left out.
Transforms with_all_frames(const std::string& text) {
  Transforms found = parse_transforms(text, "t.json");
  if (!found.notes.empty()) throw InputError(found.notes.front());
  return found;
}

TransformsFrame first_frame(const std::string& keys, const std::string& more = "") {
  return with_all_frames(file_with(keys, more)).frames.at(0);
}

Lens lens_with(const std::string& keys, const std::string& more = "") {
  return first_frame(keys, more).intrinsics.lens_for(200, 100, "t.json");
}

TEST(ParseTransforms, TurnsOpenGlsPosesIntoOpenCvs) {
  const TransformsFrame first = first_frame(R"("camera_angle_x": 1)");
  // One to the right, two up, four away: OpenCV's y points down and z forward.
  EXPECT_TRUE((first.cam_from_source * Eigen::Vector3d(1, 0, 2)).isApprox(Eigen::Vector3d(1, -2, 4)));
  EXPECT_NEAR(first.cam_from_source.rotation.determinant(), 1, 1e-12);
}

TEST(ParseTransforms, MakesRoundedRotationsExact) {
  const std::string text = R"({"fl_x": 1, "frames": [{"file_path": "a", "transform_matrix":
    [[0.70711, 0, 0.70710, 1], [0, 1.00001, 0, 2], [-0.70710, 0, 0.70711, 3], [0, 0, 0, 1.0]]}]})";
  const Eigen::Matrix3d rotation = parse_transforms(text, "t").frames.at(0).cam_from_source.rotation;
  EXPECT_TRUE((rotation * rotation.transpose()).isApprox(Eigen::Matrix3d::Identity(), 1e-14));
  EXPECT_NEAR(rotation(0, 0), std::sqrt(0.5), 1e-4);
}

TEST(ParseTransforms, ReadsIntrinsics) {
  constexpr auto kBrown = LensModel::kRadialTangential;
  constexpr auto kFisheye = LensModel::kFisheye;
  // NeRF-synthetic: 100 / tan(angle / 2).
  EXPECT_EQ(lens_with(R"("camera_angle_x": 0.5)"),
            (Lens{kBrown, 100 / std::tan(0.25), 100 / std::tan(0.25), 100, 50, {}}));
  // instant-ngp writes both.
  EXPECT_EQ(lens_with(R"("camera_angle_x": 0.5, "camera_angle_y": 0.3, "fl_x": 300, "fl_y": 310, "cx": 99.5, "cy": 51,
                         "k1": 0.1, "k2": 0.2, "p1": 0.3, "p2": 0.4, "is_fisheye": false, "aabb_scale": 4)"),
            (Lens{kBrown, 300, 310, 99.5, 51, {.1, .2, .3, .4}}));
  EXPECT_EQ(lens_with(R"("camera_angle_x": 0.5, "camera_angle_y": 0.3)"),
            (Lens{kBrown, 100 / std::tan(0.25), 50 / std::tan(0.15), 100, 50, {}}));
  EXPECT_EQ(lens_with(R"("fl_x": 300, "is_fisheye": true, "k1": 1, "k2": 2, "k3": 3, "k4": 4)"),
            (Lens{kFisheye, 300, 300, 100, 50, {1, 2, 3, 4}}));
  // nerfstudio names the model.
  EXPECT_EQ(
      lens_with(R"("camera_model": "OPENCV", "fl_x": 300, "k1": 1, "k2": 2, "k3": 3, "k4": 0.0, "p1": 4, "p2": 5)"),
      (Lens{kBrown, 300, 300, 100, 50, {1, 2, 4, 5, 3}}));
  EXPECT_EQ(lens_with(R"("camera_model": "OPENCV_FISHEYE", "fl_y": 300, "k1": 1, "k2": 2, "k3": 3, "k4": 4)"),
            (Lens{kFisheye, 300, 300, 100, 50, {1, 2, 3, 4}}));
  EXPECT_EQ(lens_with(R"("camera_model": "PINHOLE", "fl_x": 300, "k1": null)"), (Lens{kBrown, 300, 300, 100, 50, {}}));
  EXPECT_EQ(lens_with(R"("camera_model": "FULL_OPENCV", "fl_x": 300, "k3": 5, "k4": 6, "k5": 7, "k6": 8)"),
            (Lens{kBrown, 300, 300, 100, 50, {0, 0, 0, 0, 5, 6, 7, 8}}));
  // Without its name, k4 alone is nerfstudio's, of r^8. With k5 or k6, all three are OpenCV's, and divide.
  Lens eighth{kBrown, 300, 300, 100, 50, {.1}};
  eighth.extras.radial[0] = .2;
  EXPECT_EQ(lens_with(R"("fl_x": 300, "k1": 0.1, "k4": 0.2)"), eighth);
  EXPECT_EQ(lens_with(R"("fl_x": 300, "k4": 6, "k5": 7)"), (Lens{kBrown, 300, 300, 100, 50, {0, 0, 0, 0, 0, 6, 7}}));
  // A frame's own keys go first.
  EXPECT_EQ(lens_with(R"("fl_x": 300, "k1": 0.1)", R"(, "fl_x": 400, "cx": 7)"), (Lens{kBrown, 400, 400, 7, 50, {.1}}));
  const CommaLocale locale;
  EXPECT_EQ(lens_with(R"("fl_x": 300.5)").fx, 300.5);
}

TEST(ParseTransforms, RefusesMalformedFiles) {
  const auto read = [](const std::string& text) { return parse_transforms(text, "t.json"); };
  EXPECT_REFUSED(read(""), "t.json: not valid JSON at byte 1; expected a transforms.json");
  EXPECT_REFUSED(read("{\"frames\": [NaN]}"), "t.json: frames[0]: is string; expected an object");
  EXPECT_REFUSED(read("{\"frames\": [1,, NaN]}"), "t.json: not valid JSON at byte 15");
  EXPECT_REFUSED(read("{\"fl_x\": 1e999}"), "t.json: holds a number that no double can be");
  EXPECT_REFUSED(read("[]"), "t.json: frames: missing or empty; expected a list with an object for each image");
  EXPECT_REFUSED(read("{}"), "t.json: frames: missing or empty");
  EXPECT_REFUSED(read(R"({"frames": []})"), "t.json: frames: missing or empty");
  EXPECT_REFUSED(read(R"({"frames": {"a": 1}})"), "t.json: frames: missing or empty");
  EXPECT_REFUSED(read(R"({"frames": [3]})"), "t.json: frames[0]: is number; expected an object");
  EXPECT_REFUSED(read(R"({"frames": [{}]})"), "t.json: frames[0].file_path: is missing; expected an image's name");
  EXPECT_REFUSED(read(R"({"frames": [{"file_path": 3}]})"), "t.json: frames[0].file_path: is number; expected a text");
  EXPECT_REFUSED(read(R"({"frames": [{"file_path": "a"}]})"),
                 "frames[0].transform_matrix: is missing; expected 4 rows");
}

TEST(ParseTransforms, RefusesMalformedMatrices) {
  const auto with_matrix = [](const std::string& matrix) {
    return with_all_frames(R"({"fl_x": 1, "frames": [)" + frame("a") + R"(, {"file_path": "b", "transform_matrix": )" +
                           matrix + "}]}");
  };
  const auto refused = [&](const std::string& matrix, const std::string& problem) {
    EXPECT_REFUSED(with_matrix(matrix), "t.json: frames[1].transform_matrix: " + problem);
  };
  refused("3", "expected 4 rows of 4 numbers");
  refused("[[1, 0, 0, 0], [0, 1, 0, 0]]", "expected 4 rows of 4 numbers");
  refused("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "expected 4 rows of 4 numbers");
  refused("[[1, 0, 0, \"x\"], [0, 1, 0, 0], [0, 0, 1, 0]]", "holds something that is not a finite number");
  refused("[[1, 0, 0, null], [0, 1, 0, 0], [0, 0, 1, 0]]", "holds something that is not a finite number");
  refused("[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1]]", "its last row is not 0 0 0 1");
  refused("[[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]", "its axes are not perpendicular and of one length (off by ");
  refused("[[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]", "its axes are not perpendicular and of one length");
  refused("[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]", "its axes are not perpendicular and of one length");
  refused("[[1e300, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]", "its axes are not perpendicular and of one length");
  refused("[[NaN, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]", "holds something that is not a finite number");
  refused("[[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]",
          "contains a reflection; expected a rotation and a translation");
}

/// A world that was scaled after its cameras were made; the matrix has three rows.
TEST(ParseTransforms, TakesAxesOfAnyOneLength) {
  const std::string text = R"({"fl_x": 1, "frames": [{"file_path": "a", "transform_matrix":
    [[0, -3, 0, 1], [3, 0, 0, 2], [0, 0, 3, 3]]}]})";
  const TransformsFrame frame = parse_transforms(text, "t").frames.at(0);
  EXPECT_NEAR(frame.scale, 3, 1e-12);
  EXPECT_LT((inverse(frame.cam_from_source).translation - Eigen::Vector3d(1, 2, 3)).norm(), 1e-12);
  EXPECT_NEAR(frame.cam_from_source.rotation.determinant(), 1, 1e-12);
}

/// Python writes NaN, which is no JSON. Only the keys that are used matter.
TEST(ParseTransforms, SkipsNumbersThatAreNotFiniteWhereNobodyLooks) {
  EXPECT_EQ(lens_with(R"("fl_x": 300, "sharpness": NaN, "note": "NaN", "x": [-Infinity])").fx, 300);
  EXPECT_REFUSED(lens_with(R"("fl_x": NaN)"), "t.json: fl_x: is 'NaN'; expected a finite number");
}

TEST(ParseTransforms, RefusesMalformedIntrinsics) {
  EXPECT_REFUSED(lens_with(""), "t.json: has no focal length; expected fl_x, or camera_angle_x in radians");
  EXPECT_REFUSED(lens_with(R"("fl_x": 0)"), "t.json: fl_x: is 0; expected a number above 0");
  EXPECT_REFUSED(lens_with(R"("fl_x": "300")"), "t.json: fl_x: is string; expected a number");
  EXPECT_REFUSED(lens_with(R"("fl_x": 3)", R"(, "fl_x": -3)"),
                 "t.json: frames[0].fl_x: is -3; expected a number above 0");
  EXPECT_REFUSED(lens_with(R"("camera_angle_x": 39.6)"),
                 "camera_angle_x: is 39.6; expected a number above 0 and below 3.14159");
  EXPECT_REFUSED(lens_with(R"("fl_x": 3, "w": 100.5)"), "t.json: w: is 100.5; expected a whole number of pixels");
  EXPECT_REFUSED(lens_with(R"("fl_x": 3, "h": 0)"), "t.json: h: is 0; expected a number above 0");
  EXPECT_REFUSED(lens_with(R"("fl_x": 3, "camera_model": "THIN_PRISM_FISHEYE")"),
                 "camera_model: is THIN_PRISM_FISHEYE; expected a model of OpenCV's");
  EXPECT_REFUSED(lens_with(R"("fl_x": 3, "k1": true)"), "t.json: k1: is boolean; expected a number");
  EXPECT_REFUSED(lens_with(R"("fl_x": 3, "is_fisheye": 1)"), "t.json: is_fisheye: is number; expected true or false");
  EXPECT_REFUSED(lens_with(R"("fl_x": 3, "equirectangular": true)"), "t.json: equirectangular: is true; expected");
  EXPECT_REFUSED(lens_with(R"("fl_x": 3, "ftheta_p0": 0.1)"), "t.json: ftheta_p0: an f-theta lens; expected");
  EXPECT_REFUSED(lens_with(R"("camera_model": "EQUIRECTANGULAR")"),
                 "camera_model: camera model EQUIRECTANGULAR is not supported");
  EXPECT_REFUSED(lens_with(R"("camera_model": "EUCM")"), "camera_model: is EUCM; expected a model of OpenCV's");
}

TEST(ParseTransforms, SurvivesMutations) {
  const std::string text = file_with(R"("camera_angle_x": 0.5, "camera_model": "OPENCV", "k1": 0.1, "w": 13.0)");
  const auto read = [](const std::string& bytes) {
    for (const TransformsFrame& one : parse_transforms(bytes, "t").frames) (void)one.intrinsics.lens_for(13, 11, "t");
  };
  EXPECT_GT(survive_mutations(text, 5000, 1, read), 50);
}

class ReadTransforms : public ::testing::Test {
 protected:
  [[nodiscard]] Capture read(const std::string& json, const std::string& name = "transforms.json") const {
    folder.write(name, json);
    return read_capture(folder.path());
  }
  TemporaryFolder folder;
};

TEST_F(ReadTransforms, ReadsNerfSynthetic) {
  folder.write("train/r_0.png", small_png());
  folder.write("train/r_1.png", small_png());
  folder.write("transforms_test.json", "not read");
  const Capture capture = read(R"({"camera_angle_x": 0.5, "frames": [)" +
                                   frame("./train/r_1", R"(, "rotation": 0.0125)") + "," + frame("./train/r_0") + "]}",
                               "transforms_train.json");
  EXPECT_EQ(capture.kind, "transforms.json");
  EXPECT_EQ(capture.where, (folder.path() / "transforms_train.json").string());
  ASSERT_TRUE(capture.up);
  EXPECT_EQ(*capture.up, Eigen::Vector3d(0, 0, 1));
  EXPECT_EQ(names_of(capture), (std::vector<std::string>{"train/r_0", "train/r_1"}));
  const Photograph& photograph = capture.photographs[0];
  EXPECT_EQ(photograph.image, folder.path() / "train/r_0.png");
  EXPECT_EQ(photograph.width, 13);
  EXPECT_EQ(photograph.height, 11);
  const double focal_length = 6.5 / std::tan(0.25);
  EXPECT_LT((seen_at(photograph, {1, 0, 2}) - Eigen::Vector2d(6.5 + focal_length / 4, 5.5 - focal_length / 2)).norm(),
            1e-12);
  EXPECT_LT((photograph.centre() - Eigen::Vector3d(0, -4, 0)).norm(), 1e-12);
}

TEST_F(ReadTransforms, TakesTheSizeOfThePictureAsItIsDecoded) {
  folder.write("a.jpg", turned_jpeg());
  folder.write("b.JPG", turned_jpeg());
  const Capture capture = read(R"({"fl_x": 9, "frames": [)" + frame("a.jpg") + "," + frame("b") + "]}");
  EXPECT_EQ(capture.photographs[0].width, 21);
  EXPECT_EQ(capture.photographs[0].height, 29);
  EXPECT_EQ(capture.photographs[1].image, folder.path() / "b.JPG");
}

TEST_F(ReadTransforms, ReadsSizesAndMasks) {
  for (const char* name : {"images/a.png", "images/b.png", "masks/a.png"}) folder.write(name, small_png());
  const Capture capture = read(R"({"fl_x": 300, "w": 1080.0, "h": 1920, "frames": [)" +
                               frame("images/a.png", R"(, "mask_path": "masks/a.png")") + "," +
                               frame("images/b.png", R"(, "w": 640)") + "]}");
  EXPECT_EQ(capture.photographs[0].mask, folder.path() / "masks/a.png");
  EXPECT_EQ(capture.photographs[0].width, 1080);
  EXPECT_EQ(capture.photographs[0].lens.cx, 540);
  EXPECT_EQ(capture.photographs[1].mask, "");
  EXPECT_EQ(capture.photographs[1].width, 640);
  EXPECT_EQ(capture.photographs[1].height, 1920);
  const fs::path file = folder.write("images/other.json", file_with(R"("fl_x": 3)"));
  EXPECT_EQ(read_capture(file).photographs.size(), 2u);
  EXPECT_TRUE(is_capture(file));
  EXPECT_FALSE(is_capture(file.parent_path()));
}

TEST_F(ReadTransforms, NotesPhotographsWithoutAFile) {
  for (const char* name : {"a.png", "b.png", "c.png"}) folder.write(name, small_png());
  const std::string json = R"({"fl_x": 9, "frames": [)" + frame("a") + "," + frame("b") + "," + frame("gone.png") +
                           "," + frame("c", R"(, "mask_path": "gone.png")") + "]}";
  const Capture capture = read(json);
  EXPECT_EQ(names_of(capture), (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(capture.notes.size(), 1u);
  EXPECT_HOLDS(capture.notes[0],
               "transforms.json: 2 of 4 photographs have no file and are left out: gone.png, c (its "
               "mask gone.png)");
  fs::remove(folder.path() / "a.png");
  EXPECT_REFUSED(read(json), "number of photographs is 1 (3 of 4 have no file: a, gone.png, c (its mask gone.png))");
}

TEST_F(ReadTransforms, FollowsNamesThatLeaveTheFolder) {
  const fs::path elsewhere = folder.write("images/a.png", small_png());
  folder.write("images/b.png", small_png());
  const fs::path file = folder.write("scene/transforms.json", R"({"fl_x": 9, "frames": [)" + frame("../images/b") +
                                                                  "," + frame(elsewhere.string()) + "]}");
  const Capture capture = read_capture(file);
  ASSERT_EQ(capture.photographs.size(), 2u);
  EXPECT_EQ(capture.photographs[0].image, folder.path() / "images/b.png");
  EXPECT_EQ(capture.photographs[1].image, elsewhere);
  // A photograph is not its own mask.
  fs::create_directories(folder.path() / "masks");
  EXPECT_FALSE(MaskFolder(folder.path() / "masks", capture.photographs).find(capture.photographs[0]));
  EXPECT_FALSE(MaskFolder(folder.path() / "masks", capture.photographs).find(capture.photographs[1]));
  folder.write("masks/a.png", small_png());
  EXPECT_EQ(MaskFolder(folder.path() / "masks", capture.photographs).find(capture.photographs[1]),
            folder.path() / "masks/a.png");
}

TEST_F(ReadTransforms, ReadsNothingOutsideTheFolderOfAScope) {
  const fs::path elsewhere = folder.write("elsewhere/a.png", small_png());
  folder.write("scene/b.png", small_png());
  folder.write("scene/c.png", small_png());
  folder.write("scene/masks/c.png", small_png());
  const auto confined = [&](const std::string& frames) {
    const fs::path file = folder.write("scene/transforms.json", R"({"fl_x": 9, "frames": [)" + frames + "]}");
    const fs::path scene = folder.path() / "scene";
    const ReadingScope scope(scene);
    return read_capture(file);
  };
  // Names that lead elsewhere, and into folders that were not sent, are found by their last part.
  const Capture capture =
      confined(frame("../elsewhere/b") + "," + frame("/images/c.png", R"(, "mask_path": "/away/c.png")"));
  ASSERT_EQ(capture.photographs.size(), 2u);
  EXPECT_EQ(capture.photographs[0].image, folder.path() / "scene/b.png");
  EXPECT_EQ(capture.photographs[0].name, "b.png");
  EXPECT_EQ(capture.photographs[1].mask, folder.path() / "scene/masks/c.png");
  for (const std::string& name : {elsewhere.string(), std::string("../elsewhere/a.png"), std::string("..")}) {
    EXPECT_REFUSED(confined(frame(name) + "," + frame("b.png")), "1 of 2 have no file");
  }
}

TEST_F(ReadTransforms, RefusesNamesThatAreNoneAndNamesThatAreThereTwice) {
  folder.write("a.png", small_png());
  EXPECT_REFUSED(read(R"({"fl_x": 9, "frames": [)" + frame("a\\u0000.png") + "]}"),
                 "frames[0].file_path: has a NUL in it");
  EXPECT_REFUSED(read(R"({"fl_x": 9, "frames": [)" + frame("a") + "," + frame("./a.png") + "]}"),
                 "number of photographs is 1; expected at least 2");
}

TEST_F(ReadTransforms, LeavesOutFramesThatCannotBeUsed) {
  for (const char* name : {"a.png", "b.png", "c.png"}) folder.write(name, small_png());
  const Capture capture = read(R"({"fl_x": 9, "frames": [)" + frame("a") + "," + frame("b") + "," + frame("b") +
                               R"(, {"file_path": "c.png", "transform_matrix": [[0]]}, {"file_path": "c.png"}]})");
  EXPECT_EQ(names_of(capture), (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(capture.notes.size(), 2U);
  EXPECT_HOLDS(capture.notes[0], "2 of 5 photographs are left out: ");
  EXPECT_HOLDS(capture.notes[0], "frames[3].transform_matrix: expected 4 rows of 4 numbers");
  EXPECT_HOLDS(capture.notes[1], "1 photographs are listed several times, and are taken once");
}

TEST_F(ReadTransforms, AskWhetherIntrinsicsWereDividedByTheSize) {
  folder.write("a.png", small_png());
  folder.write("b.png", small_png());
  EXPECT_REFUSED(read(file_with(R"("fl_x": 80, "w": 64, "h": 48, "cx": 0.5, "cy": 0.5)")),
                 "the principal point of a.png is (0.5, 0.5) for 64 pixels; expected pixels: was it divided by the "
                 "image's width?");
}

TEST_F(ReadTransforms, ReadsNerfstudiosPoints) {
  folder.write("a.png", small_png());
  folder.write("b.png", small_png());
  folder.write("sparse_pc.ply", format_ply({{{1, 2, 3}, {4, 5, 6}}, {}, {}}, "points"));
  EXPECT_EQ(read(file_with(R"("fl_x": 9, "ply_file_path": "sparse_pc.ply")")).points,
            (std::vector<Eigen::Vector3d>{{1, 2, 3}, {4, 5, 6}}));
  const Capture without = read(file_with(R"("fl_x": 9, "ply_file_path": "gone.ply")"));
  EXPECT_TRUE(without.points.empty());
  ASSERT_EQ(without.notes.size(), 1u);
  EXPECT_HOLDS(without.notes[0], "its file of points, gone.ply, is missing");
  folder.write("sparse_pc.ply", "ply");
  const Capture damaged = read(file_with(R"("fl_x": 9, "ply_file_path": "sparse_pc.ply")"));
  EXPECT_EQ(damaged.photographs.size(), 2U);
  EXPECT_HOLDS(damaged.notes.at(0), "sparse_pc.ply:1: the header has no end_header");
}

}  // namespace
}  // namespace p2mpp
