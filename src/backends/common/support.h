#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "backends/common/kernel_layout.h"

namespace p2mpp {

/// The local support T1 in compressed sparse rows.
class Support {
 public:
  Support() = default;
  explicit Support(const Eigen::SparseMatrix<float, Eigen::RowMajor>& matrix);

  [[nodiscard]] SupportRows rows() const { return {first_.data(), column_.data(), weight_.data()}; }
  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }

 private:
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> column_;
  std::vector<float> weight_;
};

}  // namespace p2mpp
