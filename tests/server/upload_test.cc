#include "server/upload.h"

#include <gtest/gtest.h>

#include "base/input_file.h"
#include "p2mpp/error.h"
#include "requests/request_queue.h"
#include "server/http.h"
#include "server/spool.h"
#include "support/evaluation_fixture.h"
#include "support/zip_writer.h"

namespace p2mpp {
namespace {

class UploadTest : public ::testing::Test {
 protected:
  static void add_to(Upload& upload, const std::string& field, const std::string& filename, const std::string& bytes) {
    upload.begin_part({field, filename});
    upload.part_bytes(bytes);
    upload.end_part();
  }

  void add(const std::string& field, const std::string& filename, const std::string& bytes = "bytes") {
    add_to(upload_, field, filename, bytes);
  }

  void add_images() {
    add("image", "a.png");
    add("image", "b.JPG");
  }

  // The message about a further part.
  std::string refusal_of(const std::string& field, const std::string& filename, const std::string& bytes = "bytes") {
    return refusal_by([&] { add(field, filename, bytes); });
  }

  TemporaryFolder folder_;
  Spool spool_{folder_.path(), 2000};
  SpoolFolder request_folder_{spool_, "client"};
  Upload upload_{request_folder_, PixelTotal::kUsualMost, 600};
};

TEST_F(UploadTest, MakesASamplesFolder) {
  add_images();
  add("mask", "a.png", "mask");
  add("cameras", "transforms.json", "{}");
  add("request", "", R"({"id": "chair", "priority": 3, "deadline_ms": 500, "views": 2})");
  const WorkerRequest request = upload_.request();
  EXPECT_EQ(request.id, "chair");
  EXPECT_EQ(request.priority, 3);
  EXPECT_EQ(request.deadline, std::chrono::milliseconds(500));
  EXPECT_EQ(request.view_count, 2U);
  EXPECT_EQ(read_file(request.sample / "b.JPG"), "bytes");
  EXPECT_EQ(read_file(request.sample / "masks" / "a.png"), "mask");
  EXPECT_EQ(read_file(request.sample / "transforms.json"), "{}");
}

TEST_F(UploadTest, TakesTheFilesOfAModel) {
  add_images();
  for (const char* name : {"cameras.txt", "images.txt", "points3D.txt"}) add("cameras", name, "x");
  add("mask", "a.png", "mask");
  const WorkerRequest request = upload_.request();
  EXPECT_EQ(read_file(request.sample / "images.txt"), "x");
  EXPECT_HOLDS(refusal_of("cameras", "transforms.json"), "appears twice; expected one file");
  EXPECT_HOLDS(refusal_of("cameras", "model.sh"), "the file's name is 'model.sh'; expected cameras.json, ");
}

TEST_F(UploadTest, TakesFilesOfAnotherProgram) {
  add_images();
  for (const char* name : {"scene.mvs", "trajectory.log", "camera.json", "a.xmp"}) add("cameras", name, "x");
  EXPECT_EQ(read_file(upload_.request().sample / "trajectory.log"), "x");
}

TEST_F(UploadTest, ATurntableNeedsNoFile) {
  add_images();
  add("request", "", R"({"turntable": {"elevation": 20, "clockwise": true, "fov": 60}})");
  const WorkerRequest request = upload_.request();
  EXPECT_EQ(request.id, "mesh");
  EXPECT_EQ(request.source.turntable.elevation_deg, 20);
  EXPECT_TRUE(request.source.turntable.clockwise);
}

TEST_F(UploadTest, TakesAnArchiveOfACapture) {
  add("capture", "chair.zip", zip_archive({{.name = "images/a.png", .bytes = std::string(300, 'x'), .deflate = true}}));
  const WorkerRequest request = upload_.request();
  EXPECT_TRUE(is_heavy(request));   // its pixels are not known yet
  EXPECT_GT(spool_.bytes(), 400U);  // its files have room
  EXPECT_FALSE(std::filesystem::exists(request.sample));
  EXPECT_TRUE(std::filesystem::exists(request.archive));
  EXPECT_HOLDS(refusal_of("capture", "b.zip"), "appears twice");
  add("image", "a.png");
  EXPECT_HOLDS(refusal_by([&] { static_cast<void>(upload_.request()); }), "expected no parts image, mask and cameras");
}

TEST_F(UploadTest, RefusesAnArchiveBeforeItIsUnpacked) {
  const auto refused = [&](const FileToPack& file) {
    SpoolFolder folder(spool_, "client");
    Upload upload(folder, PixelTotal::kUsualMost, 600);
    return refusal_by([&] { add_to(upload, "capture", "a.zip", zip_archive({file})); });
  };
  EXPECT_EQ(refused({.name = "../a"}),
            "capture: the name '../a' leaves the folder; expected names inside the archive (a ZIP archive of a "
            "capture's folder)");
  EXPECT_HOLDS(refused({.name = "a", .size = 601}), "more than 600 bytes together");
  EXPECT_EQ(refused({.name = "a", .size = 600}), "");
  EXPECT_HOLDS(refusal_of("capture", "b.zip", "no archive"), "capture: not a ZIP file (a ZIP archive");
}

TEST_F(UploadTest, RefusesNamesThatAreNotPlain) {
  for (const std::string& name :
       {std::string(), std::string("../a.png"), std::string("/etc/a.png"), std::string("a/b.png"),
        std::string("a\\b.png"), std::string(".a.png"), std::string("a\nb.png"), std::string("a\0b.png", 7),
        std::string("\xff.png"), std::string(201, 'a') + ".png", std::string("a.sh"), std::string("a")}) {
    EXPECT_NE(refusal_of("image", name), "") << name;
    EXPECT_NE(refusal_of("mask", name), "") << name;
    EXPECT_NE(refusal_of("cameras", name), "") << name;
  }
  EXPECT_TRUE(std::filesystem::is_empty(request_folder_.input()));
}

TEST_F(UploadTest, RefusesOtherAndSecondParts) {
  add_images();
  EXPECT_HOLDS(refusal_of("picture", "c.png"), "no such part");
  EXPECT_HOLDS(refusal_of("image", "a.png"), "appears twice");
  EXPECT_EQ(refusal_of("cameras", "cameras.txt"), "");
  EXPECT_HOLDS(refusal_of("cameras", "cameras.json"), "appears twice");
  EXPECT_EQ(refusal_of("request", "", "{}"), "");
  EXPECT_HOLDS(refusal_of("request", "", "{}"), "appears twice");
}

TEST_F(UploadTest, AFullSpoolIsNotTheClientsFault) {
  try {
    add("image", "a.png", std::string(1001, 'x'));
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status(), 507U);
  }
}

TEST_F(UploadTest, RefusesWhatIsIncomplete) {
  const auto whole = [&] { return refusal_by([&] { static_cast<void>(upload_.request()); }); };
  EXPECT_HOLDS(whole(), "image: there are 0");
  add_images();
  EXPECT_HOLDS(whole(), "cameras: is missing");
  add("cameras", "cameras.txt");
  EXPECT_EQ(whole(), "");
  add("mask", "a.png");
  EXPECT_HOLDS(whole(), "expected no masks");
}

TEST_F(UploadTest, RefusesRequestsThatNameFilesOrNothingKnown) {
  for (const char* text :
       {"[]", "nonsense", R"({"images": ["/etc/passwd"]})", R"({"sample": "a"})", R"({"output": "x"})",
        R"({"entry": "a"})", R"({"id": "a/b"})", R"({"initial": "/etc/passwd"})", R"({"deadline_ms": 0})",
        R"({"views": 65})", R"({"turntable": {}})", R"({"turntable": {"elevation": 90}})",
        R"({"turntable": {"elevation": 1, "fov": 0}})"}) {
    SpoolFolder folder(spool_, "client");
    Upload upload(folder, PixelTotal::kUsualMost, 600);
    for (const char* name : {"a.png", "b.png"}) add_to(upload, "image", name, "bytes");
    add_to(upload, "request", "", text);
    EXPECT_EQ(refusal_by([&] { static_cast<void>(upload.request()); }).substr(0, 9), "request: ") << text;
  }
}

class PhotographsUploadTest : public UploadTest {
 protected:
  // What is said about a file of this name and content.
  std::string refused(const std::string& name, const std::string& bytes, const std::string& field = "image") {
    SpoolFolder folder(spool_, "client");
    Upload upload(folder, kPixels, 600, UploadKind::kPhotographs);
    return refusal_by<std::exception>([&] { add_to(upload, field, name, bytes); });
  }

  static constexpr std::size_t kPixels = 4 * 4;
  const std::string png_ = tiny_png();
};

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

std::string box(const std::string& kind, const std::string& content) {
  return big_endian(static_cast<std::uint32_t>(8 + content.size())) + kind + content;
}

// Of a thumbnail and of the photograph itself.
std::string heic(std::uint32_t width, std::uint32_t height) {
  const std::string version(4, '\0');
  const std::string sizes = box("ispe", version + big_endian(1) + big_endian(1)) +
                            box("ispe", version + big_endian(width) + big_endian(height));
  return box("ftyp", "heic" + version) + box("meta", version + box("hdlr", version) + box("iprp", box("ipco", sizes))) +
         box("mdat", "pixels");
}

TEST_F(PhotographsUploadTest, AreOfTheTypesThatTheNameMayHave) {
  EXPECT_EQ(refused("a.png", png_), "");
  EXPECT_EQ(refused("a.jpg", png_), "");
  EXPECT_EQ(refused("a.heic", heic(4, 4)), "");
  const std::string tiff("II*\0\x08\0\0\0", 8);
  EXPECT_HOLDS(refused("a.png", tiff), "a.png: is a TIFF image or a raw photograph; expected");
  EXPECT_HOLDS(refused("a.png", tiff, "mask"), "a.png: is a TIFF image");
  EXPECT_HOLDS(refused("a.png", heic(4, 4), "mask"), "is a HEIC image");
  EXPECT_HOLDS(refused("a.heic", "GIF89a"), "is a GIF image");
  EXPECT_HOLDS(refused("a.png", "%!PS-Adobe-3.0"), "is not an image");
  EXPECT_HOLDS(refused("a.png", ""), "is not an image");
}

TEST_F(PhotographsUploadTest, TheirPixelsAreCountedByTheContent) {
  EXPECT_HOLDS(refused("a.heic", heic(4, 5)), "more than 16 pixels together (20 up to a.heic)");
  EXPECT_HOLDS(refused("a.jpg", heic(20'000, 20'000)), "declares 20000x20000 pixels");
  EXPECT_HOLDS(refused("a.heic", box("ftyp", "heic")), "declares no size");
  // Pillow takes the last header, p2mpp the first.
  constexpr std::size_t kSignature = 8, kHeader = 25;
  const std::string second = png_.substr(0, kSignature + kHeader) + png_.substr(kSignature);
  EXPECT_HOLDS(refused("a.png", second), "a.png: damaged PNG");
}

}  // namespace
}  // namespace p2mpp
