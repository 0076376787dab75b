#include "backends/libtorch.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "backends/companion_library.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

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

}  // namespace

std::string libtorch_version_text() { return kVersion.empty() ? "none" : std::string(kVersion); }

void check_libtorch(Device device) {
  const TorchscriptLibrary& loaded = torchscript_library();
  if (device.kind == DeviceKind::kCuda) loaded.check_cuda(device.index);
}

std::unique_ptr<Backend> make_torchscript_backend(const Model& model, const BackendOptions& options) {
  return torchscript_library().make_backend(model, options);
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

}  // namespace p2mpp
