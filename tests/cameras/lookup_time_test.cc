#include <gtest/gtest.h>

#include "cameras/mask_files.h"
#include "cameras/named_files.h"
#include "support/growth.h"
#include "support/many_pictures.h"

// Files are found in a time in proportion to their number.
namespace p2mpp {
namespace {

namespace fs = std::filesystem;
using testing::kFew;
using testing::kMostGrowth;
using testing::kTimes;
using testing::name_of;
using testing::write_pictures;

/// `count` files of one name in as many folders.
void write_namesakes(const TemporaryFolder& folder, int count) {
  const fs::path first = folder.write("0/x.png", "");
  for (int i = 1; i < count; ++i) {
    fs::create_directory(folder.path() / std::to_string(i));
    fs::create_hard_link(first, folder.path() / std::to_string(i) / "x.png");
  }
}

TEST(NamedFilesTime, IsInProportionToTheFilesOfOneName) {
  const TemporaryFolder few, many;
  write_namesakes(few, kFew);
  write_namesakes(many, kTimes * kFew);
  const auto find = [](const TemporaryFolder& folder, int count) {
    return [&folder, count] {
      NamedFiles files(folder.path());
      for (int i = 0; i < count; ++i) {
        EXPECT_EQ(files.find(fmt::format("/home/me/{}/x.jpg", i)), folder.path() / std::to_string(i) / "x.png");
        EXPECT_TRUE(files.find(fmt::format("elsewhere{}/x.jpg", i)).empty());
      }
    };
  };
  EXPECT_LT(growth(find(few, kFew), find(many, kTimes * kFew)), kMostGrowth);
}

/// Photographs of which all but one have a mask, each in a folder of its own.
Capture with_scattered_masks(const TemporaryFolder& folder, int count) {
  write_pictures(folder, count);
  Capture capture;
  capture.folder = folder.path();
  for (int i = 0; i < count; ++i) {
    Photograph photograph;
    photograph.name = "images/" + name_of(i);
    photograph.image = folder.path() / photograph.name;
    if (i > 0) photograph.mask = folder.path() / fmt::format("m{}", i) / name_of(i);
    capture.photographs.push_back(photograph);
  }
  return capture;
}

TEST(MaskPlacesTime, IsInProportionToTheMasks) {
  const TemporaryFolder few, many;
  const Capture small = with_scattered_masks(few, kFew), large = with_scattered_masks(many, kTimes * kFew);
  const auto look = [](const Capture& capture) {
    return [&capture] {
      Capture one = capture;
      use_masks_beside(one);
    };
  };
  EXPECT_LT(growth(look(small), look(large)), kMostGrowth);
}

}  // namespace
}  // namespace p2mpp
