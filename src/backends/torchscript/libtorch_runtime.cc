#include "backends/torchscript/libtorch_runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/profiling_graph_executor_impl.h>
#include <torch/version.h>

#include <filesystem>

#include "p2mpp/error.h"

namespace p2mpp::torchscript {
namespace {

// Beside the library that holds this function of LibTorch's CPU side; by its bare name it would not be found where a
// sanitizer stands between.
std::string cuda_library_path() {
  constexpr const char* kName = "libtorch_cuda.so";
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&at::set_num_threads), &info) == 0 || info.dli_fname == nullptr)
    return kName;
  return std::filesystem::path(info.dli_fname).replace_filename(kName).string();
}

std::string try_to_load_cuda() {
  // Never closed: the libraries register operators and threads.
  if (dlopen(cuda_library_path().c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): one a thread in glibc
    return std::string("LibTorch's CUDA libraries cannot be loaded (") + (reason ? reason : "unknown reason") + ")";
  }
  return at::hasCUDA() ? "" : "LibTorch's CUDA libraries see no device";
}

// TorchScript's profiling executor compiles the first passes anew for every shape that it meets:
// the first samples would be slow, and a fused kernel would round differently from the operators
// that the reference is made of.
void run_modules_as_written() {
  torch::jit::getProfilingMode() = false;
  torch::jit::getExecutorMode() = false;
  torch::jit::setTensorExprFuserEnabled(false);
}

}  // namespace

c10::Device ready_libtorch(const BackendOptions& options) {
  run_modules_as_written();
  at::set_num_threads(options.threads);
  if (options.device.kind == DeviceKind::kCpu) return c10::Device(c10::kCPU);
  if (!load_cuda().empty()) throw Error(load_cuda());
  at::globalContext().setBenchmarkCuDNN(true);
  const bool tf32 = options.precision == Precision::kTf32;
  at::globalContext().setAllowTF32CuBLAS(tf32);
  at::globalContext().setAllowTF32CuDNN(tf32);
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(options.device.index)};
}

std::string short_message(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string whole = torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
  // TorchScript's own message is the last line of its traceback.
  const std::string_view marker = "RuntimeError: ";
  const auto at = whole.rfind(marker);
  const std::string message = at == std::string::npos ? whole : whole.substr(at + marker.size());
  return message.substr(0, message.find('\n'));
}

const std::string& load_cuda() {
  static const std::string problem = try_to_load_cuda();
  return problem;
}

std::string version_text() { return TORCH_VERSION; }

}  // namespace p2mpp::torchscript
