#pragma once

#include "backends/cuda/kernels.h"
#include "emulation/block.h"
#include "emulation/stream.h"

namespace p2mpp::cuda {
namespace {

/// A LaunchFunction.
template <class Kernel>
int launch(const Launch& launch, const typename Kernel::Arguments& arguments, DeviceStream stream) {
  if (launch.threads > Kernel::kThreads || launch.shared_bytes > emulation::kMaxSharedBytes) {
    return emulation::kInvalidLaunch;
  }
  if (launch.cooperative && launch.blocks_x * launch.blocks_y > emulation::kMultiprocessors) {
    return emulation::kTooLargeToRunTogether;
  }
  emulation::Stream::of(stream).add([launch, arguments] {
    emulation::run({.blocks_x = launch.blocks_x,
                    .blocks_y = launch.blocks_y,
                    .threads = launch.threads,
                    .shared_bytes = launch.shared_bytes,
                    .cooperative = launch.cooperative},
                   [&arguments] { Kernel::run(arguments); });
  });
  return 0;
}

}  // namespace
}  // namespace p2mpp::cuda
