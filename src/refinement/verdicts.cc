#include "refinement/verdicts.h"

#include <array>
#include <cstddef>
#include <map>

namespace p2mpp {
namespace {

constexpr double kLeastBetter = 0.55;  ///< share of parts that photographs left out must confirm
constexpr int kBlocks = 16;            ///< along the mesh's longest side, that are judged one by one

using BlockIndex = std::array<int, 3>;

/// What photographs that were left out say about a part of the surface: sums over its pixels before and after.
struct Verdict {
  double before = 0, pixels_before = 0, after = 0, pixels_after = 0;

  void add(const Verdict& other) {
    before += other.before;
    pixels_before += other.pixels_before;
    after += other.after;
    pixels_after += other.pixels_after;
  }
  [[nodiscard]] bool is_judged() const {
    constexpr double kFewest = 30;
    return pixels_before > kFewest && pixels_after > kFewest;
  }
  [[nodiscard]] double gain() const { return after / pixels_after - before / pixels_before; }
};

/// The verdict on each block and those around it, so that chance decides less.
std::map<BlockIndex, Verdict> widened(const std::map<BlockIndex, Verdict>& blocks) {
  std::map<BlockIndex, Verdict> wide;
  for (const auto& [block, verdict] : blocks) {
    Verdict& sum = wide[block];
    for (int k = 0; k < 27; ++k) {
      const auto found = blocks.find({block[0] + k % 3 - 1, block[1] + k / 3 % 3 - 1, block[2] + k / 9 - 1});
      if (found != blocks.end()) sum.add(found->second);
    }
  }
  return wide;
}

}  // namespace

std::vector<float> confirmed_shares(const Points& before, const Eigen::AlignedBox3f& box, const VertexAgreement& was,
                                    const VertexAgreement& is) {
  const float side = box.diagonal().maxCoeff() / kBlocks;
  const auto block_index = [&](const Eigen::Vector3f& place) -> BlockIndex {
    const Eigen::Vector3i block = ((place - box.min()) / side).array().floor().cast<int>();
    return {block.x(), block.y(), block.z()};
  };
  std::map<BlockIndex, Verdict> blocks;
  for (std::size_t i = 0; i < before.size(); ++i) {
    blocks[block_index(before[i])].add({static_cast<double>(was.agreement(i)), static_cast<double>(was.pixels(i)),
                                        static_cast<double>(is.agreement(i)), static_cast<double>(is.pixels(i))});
  }
  blocks = widened(blocks);
  std::size_t judged = 0, better = 0;
  for (const auto& [block, verdict] : blocks) {
    judged += verdict.is_judged() ? 1 : 0;
    better += verdict.is_judged() && verdict.gain() > 0 ? 1 : 0;
  }
  std::vector<float> shares(before.size(), 0);
  if (static_cast<double>(better) < kLeastBetter * static_cast<double>(judged)) return shares;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Verdict& verdict = blocks.at(block_index(before[i]));
    shares[i] = !verdict.is_judged() || verdict.gain() > 0 ? 1.0F : 0.0F;
  }
  return shares;
}

}  // namespace p2mpp
