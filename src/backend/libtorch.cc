#include "backend/libtorch.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <limits>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

struct Loaded {
  const TorchscriptLibrary* library = nullptr;
  std::string problem;
};

Loaded load() {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::array places = {program.parent_path() / P2MPP_TORCHSCRIPT_LIBRARY,
                             std::filesystem::path(P2MPP_BUILD_FOLDER) / P2MPP_TORCHSCRIPT_LIBRARY};
  std::string problem;
  for (const std::filesystem::path& place : places) {
    // Never closed: LibTorch registers operators and threads. Local: its own copy of fmt must not meet ours.
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): one a thread in glibc
      if (problem.empty() || std::filesystem::exists(place, ignored))
        problem = reason != nullptr ? reason : "unknown reason";
      continue;
    }
    const auto get = reinterpret_cast<GetTorchscriptLibrary>(dlsym(handle, kTorchscriptLibrarySymbol));
    if (get != nullptr) return {get(), {}};
    problem = place.string() + ": not p2mpp's";
  }
  return {nullptr, "LibTorch cannot be loaded (" + problem + ")"};
}

const Loaded& loaded() {
  static const Loaded result = load();
  return result;
}

}  // namespace

std::string libtorch_version_text() { return P2MPP_LIBTORCH_VERSION; }

const std::string& load_libtorch_cuda() {
  return loaded().library != nullptr ? loaded().library->load_cuda() : loaded().problem;
}

std::unique_ptr<Backend> make_torchscript_backend(const Model& model, const BackendOptions& options) {
  if (loaded().library == nullptr) throw Error(loaded().problem);
  return loaded().library->make_backend(model, options);
}

bool torchscript_computes(Device device, Precision precision) {
  return precision == Precision::kFp32 || (precision == Precision::kTf32 && device.kind == DeviceKind::kCuda);
}

double packed_gemm_gflops(Precision precision, int threads) {
  if (loaded().library == nullptr) return std::numeric_limits<double>::quiet_NaN();
  return loaded().library->packed_gemm_gflops(precision, threads);
}

}  // namespace p2mpp
