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
#include <mutex>
#include <set>

#include "base/machine/device_choice.h"
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

void load_cuda() {
  const int driver_version = cuda_driver().version;
  // Never closed, because the libraries register operators and start threads.
  if (dlopen(cuda_library_path().c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): thread-local in glibc
    throw Error(std::string("LibTorch's CUDA libraries cannot be loaded (") + (reason ? reason : "unknown reason") +
                ")");
  }
  const auto& hooks = at::detail::getCUDAHooks();
  if (!hooks.hasCUDART()) throw Error("LibTorch was built without CUDA");
  check_driver(driver_version, static_cast<int>(hooks.versionCUDART()), "LibTorch");
  if (!at::hasCUDA()) throw Error("LibTorch's CUDA libraries find no device");
}

void load_cuda_once() {
  static const bool loaded = (load_cuda(), true);
  static_cast<void>(loaded);
}

// LibTorch's kernels are compiled only for some GPUs. It does not report which, so one kernel is run as a test.
void compute_something(int device_index) {
  const c10::Device device(c10::kCUDA, static_cast<c10::DeviceIndex>(device_index));
  try {
    if (at::ones({2}, at::device(device)).sum().item<float>() == 2) return;
  } catch (const c10::Error& error) {
    throw Error("LibTorch: " + short_message(error));
  }
  throw Error("LibTorch: CUDA computes wrong results");
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
  load_cuda_once();
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(options.device.index)};
}

void check_cuda(int device_index) {
  load_cuda_once();
  static std::mutex mutex;
  static std::set<int> passed;
  const std::lock_guard lock(mutex);
  if (passed.contains(device_index)) return;
  compute_something(device_index);
  passed.insert(device_index);
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

std::vector<float> to_floats(const at::Tensor& tensor) {
  const at::Tensor host = tensor.to(at::kCPU, at::kFloat).contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

std::string version_text() { return TORCH_VERSION; }

}  // namespace p2mpp::torchscript
