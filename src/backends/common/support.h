#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "backends/common/kernel_layout.h"

namespace p2mpp {

/// The local support T1 in compressed sparse rows.
class Support {
 public:
  Support() = default;
  explicit Support(const Eigen::SparseMatrix<float, Eigen::RowMajor>& matrix) {
    first_.push_back(0);
    for (Eigen::Index row = 0; row < matrix.outerSize(); ++row) {
      for (Eigen::SparseMatrix<float, Eigen::RowMajor>::InnerIterator entry(matrix, row); entry; ++entry) {
        column_.push_back(static_cast<std::int32_t>(entry.col()));
        weight_.push_back(entry.value());
      }
      first_.push_back(static_cast<std::int32_t>(column_.size()));
    }
  }

  [[nodiscard]] SupportRows rows() const { return {first_.data(), column_.data(), weight_.data()}; }
  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }

 private:
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> column_;
  std::vector<float> weight_;
};

}  // namespace p2mpp
