#include "backend/parameters.h"

#include <memory>

#include "backend/torchscript_module.h"
#include "p2mpp/error.h"

namespace p2mpp {

StageParameters::StageParameters(const Model& model, int stage)
    : path_(model.info.folder / (stage == 1 ? "stage1.pt" : "stage2.pt")) {
  const std::string& archive = stage == 1 ? model.stage1_archive : model.stage2_archive;
  const torch::jit::Module module =
      open_module(path_, archive, stage, model.info.semantics, c10::Device(c10::kCPU));
  auto tensors = std::make_shared<std::vector<at::Tensor>>();
  for (const auto& parameter : module.named_parameters()) {
    const at::Tensor& tensor = tensors->emplace_back(parameter.value.detach().to(at::kFloat).contiguous());
    parameters_[parameter.name] = {tensor.sizes().vec(),
                                   {tensor.const_data_ptr<float>(), static_cast<std::size_t>(tensor.numel())}};
  }
  owner_ = std::move(tensors);
}

const Parameter& StageParameters::get(const std::string& name, std::size_t dimensions) const {
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) fail("there is no parameter " + name);
  if (found->second.shape.size() != dimensions) {
    fail("the parameter " + name + " has " + std::to_string(found->second.shape.size()) + " dimensions; expected " +
         std::to_string(dimensions));
  }
  return found->second;
}

void StageParameters::fail(const std::string& what) const { throw InputError(path_.string() + ": " + what); }

}  // namespace p2mpp
