#include "cameras/camera_formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cameras/capture_folder.h"
#include "cameras/programs/camera_files.h"
#include "cameras/read_capture.h"
#include "capture/sample_paths.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"
#include "support/mutations.h"
#include "support/pixels.h"
#include "support/zip_writer.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

const fs::path kWritten = fs::path(P2MPP_TEST_DATA) / "captures";

/// What tests/captures wrote for one program, with a picture for each camera.
class WrittenCapture : public ::testing::TestWithParam<std::string> {
 protected:
  WrittenCapture() : truth(nlohmann::json::parse(slurp(kWritten / GetParam() / "truth.json"))) {
    fs::copy(kWritten / GetParam(), folder.path(), fs::copy_options::recursive);
    fs::remove(folder.path() / "truth.json");
    const std::string picture =
        encode_png(uniform(truth["width"].get<int>(), truth["height"].get<int>(), {9, 9, 9, 255}));
    for (const auto& [name, pixels] : truth["pictures"].items()) folder.write(name, picture);
  }
  TemporaryFolder folder;
  nlohmann::json truth;
};

std::vector<std::string> written_programs() {
  std::vector<std::string> names;
  for (const auto& each : fs::directory_iterator(kWritten)) names.push_back(each.path().filename().string());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Programs, WrittenCapture, ::testing::ValuesIn(written_programs()),
                         [](const auto& program) { return program.param; });

TEST_P(WrittenCapture, ShowsPointsWhereItsProgramDoes) {
  EXPECT_TRUE(is_capture(folder.path()));
  const Capture capture = read_capture(folder.path());
  ASSERT_EQ(capture.photographs.size(), truth["pictures"].size());
  for (const Photograph& photograph : capture.photographs) {
    const nlohmann::json& pixels = truth["pictures"].at(photograph.image.lexically_relative(folder.path()).string());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const auto point = truth["points"][i].get<std::vector<double>>();
      const auto pixel = pixels[i].get<std::vector<double>>();
      const Eigen::Vector2d seen = seen_at(photograph, {point[0], point[1], point[2]});
      EXPECT_LT((seen - Eigen::Vector2d(pixel[0], pixel[1])).norm(), 0.01) << photograph.name << " " << seen;
    }
  }
}

/// Editors of Windows put a mark before a text.
TEST_P(WrittenCapture, MayBeginWithAByteOrderMark) {
  const std::size_t count = read_capture(folder.path()).photographs.size();
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() || extension == ".png" || extension == ".npy" || extension == ".npz" ||
        extension == ".mvs") {
      continue;
    }
    folder.write(entry.path().lexically_relative(folder.path()), "\xef\xbb\xbf" + slurp(entry.path()));
  }
  EXPECT_EQ(read_capture(folder.path()).photographs.size(), count);
}

/// Files of one camera, and a list of names, are given with the others.
TEST_P(WrittenCapture, SurvivesMutations) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file() && entry.path().extension() != ".png") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  const std::string bytes = slurp(files.front());
  survive_mutations(bytes, 30, 1, [&](const std::string& mutated) {
    folder.write(files.front().lexically_relative(folder.path()), mutated);
    (void)read_capture(folder.path());
  });
}

TEST(CameraFormats, OtherFilesOfAnAppAreNoCameras) {
  TemporaryFolder folder;
  for (const char* name : {"a", "b", "c"}) {
    folder.write(std::string(name) + ".json", slurp(kWritten / "scanner_app" / (std::string(name) + ".json")));
    folder.write(std::string(name) + ".png", encode_png(uniform(64, 48, {9, 9, 9, 255})));
  }
  folder.write("info.json", R"({"title": "a scan"})");
  EXPECT_EQ(read_capture(folder.path()).photographs.size(), 3U);
  EXPECT_REFUSED(parse_scanner_app("{}", "f.json", "f"), "f.json: has no \"intrinsics\"; expected one");
  EXPECT_REFUSED(parse_scanner_app(R"({"intrinsics": [1]})", "f.json", "f"), "f.json: intrinsics: has 1 numbers");
}

TEST(CameraFormats, SayWhereTheirPhotographsMayBe) {
  for (const char* program : {"llff", "neus", "record3d"}) {
    EXPECT_REFUSED(read_capture(kWritten / program), "has no photographs beside it; expected them in ");
  }
  EXPECT_REFUSED(read_capture(kWritten / "metashape"),
                 "number of photographs is 0 (3 of 3 have no file: a, b, c); expected at least 2; --photographs FOLDER "
                 "names another folder");
}

TEST(CameraFormats, SayWhichUpIsMeasuredAndTakeReliablePoints) {
  EXPECT_EQ(parse_metashape(slurp(kWritten / "metashape/cameras.xml"), "x").up, Eigen::Vector3d(0, 0, 1));
  const std::string record = slurp(kWritten / "record3d/metadata.json");
  EXPECT_TRUE(parse_record3d(record, "x", {"a", "b", "c"}).up_is_measured);
  EXPECT_EQ(parse_record3d(record, "x", {"a", "b", "c"}).metres_per_unit, 1);
  EXPECT_FALSE(parse_visualsfm(slurp(kWritten / "visualsfm/scene.nvm"), "x").up);
  EXPECT_EQ(parse_visualsfm(slurp(kWritten / "visualsfm/scene.nvm"), "x").points.size(), 1u);
  EXPECT_EQ(parse_bundler(slurp(kWritten / "bundler/bundle.out"), "x", {"n", "a", "b", "c"}).points.size(), 1u);
}

/// The angles and the matrix are RealityCapture's own, of one camera of a real project.
TEST(CameraFormats, RealityCapturesAnglesAreItsMatrix) {
  const CameraList csv = parse_realitycapture_csv(
      "#name,x,y,alt,heading,pitch,roll,f\na.png,0,0,0,163.736597399311,83.4154313461628,174.386496244756,36\n",
      "r.csv");
  Eigen::Matrix3d xmp;
  xmp << 0.982594073038806, 0.185426733553445, -0.0112166890261935, -0.032113633044729, 0.11008102707942,
      -0.993403685341366, -0.18296885582437, 0.976472781986697, 0.114;
  EXPECT_LT((csv.cameras.at(0).cam_from_source.rotation - xmp).cwiseAbs().maxCoeff(), 1e-3);
}

const std::vector<double> kWorldMatrix = {100, 0, 50, 0, 0, 100, 50, 0, 0, 0, 1, 3, 0, 0, 0, 1};

/// LLFF and NeuS number photographs by the bytes of their names.
TEST(CameraFormats, NumberPhotographsAsPythonSortsThem) {
  const std::vector<std::string> naturally = {"2.png", "10.png"};
  const std::string npy = npy_file("(4, 4)", kWorldMatrix);
  const CameraList neus =
      parse_neus(zip_archive({{.name = "world_mat_0.npy", .bytes = npy}, {.name = "world_mat_1.npy", .bytes = npy}}),
                 "c.npz", naturally);
  std::vector<double> rows;
  for (int i = 0; i < 2; ++i) {
    rows.insert(rows.end(), {0, 1, 0, 0, 100, 1, 0, 0, 0, 100, 0, 0, -1, 0, 90, 1, 2});
  }
  const CameraList llff = parse_llff(npy_file("(2, 17)", rows), "p.npy", naturally);
  for (const CameraList& list : {neus, llff}) {
    EXPECT_EQ(list.cameras.at(0).file, "10.png");
    EXPECT_EQ(list.cameras.at(1).file, "2.png");
  }
}

TEST(CameraFormats, ReadCompressedArrays) {
  const std::string npz =
      zip_archive({{.name = "world_mat_0.npy", .bytes = npy_file("(4, 4)", kWorldMatrix), .deflate = true}});
  const CameraList list = parse_neus(npz, "cameras.npz", {"a.png"});
  EXPECT_NEAR(list.cameras.at(0).cam_from_source.translation.z(), 3, 1e-9);
  EXPECT_REFUSED(parse_neus(npz, "cameras.npz", {"a.png", "b.png"}), "cameras.npz: has 1 cameras for 2 photographs");
}

/// The point at (x, y, 1) is at K (x, y, 1), with pixels whose first centre is (0, 0).
TEST(CameraFormats, HaveASkew) {
  const CameraList list = parse_middlebury("a.png 100 5 50 0 90 40 0 0 1 1 0 0 0 1 0 0 0 1 0 0 1\n", "p.txt");
  const auto pixel = pixel_of(list.cameras.at(0).lens, {0.3, 0.2, 1});
  ASSERT_TRUE(pixel);
  EXPECT_NEAR(pixel->x(), 30 + 5 * 0.2 + 50 + 0.5, 1e-9);
  EXPECT_NEAR(pixel->y(), 90 * 0.2 + 40 + 0.5, 1e-9);
}

TEST(CameraFormats, RefuseWhatTheyCannotExpress) {
  EXPECT_REFUSED(parse_middlebury("a.png 1 2 3\n", "p.txt"), "p.txt:1: has 3 numbers; expected the 21 of K, R and t");
  EXPECT_REFUSED(parse_matrix_file("1 0 0 0\n0 1 0 0\n0 0 1 0\n", "a.txt", "a"),
                 "a.txt: is a pose [R|t] without a focal length; expected K [R|t]");
  EXPECT_REFUSED(parse_matrix_file("0 0 0 0 0 0 0 0 0 0 0 0", "a.txt", "a"), "a.txt: is not a projection K [R|t]");
  EXPECT_REFUSED(parse_metashape("<document><chunk/></document>", "c.xml"), "c.xml: has no aligned camera; expected");
  EXPECT_REFUSED(parse_metashape("<document", "c.xml"), "c.xml: not valid XML at byte");
  EXPECT_REFUSED(parse_bundler("# Bundle file v0.3\n2 0\n", "b.out", {"a.png"}),
                 "b.out: has 2 cameras for 1 photographs; expected a name for each in list.txt");
  EXPECT_REFUSED(parse_bundler("# Bundle file v0.3\n1 0\n1 0 0 1\n", "b.out", {"a.png"}), "b.out: ends too early");
  EXPECT_REFUSED(parse_neus("no zip", "c.npz", {"a.png"}), "c.npz: not a ZIP file; expected a .npz");
  EXPECT_REFUSED(parse_llff("no array", "p.npy", {"a.png"}), "p.npy: is not a .npy; expected one");
  EXPECT_REFUSED(parse_realitycapture_csv("a.png,1,2\n", "r.csv"), "r.csv:1: comes before the columns' names");
  EXPECT_REFUSED(parse_realitycapture_csv("#name,x\na.png,1\n", "r.csv"),
                 "r.csv:1: has no column 'y'; expected RealityCapture's");
}

/// The last lines of `check`.
TEST(CameraFormats, AreNamedInTheWordsOfTheirPrograms) {
  const auto words = [](const char* program, const std::vector<std::string>& pictures) {
    TemporaryFolder folder;
    fs::copy(kWritten / program, folder.path(), fs::copy_options::recursive);
    for (const std::string& name : pictures) folder.write(name, encode_png(uniform(64, 48, {9, 9, 9, 255})));
    return read_words(read_capture(folder.path()));
  };
  const std::vector<std::string> metashape = words("metashape", {"a.png", "b.png", "c.png"});
  ASSERT_EQ(metashape.size(), 2U);
  EXPECT_EQ(metashape[0],
            "read as Metashape XML 2.0.0: 3 cameras of 64x48 pixels; 1 lens: frame, the first with f 80.5");
  EXPECT_HOLDS(metashape[1], "1 of 4 photographs have no pose and are left out");
  EXPECT_EQ(words("opensfm_fisheye", {"images/a.png", "images/b.png", "images/c.png"}),
            std::vector<std::string>{"read as OpenSfM: 3 cameras of 64x48 pixels; 1 lens: fisheye624, the first with f "
                                     "80.5; nothing left out"});
}

/// A program that is known and not read, and photographs alone: the message has the missing step.
TEST(CameraFormats, NameTheMissingStep) {
  const TemporaryFolder folder;
  EXPECT_EQ(missing_step(folder.path()), "");
  folder.write("images/a.png", small_png());
  folder.write("images/b.png", small_png());
  EXPECT_REFUSED(read_capture(folder.path()),
                 "has 2 photographs and no cameras: let p2mpp-photos or COLMAP find them (docs/photos.md), write their "
                 "angles into "
                 "cameras.txt (docs/inputs.md), or give --turntable");
  folder.write("frame_annotations.jgz", "x");
  EXPECT_REFUSED(read_capture(folder.path()), "frame_annotations.jgz is CO3D, which is not read: convert it");
  folder.write("chair.mp4", "x");
  EXPECT_REFUSED(locate_sample(folder.path() / "chair.mp4", {}), "chair.mp4: is a video: p2mpp-photos --video FILE");
  folder.write("scan.psx", "x");
  EXPECT_REFUSED(locate_sample(folder.path() / "scan.psx", {}),
                 "scan.psx is a project of Metashape, which is not read");
  const TemporaryFolder phone;
  phone.write("images/a.HEIC", "x");
  phone.write("images/b.HEIC", "x");
  EXPECT_REFUSED(locate_sample(phone.path(), {}), "has no cameras; 2 files such as a.HEIC are not read: convert them");
}

}  // namespace
}  // namespace p2mpp
