#include "capture/fit_views.h"

#include <gtest/gtest.h>

#include "capture/sample_paths.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

using FitKind = FitViews::Kind;

TEST(FitViewsTest, ReadsWhatItWritesAndNothingElse) {
  EXPECT_EQ(parse_fit_views("all").kind, FitKind::kAll);
  EXPECT_EQ(parse_fit_views("0,12,3").listed, (std::vector<std::size_t>{0, 12, 3}));
  for (const char* text : {"none", "same", "all", "7", "0,12,3"}) EXPECT_EQ(to_string(parse_fit_views(text)), text);
  EXPECT_EQ(to_string(FitViews{FitKind::kAutomatic}), "auto");
  for (const char* text : {"", ",", "1,", ",1", "1,1", "-1", "0x1", "1 2", "auto", "All", "10000", "1,none"}) {
    EXPECT_THROW(static_cast<void>(parse_fit_views(text)), UsageError) << text;
  }
}

class FindFitImages : public ::testing::Test {
 protected:
  [[nodiscard]] static std::vector<std::string> names(const SamplePaths& paths, const char* views) {
    std::vector<std::string> found;
    for (const auto& [image, row] : find_fit_images(paths, parse_fit_views(views))) {
      found.push_back(image.filename().string() + "@" + std::to_string(row));
    }
    return found;
  }
  using Names = std::vector<std::string>;
  TemporaryFolder folder;
};

TEST_F(FindFitImages, OfVeryManyAnEvenShare) {
  std::string rows;
  for (std::size_t i = 0; i < 2 * kMostFittedViews; ++i) {
    folder.write(i < 10 ? "0" + std::to_string(i) + ".png" : std::to_string(i) + ".png", "");
    rows += "1 2 0 1 0\n";
  }
  folder.write("rendering_metadata.txt", rows);
  const SamplePaths paths = locate_sample(folder.path(), {.trained_views = {0, 4}});
  const Names all = names(paths, "all");
  ASSERT_EQ(all.size(), kMostFittedViews);
  EXPECT_EQ(all[1], "02.png@2");
  EXPECT_EQ(all.back(), "298.png@298");
}

TEST_F(FindFitImages, OfNumberedViewsThoseThatAreThere) {
  for (const char* name : {"00.png", "01.png", "04.png", "06.png"}) folder.write(name, "");
  folder.write("rendering_metadata.txt", "1 2 0 1 0\n1 2 0 1 0\n1 2 0 1 0\n1 2 0 1 0\n1 2 0 1 0\n1 2 0 1 0\n");
  const SamplePaths paths = locate_sample(folder.path(), {.trained_views = {0, 4}});
  EXPECT_EQ(names(paths, "all"), (Names{"00.png@0", "01.png@1", "04.png@4"})) << "a view without a row is none";
  EXPECT_EQ(names(paths, "same"), (Names{"00.png@0", "04.png@4"}));
  EXPECT_EQ(names(paths, "4,1"), (Names{"04.png@4", "01.png@1"}));
  EXPECT_EQ(names(paths, "none"), Names{});
  EXPECT_REFUSED(names(paths, "2"), "has no view 2 for the fit; it has 3 (counted from 0)");
}

TEST_F(FindFitImages, OfAFolderAllImagesAndOfNamedOnesThese) {
  for (const char* name : {"a.png", "b.png", "c.png"}) folder.write(name, "");
  folder.write("cameras.txt", "1 2 0 1 0\n1 2 0 1 0\n1 2 0 1 0\n");
  const SamplePaths paths = locate_sample(folder.path(), {.views = {2, 0}});
  EXPECT_EQ(names(paths, "all"), (Names{"a.png@0", "b.png@1", "c.png@2"}));
  EXPECT_EQ(names(paths, "same"), (Names{"c.png@2", "a.png@0"}));
  const SamplePaths named = named_sample("x", {folder.path() / "c.png", "b.png"}, folder.path() / "cameras.txt");
  EXPECT_EQ(names(named, "all"), (Names{"c.png@0", "b.png@1"}));
  EXPECT_REFUSED(names(named, "2"), "x: has no view 2 for the fit");
}

}  // namespace
}  // namespace p2mpp
