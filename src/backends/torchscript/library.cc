#include "backends/torchscript/library.h"

#include "backends/companion_interfaces.h"
#include "backends/torchscript/libtorch_runtime.h"
#include "p2mpp/export.h"

extern "C" P2MPP_EXPORT const p2mpp::TorchscriptLibrary* p2mpp_torchscript_library() {
  static constexpr p2mpp::TorchscriptLibrary kLibrary{
      .make_backend = p2mpp::torchscript::make_backend,
      .make_distance_network = p2mpp::torchscript::make_distance_network,
      .check_cuda = p2mpp::torchscript::check_cuda,
      .packed_gemm_gflops = p2mpp::torchscript::packed_gemm_gflops};
  return &kLibrary;
}
