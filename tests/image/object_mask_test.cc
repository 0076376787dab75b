#include "image/object_mask.h"

#include <gtest/gtest.h>

#include "image/border_colours.h"
#include "image/mask_facts.h"
#include "p2mpp/error.h"
#include "support/pixels.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

Image plain(int width, int height, const Colour& colour) {
  return uniform(width, height, {colour[0], colour[1], colour[2], 255});
}

void paint(Image& image, int left, int top, int right, int bottom, const Colour& colour, std::uint8_t alpha = 255) {
  for (int row = top; row < bottom; ++row) {
    for (int column = left; column < right; ++column) {
      std::uint8_t* pixel = &image.rgba[static_cast<std::size_t>(4 * (row * image.width + column))];
      std::copy(colour.begin(), colour.end(), pixel);
      pixel[3] = alpha;
    }
  }
}

constexpr Colour kGrey{120, 130, 140}, kRed{200, 30, 20}, kWhite{255, 255, 255};

TEST(ObjectMask, TakesAlphaWhereItIsNotAllOpaque) {
  Image image = plain(20, 10, kGrey);
  paint(image, 0, 0, 20, 10, kGrey, 0);
  paint(image, 5, 2, 9, 6, kRed, 200);
  const ObjectMask mask = object_mask(image, "a.png");
  EXPECT_EQ(mask.origin, "alpha");
  EXPECT_EQ(mask.mask.at(2, 5), 200);
  EXPECT_EQ(mask.mask.at(2, 4), 0);
  EXPECT_FALSE(mask.background);
}

BackgroundColour background_of(std::string_view text) {
  BackgroundColour background;
  from_text(text, background);
  return background;
}

TEST(ObjectMask, EstimatesAPlainBackgroundAndKeepsHoles) {
  for (const Colour& background : {kGrey, kWhite, Colour{0, 0, 0}}) {
    Image image = plain(100, 80, background);
    for (std::size_t i = 0; i < image.rgba.size(); i += 12) image.rgba[i] ^= 7;  // noise
    paint(image, 20, 20, 70, 60, kRed);
    paint(image, 40, 35, 50, 45, background);
    paint(image, 5, 5, 6, 6, kRed);            // a speck
    paint(image, 25, 25, 26, 26, background);  // and a hole as small
    const ObjectMask mask = object_mask(image, "a.jpg", background_of("auto"));
    EXPECT_EQ(mask.mask.at(30, 30), 255);
    EXPECT_EQ(mask.mask.at(40, 45), 0) << "a hole is what has the background's colour";
    EXPECT_EQ(mask.mask.at(5, 5), 0);
    EXPECT_EQ(mask.mask.at(25, 25), 255);
    EXPECT_EQ(mask.mask.at(10, 10), 0);
    const MaskFacts facts = mask_facts(mask.mask);
    EXPECT_EQ(facts.left, 20);
    EXPECT_EQ(facts.bottom, 60);
    EXPECT_FALSE(facts.cut[0] || facts.cut[1] || facts.cut[2] || facts.cut[3]);
  }
}

TEST(ObjectMask, HasSoftEdgesInFrontOfAColour) {
  Image image = plain(60, 60, kWhite);
  paint(image, 20, 20, 40, 40, {55, 55, 55});
  paint(image, 20, 19, 40, 20, {155, 155, 155});  // half covered
  const ObjectMask mask = object_mask(image, "a");
  EXPECT_NEAR(mask.mask.at(19, 30), 128, 3);
  EXPECT_EQ(mask.mask.at(25, 30), 255);
}

TEST(ObjectMask, RefusesABackgroundOfManyColours) {
  Image image = plain(100, 100, kGrey);
  paint(image, 0, 0, 50, 100, kRed);
  EXPECT_REFUSED(object_mask(image, "room.jpg"), "% of the border differs from the background's colour");
  EXPECT_REFUSED(object_mask(image, "room.jpg"), "a folder of masks (the option masks; rembg");
  EXPECT_REFUSED(object_mask(plain(50, 50, kGrey), "grey.jpg", background_of("white")),
                 "grey.jpg: 100% of the border differs from the background's colour 255,255,255");
}

TEST(BackgroundColourText, TakesColours) {
  for (const char* text : {"auto", "255,255,255", "1,2,3"}) EXPECT_EQ(to_string(background_of(text)), text);
  EXPECT_FALSE(background_of("auto").colour);
  EXPECT_EQ(background_of("white").colour, kWhite);
  EXPECT_EQ(background_of("1, 2,3").colour, (Colour{1, 2, 3}));
  for (const char* text : {"", "1,2", "1,2,3,4", "1,2,256", "-1,2,3", "a,b,c", "1.5,2,3", ",,"}) {
    EXPECT_THROW(static_cast<void>(background_of(text)), UsageError) << text;
  }
}

TEST(RemoveSpecks, JoinsPiecesOfAnyShape) {
  Mask mask{40, 40, std::vector<std::uint8_t>(1600)};
  const auto set = [&](int row, int column) { mask.coverage[static_cast<std::size_t>(40 * row + column)] = 255; };
  for (int i = 0; i < 40; ++i) set(i, i);              // a diagonal is one piece
  for (int i = 0; i < 5; ++i) set(30 + i % 2, 3 + i);  // so is a zigzag
  set(2, 30);
  remove_specks(mask, 0.1);
  EXPECT_EQ(mask.at(17, 17), 255);
  EXPECT_EQ(mask.at(31, 4), 255);
  EXPECT_EQ(mask.at(2, 30), 0);
}

TEST(MaskFacts, DescribesWhatIsUnusable) {
  const auto problem = [](std::uint8_t value) {
    return message_of<InputError>([&] {
      check_shows_object(mask_facts({30, 20, std::vector<std::uint8_t>(600, value)}));
    });
  };
  EXPECT_EQ(problem(0), "the mask is empty");
  EXPECT_EQ(problem(255), "the mask covers 100% of the image");
  Mask one{30, 20, std::vector<std::uint8_t>(600)};
  one.coverage[100] = 255;
  EXPECT_REFUSED(check_shows_object(mask_facts(one)), "the mask has 1x1 pixels; expected at least 8 one way");
}

/// A cloth that reaches the border of each photograph, and an object on it whose colour no border has.
TEST(BorderColours, OfMostPhotographsAreBackground) {
  constexpr Colour kBlack{2, 2, 2}, kCloth{52, 50, 48};
  std::vector<Image> images;
  BorderColours shared;
  for (int i = 0; i < 6; ++i) {
    images.push_back(plain(60, 60, kBlack));
    paint(images.back(), 0, 35 + i, 60, 55, kCloth);
    paint(images.back(), 20, 15, 40, 45, kRed);
    paint(images.back(), 27, 20, 33, 30, kCloth);  // of the cloth's colour, and inside
    EXPECT_TRUE(i == 5 || !shared.help());
    shared.add(images.back());
  }
  EXPECT_TRUE(shared.help());
  const ObjectMask alone = object_mask(images[0], "a.png"), together = object_mask(images[0], "a.png", {}, shared);
  EXPECT_EQ(alone.mask.at(50, 5), 255);
  EXPECT_EQ(together.mask.at(50, 5), 0);
  EXPECT_EQ(together.mask.at(40, 30), 255);
  EXPECT_EQ(together.mask.at(25, 30), 255);
  EXPECT_EQ(object_mask(images[0], "a.png", {kBlack}, shared).mask.at(50, 5), 255) << "a given colour counts alone";
  BorderColours even;
  for (int i = 0; i < 6; ++i) even.add(plain(60, 60, kGrey));
  EXPECT_FALSE(even.help());
}

}  // namespace
}  // namespace p2mpp
