#include "image/mask_pieces.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace p2mpp {
namespace {

/// A run of equal pixels in a row. Small: a mask of noise has one for every second pixel.
struct Run {
  int row = 0, begin = 0, end = 0;
  std::uint32_t parent = 0;
  std::uint32_t pixels = 0;  ///< of the piece, at its root
  bool on_border = false;    ///< of the piece, at its root
};

class Runs {
 public:
  /// The runs of pixels that are the object's (or are not), joined into pieces. reach: 1 if diagonal neighbours touch.
  Runs(const Mask& mask, bool object, int reach) : mask_(mask) {
    std::size_t above = 0;
    for (int row = 0; row < mask.height; ++row) {
      const std::size_t begin = runs_.size();
      append_row(row, object);
      join(above, begin, reach);
      above = begin;
    }
  }

  [[nodiscard]] std::size_t largest() const {
    std::uint32_t most = 0;
    for (const Run& run : runs_) most = std::max(most, run.pixels);
    return most;
  }

  /// Sets the pixels of pieces with fewer than `least` pixels; those at the border only if include_border is set.
  void fill_small(Mask& mask, std::size_t least, std::uint8_t value, bool include_border) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run& root = runs_[root_of(i)];
      if (root.pixels >= least || (root.on_border && !include_border)) continue;
      const Run& run = runs_[i];
      const auto start = mask.coverage.begin() + static_cast<std::ptrdiff_t>(run.row) * mask.width;
      std::fill(start + run.begin, start + run.end, value);
    }
  }

 private:
  void append_row(int row, bool object) {
    for (int column = 0; column < mask_.width;) {
      const int begin = column;
      while (column < mask_.width && (mask_.at(row, column) > 0) == object) ++column;
      if (column > begin) {
        const bool on_border = row == 0 || row + 1 == mask_.height || begin == 0 || column == mask_.width;
        runs_.push_back({row, begin, column, static_cast<std::uint32_t>(runs_.size()),
                         static_cast<std::uint32_t>(column - begin), on_border});
      }
      while (column < mask_.width && (mask_.at(row, column) > 0) != object) ++column;
    }
  }

  void join(std::size_t above, std::size_t begin, int reach) {
    std::size_t upper = above;
    for (std::size_t lower = begin; lower < runs_.size(); ++lower) {
      while (upper < begin && runs_[upper].end + reach <= runs_[lower].begin) ++upper;
      for (std::size_t i = upper; i < begin && runs_[i].begin < runs_[lower].end + reach; ++i) unite(i, lower);
    }
  }

  std::size_t root_of(std::size_t i) {
    while (runs_[i].parent != i) i = runs_[i].parent = runs_[runs_[i].parent].parent;
    return i;
  }

  void unite(std::size_t a, std::size_t b) {
    a = root_of(a);
    b = root_of(b);
    if (a == b) return;
    if (runs_[a].pixels < runs_[b].pixels) std::swap(a, b);
    runs_[b].parent = static_cast<std::uint32_t>(a);
    runs_[a].pixels += runs_[b].pixels;
    runs_[a].on_border |= runs_[b].on_border;
  }

  const Mask& mask_;
  std::vector<Run> runs_;
};

}  // namespace

void remove_specks(Mask& mask, double share) {
  std::size_t least = 2;
  {
    Runs pieces(mask, true, 1);
    least = std::max(least, static_cast<std::size_t>(share * static_cast<double>(pieces.largest())));
    pieces.fill_small(mask, least, 0, true);
  }
  Runs(mask, false, 0).fill_small(mask, least, 255, false);
}

}  // namespace p2mpp
