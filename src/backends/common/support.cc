#include "backends/common/support.h"

namespace p2mpp {

Support::Support(const Eigen::SparseMatrix<float, Eigen::RowMajor>& matrix) {
  first_.push_back(0);
  for (Eigen::Index row = 0; row < matrix.outerSize(); ++row) {
    for (Eigen::SparseMatrix<float, Eigen::RowMajor>::InnerIterator entry(matrix, row); entry; ++entry) {
      column_.push_back(static_cast<std::int32_t>(entry.col()));
      weight_.push_back(entry.value());
    }
    first_.push_back(static_cast<std::int32_t>(column_.size()));
  }
}

}  // namespace p2mpp
