#include "io/capture_archive.h"

#include <gtest/gtest.h>

#include "base/thread_scopes.h"
#include "p2mpp/error.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"
#include "support/zip_writer.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;

class CaptureArchive : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path write(const std::vector<FileToPack>& files) const {
    return folder_.write("a.zip", zip_archive(files));
  }

  [[nodiscard]] std::string refusal_of(const std::vector<FileToPack>& files, std::uint64_t most = kMuch) const {
    const fs::path archive = write(files);
    const std::string refusal = refusal_by([&] {
      static_cast<void>(check_capture_archive(archive, {.bytes = most}));
      static_cast<void>(unpack_capture_archive(archive, folder_.path() / "out"));
    });
    fs::remove_all(folder_.path() / "out");
    return refusal;
  }

  TemporaryFolder folder_;
};

TEST_F(CaptureArchive, BecomesTheFolderThatItIs) {
  const fs::path archive = write({{.name = "chair/", .mode = 0040755},
                                  {.name = "chair/images/a.png", .bytes = "picture", .deflate = true},
                                  {.name = "chair\\sparse\\0\\cameras.txt", .bytes = "cameras"},
                                  {.name = "chair/.DS_Store", .bytes = "x"},
                                  {.name = "__MACOSX/chair/._a", .bytes = "x"}});
  EXPECT_EQ(check_capture_archive(archive, {.bytes = 14}), 14U);
  const fs::path found = unpack_capture_archive(archive, folder_.path() / "out");
  EXPECT_EQ(found, folder_.path() / "out" / "chair");
  EXPECT_EQ(slurp(found / "images" / "a.png"), "picture");
  EXPECT_EQ(slurp(found / "sparse" / "0" / "cameras.txt"), "cameras");
  EXPECT_FALSE(fs::exists(found / ".DS_Store"));
  EXPECT_FALSE(fs::exists(folder_.path() / "out" / "__MACOSX"));
}

TEST_F(CaptureArchive, RefusesWhatIsNotPlain) {
  const std::string deep = "1/2/3/4/5/6/7/8/9/a.png", long_name = std::string(201, 'a') + ".png";
  const std::vector<std::pair<FileToPack, std::string>> cases = {
      {{.name = "../a.png"}, "the name '../a.png' leaves the folder; expected names inside"},
      {{.name = "a/..\\..\\b.png"}, "leaves the folder"},
      {{.name = "/etc/a.png"}, "is an absolute path"},
      {{.name = ""}, "is empty"},
      {{.name = std::string("a\0b", 3)}, "has a NUL in it"},
      {{.name = "a\nb.png"}, "too long or cannot be shown"},
      {{.name = long_name}, "too long or cannot be shown"},
      {{.name = deep}, "is in 9 folders; expected at most 8"},
      {{.name = "a", .bytes = "/etc/passwd", .mode = 0120777}, "'a' is a link or a device"},
      {{.name = "a", .bytes = "x", .flags = 1}, "'a' is encrypted; expected no password"},
      {{.name = "a", .bytes = "x", .method = 12}, "'a': it is compressed by method 12"},
      {{.name = "a", .bytes = "xx", .size = 1}, "'a': it has more bytes than the archive says"},
  };
  for (const auto& [file, expected] : cases) {
    const std::string refusal = refusal_of({file});
    EXPECT_HOLDS(refusal, expected) << file.name << ": " << refusal;
  }
  EXPECT_HOLDS(refusal_of({{.name = "a", .bytes = "x"}, {.name = "./a", .bytes = "y"}}), "'a' appears twice");
  EXPECT_HOLDS(refusal_of({{.name = "a", .bytes = "x"}, {.name = "a/b", .bytes = "y"}}), "appears twice");
  EXPECT_EQ(refusal_of({{.name = "1/2/3/4/5/6/7/8/a.png"}, {.name = std::string(196, 'a') + ".png"}}), "");
}

/// Just below and just above each bound.
TEST_F(CaptureArchive, IsBounded) {
  const std::string refusal = refusal_of({{.name = "a", .bytes = "12345"}}, 4);
  EXPECT_EQ(refusal, "the files have more than 4 bytes together; expected fewer");
  EXPECT_EQ(refusal_of({{.name = "a", .bytes = "12345"}}, 5), "");

  std::vector<FileToPack> images;
  for (std::size_t i = 0; i <= ArchiveBounds::kMostImages; ++i) images.push_back({.name = std::to_string(i) + ".bmp"});
  EXPECT_EQ(refusal_of(images), "there are 513 images; expected at most 512");
  images.pop_back();
  EXPECT_EQ(refusal_of(images), "");

  std::vector<FileToPack> files;
  for (std::size_t i = 0; i <= ArchiveBounds::kMostEntries; ++i) files.push_back({.name = std::to_string(i)});
  EXPECT_EQ(refusal_of(files), "it has 4097 files; expected at most 4096");

  // What the directory says is enough: nothing is unpacked.
  const auto other = static_cast<std::uint32_t>(ArchiveBounds::kMostOfOther);
  EXPECT_EQ(refusal_of({{.name = "points3D.bin", .size = other + 1}}),
            "'points3D.bin' has 67,108,865 bytes; expected at most 67,108,864");
  const auto always = static_cast<std::uint32_t>(ArchiveBounds::kAlways);
  EXPECT_EQ(refusal_of({{.name = "a.png", .size = always + 1}}),
            "the files have more than 16,777,216 bytes together; expected fewer");
  EXPECT_EQ(check_capture_archive(write({{.name = "a.png", .size = always}}), {.bytes = kMuch}), always);
}

TEST_F(CaptureArchive, SurvivesMutations) {
  const std::string archive = zip_archive({{.name = "a/b.png", .bytes = std::string(200, 'x'), .deflate = true},
                                           {.name = "a/../c", .bytes = "x"},
                                           {.name = "d", .bytes = "x"}});
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const fs::path path = folder_.write("a.zip", mutated(archive, random)), out = folder_.path() / "out";
    try {
      static_cast<void>(check_capture_archive(path, {.bytes = 100'000}));
      static_cast<void>(unpack_capture_archive(path, out));
    } catch (const Error&) {
    }
    fs::remove_all(out);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);  // a.zip
  }
}

}  // namespace
}  // namespace p2mpp
