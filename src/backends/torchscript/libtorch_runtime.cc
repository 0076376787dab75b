#include "backends/torchscript/libtorch_runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/ones.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/profiling_graph_executor_impl.h>
#include <torch/version.h>

#include <filesystem>
#include <map>
#include <mutex>

#include "base/machine/cuda_requirements.h"
#include "p2mpp/error.h"

namespace p2mpp::torchscript {
namespace {

// The path beside LibTorch's CPU library, which contains this function. dlopen() with the bare name fails under
// sanitizers.
std::string cuda_library_path() {
  constexpr const char* kName = "libtorch_cuda.so";
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&at::set_num_threads), &info) == 0 || info.dli_fname == nullptr)
    return kName;
  return std::filesystem::path(info.dli_fname).replace_filename(kName).string();
}

std::string try_to_load_cuda() {
  if (!cuda_driver().problem.empty()) return cuda_driver().problem;
  // Never closed, because the libraries register operators and start threads.
  if (dlopen(cuda_library_path().c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): thread-local in glibc
    return std::string("LibTorch's CUDA libraries cannot be loaded (") + (reason ? reason : "unknown reason") + ")";
  }
  const auto& hooks = at::detail::getCUDAHooks();
  if (!hooks.hasCUDART()) return "LibTorch was built without CUDA";
  const auto toolkit_version = static_cast<int>(hooks.versionCUDART());
  std::string problem = old_driver_problem(cuda_driver().version, toolkit_version, "LibTorch");
  if (problem.empty() && !at::hasCUDA()) problem = "LibTorch's CUDA libraries find no device";
  return problem;
}

const std::string& load_cuda() {
  static const std::string problem = try_to_load_cuda();
  return problem;
}

// LibTorch's kernels are compiled only for some GPUs. It does not report which, so one kernel is run as a test.
std::string try_to_compute(int device_index) {
  const c10::Device device(c10::kCUDA, static_cast<c10::DeviceIndex>(device_index));
  try {
    return at::ones({2}, at::device(device)).sum().item<float>() == 2 ? "" : "LibTorch: CUDA computes wrong results";
  } catch (const c10::Error& error) {
    return "LibTorch: " + short_message(error);
  }
}

// TorchScript's profiling executor recompiles the first passes for every new shape. That would slow down the first
// samples, and a fused kernel would round differently from the operators that define the reference.
void run_modules_as_written() {
  torch::jit::getProfilingMode() = false;
  torch::jit::getExecutorMode() = false;
  torch::jit::setTensorExprFuserEnabled(false);
}

}  // namespace

void set_up_libtorch(const BackendOptions& options) {
  run_modules_as_written();
  at::set_num_threads(options.threads);
  if (options.device.kind == DeviceKind::kCpu) return;
  at::globalContext().setBenchmarkCuDNN(true);
  const bool tf32 = options.precision == Precision::kTf32;
  at::globalContext().setAllowTF32CuBLAS(tf32);
  at::globalContext().setAllowTF32CuDNN(tf32);
}

c10::Device prepare_libtorch(const BackendOptions& options) {
  set_up_libtorch(options);
  if (options.device.kind == DeviceKind::kCpu) return c10::Device(c10::kCPU);
  if (!load_cuda().empty()) throw Error(load_cuda());
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(options.device.index)};
}

std::string cuda_problem(int device_index) {
  if (!load_cuda().empty()) return load_cuda();
  static std::mutex mutex;
  static std::map<int, std::string> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device_index);
  return found != known.end() ? found->second : known[device_index] = try_to_compute(device_index);
}

std::string short_message(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string whole = torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
  // TorchScript's own message is the last line of its traceback.
  const std::string_view marker = "RuntimeError: ";
  const auto at = whole.rfind(marker);
  std::string message = at == std::string::npos ? whole : whole.substr(at + marker.size());
  message.erase(0, message.find_first_not_of(" \n"));  // a parser's begins with an empty line
  return message.substr(0, message.find('\n'));
}

std::string version_text() { return TORCH_VERSION; }

}  // namespace p2mpp::torchscript
