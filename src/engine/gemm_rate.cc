#include "engine/gemm_rate.h"

#include <limits>

#include "backends/companion_library.h"

namespace p2mpp {

double measure_gemm_gflops(const Engine& engine) {
  const bool cpu = engine.device().device.kind == DeviceKind::kCpu;
  return cpu ? packed_gemm_gflops(engine.precision(), engine.threads()) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace p2mpp
