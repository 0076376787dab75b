#include "cameras/mask_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "capture/photograph_pixels.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"
#include "support/pixels.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

class MasksBeside : public ::testing::Test {
 protected:
  MasksBeside() {
    for (const char* name : {"a.jpg", "b/c.jpg"}) {
      Photograph photograph;
      photograph.name = name;
      photograph.image = folder.path() / "images" / name;
      capture.photographs.push_back(photograph);
    }
  }
  TemporaryFolder folder;
  Capture capture;
};

TEST_F(MasksBeside, AreTakenWithANote) {
  folder.write("masks/a.png", "x");
  folder.write("masks/b/c.jpg.png", "x");
  use_masks_beside(capture);
  EXPECT_EQ(capture.photographs[0].mask, folder.path() / "masks/a.png");
  EXPECT_EQ(capture.photographs[1].mask, folder.path() / "masks/b/c.jpg.png");
  ASSERT_EQ(capture.notes.size(), 1U);
  EXPECT_HOLDS(capture.notes[0], "masks: the masks there are used");
}

TEST_F(MasksBeside, OfAnotherCropAreNamed) {
  capture.photographs.resize(1);
  const auto image_file = [&](const char* name, int width, int height) {
    return folder.write(name, encode_png(uniform(width, height, {120, 130, 140, 255})));
  };
  EXPECT_EQ(sizes_of_masks(capture), "");
  capture.photographs[0].image = image_file("images/a.png", 307, 231);
  capture.photographs[0].mask = image_file("masks/a.png", 320, 240);
  EXPECT_HOLDS(sizes_of_masks(capture), "a.png has 320x240 pixels, and its photograph 307x231");
  capture.photographs[0].mask = image_file("masks/a.png", 614, 462);
  EXPECT_EQ(sizes_of_masks(capture), "");
}

TEST_F(MasksBeside, AreFoundBesideTransformsJson) {
  capture.photographs.resize(1);
  capture.photographs[0].name = "images/a.jpg";
  folder.write("masks/a.png", "x");
  use_masks_beside(capture);
  EXPECT_EQ(capture.photographs[0].mask, folder.path() / "masks/a.png");
}

TEST_F(MasksBeside, OfSomePhotographsOnlyAreAnError) {
  folder.write("masks/a.png", "x");
  EXPECT_REFUSED(use_masks_beside(capture), "masks: has no mask for b/c.jpg; expected c.png");
}

TEST_F(MasksBeside, AddToThoseThatTheCaptureNames) {
  folder.write("masks/a.png", "x");
  capture.photographs[1].mask = "named.png";
  use_masks_beside(capture);
  EXPECT_EQ(capture.photographs[0].mask, folder.path() / "masks/a.png");
  EXPECT_EQ(capture.photographs[1].mask, "named.png");
  capture.photographs[0].mask = "other.png";
  capture.notes.clear();
  use_masks_beside(capture);
  EXPECT_EQ(capture.photographs[0].mask, "other.png");
  EXPECT_TRUE(capture.notes.empty());
  capture.photographs.clear();
  use_masks_beside(capture);
}

/// Beside a folder that is not called images, in a folder of another name, and with words around the name.
TEST_F(MasksBeside, HaveManyNames) {
  struct Layout {
    const char *photograph, *mask;
  };
  for (const Layout& each :
       {Layout{"one/input/a.jpg", "one/mask/A.PNG"}, Layout{"two/rgb/a.jpg", "two/Silhouettes/mask_a.png"},
        Layout{"three/a.jpg", "three/a_mask.png"}, Layout{"four/Caf\u00e9.jpg", "four/masks/cafe\u0301-mask.png"}}) {
    const fs::path image = folder.write(each.photograph, "x");
    capture.folder = folder.path() / *fs::path(each.photograph).begin();
    capture.photographs.resize(1);
    capture.photographs[0].mask.clear();
    capture.photographs[0].image = image;
    capture.photographs[0].name = image.filename().string();
    folder.write(each.mask, "x");
    use_masks_beside(capture);
    EXPECT_EQ(capture.photographs[0].mask, folder.path() / each.mask);
  }
}

/// With the same text around the names of all photographs, as other programs name what they write.
TEST_F(MasksBeside, HaveTheirProgramsText) {
  capture.photographs[0].name = "1.jpg";
  capture.photographs[1].name = "10.jpg";
  for (Photograph& photograph : capture.photographs) photograph.image = folder.path() / "images" / photograph.name;
  folder.write("masks/1-removebg-preview.png", "x");
  folder.write("masks/10-removebg-preview.png", "x");
  folder.write("masks/old_10.png", "x");
  use_masks_beside(capture);
  EXPECT_EQ(capture.photographs[0].mask, folder.path() / "masks/1-removebg-preview.png");
  EXPECT_EQ(capture.photographs[1].mask, folder.path() / "masks/10-removebg-preview.png");
}

/// The same photograph as JPG and PNG: the one is not the other's mask.
TEST_F(MasksBeside, AreNoOtherPhotographs) {
  capture.photographs.resize(1);
  folder.write("images/a.jpg", "x");
  folder.write("images/a.png", "x");
  use_masks_beside(capture);
  EXPECT_TRUE(capture.photographs[0].mask.empty());
  EXPECT_HOLDS(capture.mask_search, "no masks with the photographs' names were found in ");
}

TEST_F(MasksBeside, OfTwoPhotographsMustBeTwo) {
  capture.photographs[0].name = "left/a.jpg";
  capture.photographs[1].name = "right/a.jpg";
  for (Photograph& photograph : capture.photographs) photograph.image = folder.path() / photograph.name;
  folder.write("masks/a.png", "x");
  EXPECT_REFUSED(use_masks_in(folder.path() / "masks", capture),
                 "a.png: has the name of both left/a.jpg and right/a.jpg; expected a mask for each");
  EXPECT_REFUSED(use_masks_in(folder.path() / "none", capture), "none: no such folder; expected one with a mask");
}

TEST_F(MasksBeside, OfOtherFormatsAreNamed) {
  folder.write("masks/a.tif", "x");
  use_masks_beside(capture);
  EXPECT_TRUE(capture.photographs[0].mask.empty());
  ASSERT_EQ(capture.notes.size(), 1U);
  EXPECT_HOLDS(capture.notes[0],
               "not used: no file in it has a photograph's name, such as a.jpg; 1 files such as "
               "a.tif are not read: convert them");
}

/// A folder masks/ outside the capture's own folder is nobody's.
TEST_F(MasksBeside, AreNotLookedForElsewhere) {
  folder.write("masks/a.png", "x");
  capture.photographs.resize(1);
  capture.photographs[0].image = folder.path() / "other" / "a.jpg";
  use_masks_beside(capture);
  EXPECT_TRUE(capture.photographs[0].mask.empty());
}

TEST(PhotographMask, IsThatOfItsFile) {
  const TemporaryFolder folder;
  const Image image = uniform(40, 20, {120, 130, 140, 255});
  Image grey = uniform(20, 10, {0, 0, 0, 255});
  const auto fill = [&](std::uint8_t value) {
    for (int row = 2; row < 8; ++row) {
      for (int column = 5; column < 15; ++column) {
        std::fill_n(&grey.rgba[4 * static_cast<std::size_t>(20 * row + column)], 3, value);
      }
    }
  };
  fill(255);
  ObjectMask mask = photograph_mask(image, "a.jpg", folder.write("m.png", encode_png(grey)));
  EXPECT_EQ(mask.origin, "mask file");
  EXPECT_EQ(mask.mask.width, 40);
  EXPECT_EQ(mask.mask.at(10, 20), 255);
  EXPECT_EQ(mask.mask.at(1, 20), 0);
  fill(1);  // the first object of a file that counts them
  mask = photograph_mask(image, "a.jpg", folder.write("m.png", encode_png(grey)));
  EXPECT_EQ(mask.mask.at(10, 20), 255);
  // Labels of 16 bits, 0 and 1.
  const fs::path labels = fs::path(P2MPP_TEST_DATA) / "io" / "labels16.png";
  mask = photograph_mask(uniform(4, 2, {9, 9, 9, 255}), "a.jpg", labels);
  EXPECT_EQ(mask.mask.coverage, (std::vector<std::uint8_t>{0, 255, 0, 0, 0, 0, 255, 255}));
  EXPECT_REFUSED(
      photograph_mask(image, "a.jpg", folder.write("m.png", encode_png(uniform(20, 20, {120, 130, 140, 255})))),
      "m.png: has 20x20 pixels; expected 40x20 as a.jpg, or the same shape");
  EXPECT_REFUSED(
      photograph_mask(image, "a.jpg", folder.write("m.png", encode_png(uniform(20, 40, {120, 130, 140, 255})))),
      "m.png: has 20x40 pixels, and a.jpg has 40x20: one of the two is turned, as by an EXIF orientation");
  EXPECT_REFUSED(photograph_mask(image, "a.jpg", folder.path() / "none.png"), "none.png: cannot be opened");
}

}  // namespace
}  // namespace p2mpp
