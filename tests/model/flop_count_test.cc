#include "model/flop_count.h"

#include <gtest/gtest.h>

#include <cmath>

namespace p2mpp {
namespace {

NetworkSizes published_sizes() {
  const std::vector<std::int64_t> channels = {16,  16,  32,  32,  32,  64,  64,  64,  128,
                                              128, 128, 256, 256, 256, 512, 512, 512, 512};
  const std::vector<std::int64_t> kernels = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 3, 3, 5, 3, 3, 3};
  return {.stage1_cnn = {channels, kernels},
          .stage2_cnn = {{channels.begin(), channels.begin() + 8}, {kernels.begin(), kernels.begin() + 8}},
          .hidden = 192,
          .gcn_layers = {14, 14, 15},
          .drb_hidden = 192,
          .drb_blocks = 2,
          .drb_layers = 6,
          .vertices = {156, 618, 2466},
          .hypotheses = 43};
}

// Two operations a multiply-add.
constexpr double kTwo = 2;

TEST(FlopCount, OfThePublishedNetworkByHand) {
  const FlopCount flops = count_flops(published_sizes(), 3);
  // Pixels times the multiply-adds of a pixel, at each resolution. Stage 2's CNN ends at 56x56.
  const double until_56 = 224. * 224 * (9 * 3 * 16 + 9 * 16 * 16) + 112. * 112 * (9 * 16 * 32 + 2 * 9 * 32 * 32) +
                          56. * 56 * (9 * 32 * 64 + 2 * 9 * 64 * 64);
  const double from_28 = 28. * 28 * (9 * 64 * 128 + 2 * 9 * 128 * 128) +
                         14. * 14 * (25 * 128 * 256 + 2 * 9 * 256 * 256) +
                         7. * 7 * (25 * 256 * 512 + 3 * 9 * 512 * 512);
  EXPECT_EQ(until_56, 715'309'056);
  EXPECT_EQ(flops.cnn2, kTwo * 3 * until_56);
  EXPECT_EQ(flops.cnn1, kTwo * 3 * (until_56 + from_28));
  // Vertices times both weights of 14 or 15 layers; 2883 = 3 + 3 * (64 + 128 + 256 + 512), 3075 = 2883 + 192.
  const double gcn = 156. * 2 * (2883 * 192 + 12 * 192 * 192 + 192 * 3) +
                     618. * 2 * (3075 * 192 + 12 * 192 * 192 + 192 * 3) +
                     2466. * 2 * (3075 * 192 + 13 * 192 * 192 + 192 * 3);
  EXPECT_EQ(flops.gcn, kTwo * gcn);
  // Twice: hypotheses of all vertices times both weights of 6 layers; 339 = 3 + 3 * (16 + 32 + 64).
  const double drb = 2 * 2466. * 43 * 2 * (339 * 192 + 4 * 192 * 192 + 192 * 1);
  EXPECT_EQ(flops.drb, kTwo * drb);
  EXPECT_EQ(flops.total(), kTwo * 104'955'138'048);
}

TEST(FlopCount, AMaskIsAnotherChannelOfTheFirstConvolutions) {
  NetworkSizes masked = published_sizes();
  masked.image_channels = 4;
  const FlopCount three = count_flops(published_sizes(), 3);
  const FlopCount four = count_flops(masked, 3);
  EXPECT_EQ(four.cnn1 - three.cnn1, kTwo * 3 * 224 * 224 * 9 * 16);
  EXPECT_EQ(four.cnn2 - three.cnn2, kTwo * 3 * 224 * 224 * 9 * 16);
  EXPECT_EQ(four.gcn + four.drb, three.gcn + three.drb);
}

TEST(FlopCount, TheEvidenceIsSixColumnsOfTheFirstLayers) {
  NetworkSizes masked = published_sizes();
  masked.image_channels = 4;
  NetworkSizes evident = masked;
  evident.stage2_mask_evidence = true;
  const double columns = count_flops(evident, 3).total() - count_flops(masked, 3).total();
  EXPECT_EQ(columns, kTwo * 2 * 2466 * 43 * 2 * 6 * 192);
}

TEST(FlopCount, OnlyTheImageCnnsGrowWithTheViews) {
  const FlopCount two = count_flops(published_sizes(), 2);
  const FlopCount four = count_flops(published_sizes(), 4);
  EXPECT_EQ(four.cnn1, 2 * two.cnn1);
  EXPECT_EQ(four.cnn2, 2 * two.cnn2);
  EXPECT_EQ(four.gcn, two.gcn);
  EXPECT_EQ(four.drb, two.drb);
}

TEST(FlopCount, OfAPartThatIsNotCountedIsNoNumber) {
  const FlopCount flops = count_flops(published_sizes(), 3);
  EXPECT_EQ(flops.of(Part::kCnn1), flops.cnn1);
  EXPECT_EQ(flops.of(Part::kGcn), flops.gcn);
  EXPECT_EQ(flops.of(Part::kCnn2), flops.cnn2);
  EXPECT_EQ(flops.of(Part::kDrb), flops.drb);
  for (const Part part : {Part::kRead, Part::kPreprocess, Part::kCopyIn, Part::kProjection, Part::kCopyOut}) {
    EXPECT_TRUE(std::isnan(flops.of(part)));
  }
}

}  // namespace
}  // namespace p2mpp
