#include "backends/libtorch.h"

#include <limits>
#include <string_view>

#include "backends/companion_library.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

struct Loaded {
  const TorchscriptLibrary* library = nullptr;
  std::string problem;
};

constexpr std::string_view kVersion = P2MPP_LIBTORCH_VERSION;  // empty if p2mpp was built without LibTorch

Loaded load() {
  if (kVersion.empty()) {
    return {nullptr,
            "this p2mpp was built without LibTorch, which the torchscript backend needs; "
            "scripts/setup.sh --all installs LibTorch and builds the backend"};
  }
  const CompanionLibrary library = open_companion_library(P2MPP_TORCHSCRIPT_LIBRARY, kTorchscriptLibrarySymbol);
  if (library.symbol == nullptr) return {nullptr, "LibTorch cannot be loaded (" + library.problem + ")"};
  return {reinterpret_cast<GetTorchscriptLibrary>(library.symbol)(), {}};
}

const Loaded& loaded() {
  static const Loaded result = load();
  return result;
}

}  // namespace

std::string libtorch_version_text() { return kVersion.empty() ? "none" : std::string(kVersion); }

std::string torchscript_problem(Device device) {
  if (loaded().library == nullptr || device.kind == DeviceKind::kCpu) return loaded().problem;
  return loaded().library->cuda_problem(device.index);
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
