#include "image/mask_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/stop_token.h"
#include "p2mpp/error.h"

namespace p2mpp {

MaskFacts mask_facts(const Mask& mask) {
  MaskFacts facts;
  std::size_t count = 0, on_border = 0;
  for (int row = 0; row < mask.height; ++row) {
    end_if_stopped();
    for (int column = 0; column < mask.width; ++column) {
      if (mask.at(row, column) < 128) continue;
      if (count++ == 0) facts = {0, 0, {}, column, row, column + 1, row + 1};
      facts.left = std::min(facts.left, column);
      facts.right = std::max(facts.right, column + 1);
      facts.bottom = row + 1;
      on_border += row == 0 || column == 0 || row + 1 == mask.height || column + 1 == mask.width;
    }
  }
  if (count == 0) return facts;
  const double pixels = static_cast<double>(mask.width) * mask.height;
  const double border = 2.0 * (mask.width + mask.height) - 4;
  facts.share = static_cast<double>(count) / pixels;
  facts.border_share = static_cast<double>(on_border) / border;
  const bool cut[] = {facts.left == 0, facts.top == 0, facts.right == mask.width, facts.bottom == mask.height};
  std::copy(std::begin(cut), std::end(cut), std::begin(facts.cut));
  return facts;
}

PixelBox covered_box(const Mask& mask) {
  PixelBox box{mask.width, mask.height, 0, 0};
  for (int row = 0; row < mask.height; ++row) {
    for (int column = 0; column < mask.width; ++column) {
      if (mask.at(row, column) == 0) continue;
      box.left = std::min(box.left, column);
      box.right = std::max(box.right, column + 1);
      box.top = std::min(box.top, row);
      box.bottom = row + 1;
    }
  }
  return box.bottom == 0 ? PixelBox{} : box;
}

void check_shows_object(const MaskFacts& facts) {
  constexpr double kFullShare = 0.98;
  constexpr int kLeastSide = 8;
  if (facts.share == 0) throw InputError("the mask is empty");
  if (facts.share > kFullShare) {
    throw InputError(fmt::format("the mask covers {:.0f}% of the image", 100 * facts.share));
  }
  const int width = facts.right - facts.left, height = facts.bottom - facts.top;
  if (std::max(width, height) < kLeastSide) {
    throw InputError(fmt::format("the mask has {}x{} pixels; expected at least {} one way", width, height, kLeastSide));
  }
}

bool shows_object(const MaskFacts& facts) {
  try {
    check_shows_object(facts);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace p2mpp
