#include "model/flop_count.h"

#include <limits>

#include "model/network_layout.h"
#include "p2mpp/camera.h"

namespace p2mpp {
namespace {

constexpr double kFlopPerMultiplyAdd = 2;
constexpr std::int64_t kCoordinates = 3;

// In double, because products of integers from a file could overflow.
double real(std::int64_t size) { return static_cast<double>(size); }

// Multiply-adds of all convolutions for one image. Padding is SAME: the output has ceil(side / stride) pixels.
double cnn_multiply_adds(const CnnSizes& cnn, std::int64_t image_channels) {
  double sum = 0;
  auto side = static_cast<std::int64_t>(kImageSize);
  std::int64_t channels_in = image_channels;
  for (std::size_t i = 0; i < cnn.channels.size(); ++i) {
    side = (side + kStrides[i] - 1) / kStrides[i];
    const double kernel = real(cnn.kernels[i]);
    sum += real(side * side) * kernel * kernel * real(channels_in) * real(cnn.channels[i]);
    channels_in = cnn.channels[i];
  }
  return sum;
}

// Multiply-adds of x W0 and x W1 for one row of x through a block of graph convolutions: in, hidden, ..., hidden, out.
double block_multiply_adds(double in, double hidden, double out, std::int64_t layers) {
  const double one_product = in * hidden + real(layers - 2) * hidden * hidden + hidden * out;
  return 2 * one_product;
}

double gcn_multiply_adds(const NetworkSizes& sizes) {
  const std::int64_t projected = projected_width(sizes.stage1_cnn.channels, kStage1Maps);
  double sum = 0;
  for (std::size_t block = 0; block < sizes.gcn_layers.size(); ++block) {
    const std::int64_t in = projected + (block == 0 ? 0 : sizes.hidden);  // and the unpooled hidden state
    sum += real(sizes.vertices[block]) *
           block_multiply_adds(real(in), real(sizes.hidden), kCoordinates, sizes.gcn_layers[block]);
  }
  return sum;
}

double drb_multiply_adds(const NetworkSizes& sizes) {
  const double rows = real(sizes.drb_blocks) * real(sizes.vertices.back()) * real(sizes.hypotheses);
  const double in = real(projected_width(sizes.stage2_cnn.channels, kStage2Maps, sizes.stage2_mask_evidence));
  return rows * block_multiply_adds(in, real(sizes.drb_hidden), 1, sizes.drb_layers);
}

}  // namespace

double FlopCount::of(Part part) const {
  if (part == Part::kCnn1) return cnn1;
  if (part == Part::kGcn) return gcn;
  if (part == Part::kCnn2) return cnn2;
  return part == Part::kDrb ? drb : std::numeric_limits<double>::quiet_NaN();
}

FlopCount count_flops(const NetworkSizes& sizes, std::size_t view_count) {
  const auto views = static_cast<double>(view_count);
  return {.cnn1 = kFlopPerMultiplyAdd * views * cnn_multiply_adds(sizes.stage1_cnn, sizes.image_channels),
          .gcn = kFlopPerMultiplyAdd * gcn_multiply_adds(sizes),
          .cnn2 = kFlopPerMultiplyAdd * views * cnn_multiply_adds(sizes.stage2_cnn, sizes.image_channels),
          .drb = kFlopPerMultiplyAdd * drb_multiply_adds(sizes)};
}

}  // namespace p2mpp
