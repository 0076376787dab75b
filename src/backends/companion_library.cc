#include "backends/companion_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>

#include "base/program_files.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// Whether one of our shared libraries is in one of library_search_folders().
bool has_companion_library(std::string_view file_name) {
  return std::ranges::any_of(library_search_folders(), [&](const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::exists(folder / file_name, ignored);
  });
}

/// Opens the library and returns a symbol of it. Never closes it, because the libraries it links register operators and
/// keep threads running. Its symbols stay local: LibTorch's copy of fmt must not clash with ours. Throws Error (one
/// clause) if the library cannot be used.
void* open_companion_library(std::string_view file_name, const char* symbol) {
  std::error_code ignored;
  std::string reason;
  for (const std::filesystem::path& folder : library_search_folders()) {
    const std::filesystem::path place = folder / file_name;
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* message = dlerror();  // thread-local in glibc
      const bool is_there = std::filesystem::exists(place, ignored);
      if (reason.empty() || is_there) reason = message != nullptr ? message : "unknown reason";
      continue;
    }
    if (void* address = dlsym(handle, symbol); address != nullptr) return address;
    reason = place.string() + ": not a library of p2mpp";
  }
  throw Error(reason);
}

constexpr std::string_view kVersion = P2MPP_LIBTORCH_VERSION;  // empty if p2mpp was built without LibTorch

const TorchscriptLibrary* load_torchscript_library() {
  if (kVersion.empty()) {
    throw Error(
        "this p2mpp was built without LibTorch, which the torchscript backend needs; "
        "scripts/setup.sh --all installs LibTorch and builds the backend");
  }
  try {
    void* const symbol = open_companion_library(P2MPP_TORCHSCRIPT_LIBRARY, kTorchscriptLibrarySymbol);
    return reinterpret_cast<GetTorchscriptLibrary>(symbol)();
  } catch (const Error& error) {
    throw Error(fmt::format("LibTorch cannot be loaded ({})", error.what()));
  }
}

/// Throws Error if it cannot be loaded.
const TorchscriptLibrary& torchscript_library() {
  static const TorchscriptLibrary* const loaded = load_torchscript_library();
  return *loaded;
}

const CudaLibrary* load_cuda_library() {
  if (!has_companion_library(P2MPP_CUDA_LIBRARY)) {
    throw Error(
        "this p2mpp was built without CUDA kernels; building them needs a CUDA toolkit, and a "
        "GPU or -DP2MPP_CUDA_ARCHITECTURES=all");
  }
  try {
    return reinterpret_cast<GetCudaLibrary>(open_companion_library(P2MPP_CUDA_LIBRARY, kCudaLibrarySymbol))();
  } catch (const Error& error) {
    throw Error(fmt::format("p2mpp's CUDA kernels cannot be loaded ({})", error.what()));
  }
}

/// Throws Error if it cannot be loaded.
const CudaLibrary& cuda_library() {
  static const CudaLibrary* const loaded = load_cuda_library();
  return *loaded;
}

}  // namespace

std::string libtorch_version_text() { return kVersion.empty() ? "none" : std::string(kVersion); }

void check_libtorch(Device device) {
  const TorchscriptLibrary& loaded = torchscript_library();
  if (device.kind == DeviceKind::kCuda) loaded.check_cuda(device.index);
}

std::unique_ptr<Backend> make_torchscript_backend(const Model& model, const BackendOptions& options) {
  return torchscript_library().make_backend(model, options);
}

std::unique_ptr<DistanceNetwork> make_torchscript_distance_network(const Model& model, const BackendOptions& options) {
  return torchscript_library().make_distance_network(model, options);
}

bool torchscript_computes(Device device, Precision precision) {
  return precision == Precision::kFp32 || (precision == Precision::kTf32 && device.kind == DeviceKind::kCuda);
}

double packed_gemm_gflops(Precision precision, int threads) {
  try {
    return torchscript_library().packed_gemm_gflops(precision, threads);
  } catch (const Error&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

void check_cuda_device(int device_index) { cuda_library().check_device(device_index); }

std::unique_ptr<Backend> make_cuda_backend(const Model& model, const BackendOptions& options) {
  return cuda_library().make_backend(model, options);
}

Neighbours cuda_nearest_neighbours(int device_index, std::span<const Eigen::Vector3f> queries,
                                   std::span<const Eigen::Vector3f> targets) {
  return cuda_library().nearest_neighbours(device_index, queries, targets);
}

std::vector<Finding> check_cuda_kernels(int device_index, Precision precision) {
  return cuda_library().check_kernels(device_index, precision);
}

DeviceRates measure_cuda_rates(int device_index, Precision precision) {
  return cuda_library().measure_rates(device_index, precision);
}

}  // namespace p2mpp
