#include "backends/torchscript/resident_tensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/sparse_coo_tensor.h>

#include <algorithm>

namespace p2mpp::torchscript {
namespace {

at::Tensor points_tensor(const Points& points) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(points.size()), 3}, at::kFloat);
  std::copy_n(points.front().data(), tensor.numel(), tensor.data_ptr<float>());
  return tensor;
}

at::Tensor edges_tensor(const std::vector<Edge>& edges) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(edges.size()), 2}, at::kLong);
  auto* out = tensor.data_ptr<std::int64_t>();
  for (const Edge& edge : edges) {
    *out++ = edge[0];
    *out++ = edge[1];
  }
  return tensor;
}

at::Tensor support_tensor(const Eigen::SparseMatrix<float, Eigen::RowMajor>& support) {
  const auto count = static_cast<std::int64_t>(support.nonZeros());
  at::Tensor indices = at::empty({2, count}, at::kLong);
  at::Tensor values = at::empty({count}, at::kFloat);
  auto* row = indices.data_ptr<std::int64_t>();
  auto* column = row + count;
  auto* value = values.data_ptr<float>();
  for (Eigen::Index i = 0; i < support.outerSize(); ++i) {
    for (Eigen::SparseMatrix<float, Eigen::RowMajor>::InnerIterator entry(support, i); entry; ++entry) {
      *row++ = entry.row();
      *column++ = entry.col();
      *value++ = entry.value();
    }
  }
  return at::sparse_coo_tensor(indices, values, {support.rows(), support.cols()}, values.options().layout(at::kSparse))
      .coalesce();
}

at::Tensor matrix_tensor(const auto& matrix) {
  at::Tensor tensor = at::empty({matrix.rows(), matrix.cols()}, at::kFloat);
  std::copy_n(matrix.data(), tensor.numel(), tensor.template data_ptr<float>());
  return tensor;
}

}  // namespace

ResidentTensors::ResidentTensors(const Model& model, c10::Device device)
    : template_vertices(points_tensor(model.mesh_template.vertices).to(device)),
      hypotheses(points_tensor(model.hypotheses).to(device)),
      local_support(matrix_tensor(model.local_support).to(device)) {
  for (const TemplateLevel& level : model.mesh_template.levels) {
    supports.push_back(support_tensor(level.support).to(device));
    if (!level.unpool_edges.empty()) unpool_edges.push_back(edges_tensor(level.unpool_edges).to(device));
  }
}

}  // namespace p2mpp::torchscript
