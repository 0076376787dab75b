// How LibTorch is set up for CUDA, where `--device cuda` runs its kernels: the settings are the process's, so they can
// be inspected without a GPU.
#include "backends/torchscript/libtorch_runtime.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "backends/torchscript/torchscript_module.h"
#include "base/machine/device_choice.h"
#include "model/model.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp::torchscript {
namespace {

constexpr Device kGpu{DeviceKind::kCuda, 0};

void set_all(bool value) {
  at::globalContext().setBenchmarkCuDNN(value);
  at::globalContext().setAllowTF32CuBLAS(value);
  at::globalContext().setAllowTF32CuDNN(value);
}

// As a backend does when it is made. Without a GPU it says so, after the settings.
void ready_for_cuda(Precision precision) {
  try {
    static_cast<void>(prepare_libtorch({.device = kGpu, .precision = precision}));
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), message_of<Error>([] { check_cuda(0); }));
  }
}

TEST(LibtorchSettings, OfCudaAreAutotuningAndTf32WhereThatIsThePrecision) {
  for (const auto& [precision, is_tf32] : {std::pair(Precision::kTf32, true), std::pair(Precision::kFp32, false)}) {
    set_all(!is_tf32);
    ready_for_cuda(precision);
    EXPECT_TRUE(at::globalContext().benchmarkCuDNN());
    EXPECT_EQ(at::globalContext().allowTF32CuBLAS(), is_tf32);
    EXPECT_EQ(at::globalContext().allowTF32CuDNN(), is_tf32);
  }
}

TEST(LibtorchSettings, WithoutAGpuThereIsOneLineWhy) {
  if (choose_device("auto").note.empty()) GTEST_SKIP() << "there is one";
  EXPECT_EQ(message_of<Error>([] { check_cuda(0); }), message_of<Error>([] { static_cast<void>(cuda_driver()); }));
}

// The device "meta" has shapes and no numbers: whatever is on it was put there.
TEST(ResidentTensors, AreAllOnTheDevice) {
  const Model model = load_model(std::filesystem::path(P2MPP_TEST_MODELS) / "tiny-clean");
  const c10::Device device(c10::kMeta);
  const ResidentTensors resident(model, device);
  const auto levels = model.mesh_template.levels.size();
  ASSERT_EQ(resident.supports.size(), levels);
  ASSERT_EQ(resident.unpool_edges.size(), levels - 1);
  std::vector<at::Tensor> all = {resident.template_vertices, resident.hypotheses, resident.local_support};
  all.insert(all.end(), resident.supports.begin(), resident.supports.end());
  all.insert(all.end(), resident.unpool_edges.begin(), resident.unpool_edges.end());
  for (const at::Tensor& tensor : all) EXPECT_EQ(tensor.device(), device) << tensor.sizes();
  EXPECT_EQ(resident.template_vertices.size(0), model.info.sizes.vertices.front());
  EXPECT_EQ(resident.local_support.size(0), model.info.sizes.hypotheses);
  EXPECT_EQ(resident.supports.back().size(0), model.info.sizes.vertices.back());
}

}  // namespace
}  // namespace p2mpp::torchscript
