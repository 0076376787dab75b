#include "backends/torchscript/torchscript_module.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/sparse_coo_tensor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <string_view>

#include "backends/torchscript/libtorch_runtime.h"
#include "model/network_weights.h"
#include "p2mpp/error.h"

namespace p2mpp::torchscript {
namespace {

// An input stream over borrowed bytes. It avoids copying an archive of a hundred megabytes.
class BytesBuffer : public std::streambuf {
 public:
  explicit BytesBuffer(std::string_view bytes) {
    char* begin = const_cast<char*>(bytes.data());  // std::streambuf requires a mutable pointer; nothing is written
    setg(begin, begin, begin + bytes.size());
  }

 protected:
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
    const off_type base = from == std::ios_base::beg   ? 0
                          : from == std::ios_base::cur ? gptr() - eback()
                                                       : egptr() - eback();
    const off_type target = base + offset;
    if (target < 0 || target > egptr() - eback()) return pos_type(off_type(-1));
    setg(eback(), eback() + target, egptr());
    return pos_type(target);
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override {
    return seekoff(off_type(position), std::ios_base::beg, which);
  }
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw InputError(path.string() + ": " + what);
}

torch::jit::Module load(const std::filesystem::path& path, const std::string& archive, c10::Device device) {
  BytesBuffer buffer(archive);
  std::istream stream(&buffer);
  try {
    return torch::jit::load(stream, device);
  } catch (const c10::Error& error) {
    fail(path, "not a TorchScript archive that LibTorch " + version_text() + " reads (" + short_message(error) + ")");
  }
}

void check_identity(const std::filesystem::path& path, const torch::jit::Module& module, int stage,
                    Semantics semantics) {
  if (!module.hasattr("stage") || !module.hasattr("semantics")) {
    fail(path, "not a module of this network; expected stage " + std::to_string(stage) + " written by p2mpp-export");
  }
  const auto found_stage = module.attr("stage").toInt();
  if (found_stage != stage) {
    fail(path, "holds stage " + std::to_string(found_stage) + "; expected stage " + std::to_string(stage));
  }
  const std::string found = module.attr("semantics").toStringRef();
  if (found != to_string(semantics)) {
    fail(path, "was exported for the semantics " + found + "; expected " + std::string(to_string(semantics)) +
                   " (model.json)");
  }
}

void check_image_channels(const std::filesystem::path& path, const torch::jit::Module& module, std::int64_t expected) {
  for (const auto& parameter : module.named_parameters()) {
    if (parameter.name != "cnn.0.weight" || parameter.value.dim() != 4) continue;
    const std::int64_t found = parameter.value.size(1);
    if (found != expected) fail(path, describe_other_image_channels(found, expected));
  }
}

// Modules of stage 1 and of older exporters do not say it.
void check_evidence(const std::filesystem::path& path, const torch::jit::Module& module, int stage, bool expected) {
  if (stage != 2) return;
  const bool found = module.hasattr("mask_evidence") && module.attr("mask_evidence").toBool();
  if (found == expected) return;
  fail(path,
       std::string(found ? "reads" : "does not read") + " the masks' evidence; expected the contrary (model.json)");
}

void check_finite(const std::filesystem::path& path, const torch::jit::Module& module) {
  for (const auto& parameter : module.named_parameters()) {
    if (!at::isfinite(parameter.value).all().item<bool>()) {
      fail(path, "the weights of " + parameter.name + " are not finite");
    }
  }
}

}  // namespace

torch::jit::Module open_module(const std::filesystem::path& path, const std::string& archive, int stage,
                               const ModelInfo& info, c10::Device device) {
  torch::jit::Module module = load(path, archive, device);
  check_identity(path, module, stage, info.semantics);
  check_image_channels(path, module, info.sizes.image_channels);
  check_evidence(path, module, stage, info.sizes.stage2_mask_evidence);
  check_finite(path, module);
  module.to(at::kFloat);  // weights may be stored in half precision; computation is in fp32
  module.eval();
  return module;
}

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
