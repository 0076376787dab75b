#include <gtest/gtest.h>

#include "base/machine/device_choice.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

constexpr std::string_view kKernels = "p2mpp's kernels";

TEST(OldDriver, EveryDriverOfTheToolkitsMajorVersionWillDo) {
  for (const int driver : {12000, 12020, 12080, 13000, 14010}) {
    EXPECT_NO_THROW(check_driver(driver, 12080, kKernels)) << driver;
  }
  EXPECT_NO_THROW(check_driver(13000, 13000, kKernels));
  EXPECT_NO_THROW(check_driver(13000, 13020, kKernels));
}

// One driver may do for our kernels and not for LibTorch.
TEST(OldDriver, AnOlderOneIsNamedWithWhoAsks) {
  EXPECT_EQ(message_of<Error>([] { check_driver(12080, 13000, "LibTorch"); }),
            "the NVIDIA driver supports CUDA 12.8; expected 13.0 or newer for LibTorch");
  EXPECT_EQ(message_of<Error>([] { check_driver(11080, 12080, kKernels); }),
            "the NVIDIA driver supports CUDA 11.8; expected 12.0 or newer for p2mpp's kernels");
}

TEST(OldGpu, SaysWhichIsTheOldestThatWorks) {
  const auto check = [](const char* name, int capability) {
    check_gpu({.name = name, .memory_bytes = 0, .compute_capability = capability}, 80, kKernels);
  };
  EXPECT_EQ(message_of<Error>([&] { check("Tesla V100-SXM2-16GB", 70); }),
            "Tesla V100-SXM2-16GB has compute capability 7.0; expected 8.0 or newer for p2mpp's kernels");
  EXPECT_EQ(message_of<Error>([&] { check("Tesla T4", 75); }),
            "Tesla T4 has compute capability 7.5; expected 8.0 or newer for p2mpp's kernels");
  for (const int capability : {80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    EXPECT_NO_THROW(check("a GPU", capability)) << capability;
  }
}

TEST(WithoutCuda, TakesTheCpuForAutoAlone) {
  const DeviceChoice choice = without_cuda("auto", "Tesla T4 is too old");
  EXPECT_EQ(choice.device, Device());
  EXPECT_EQ(choice.note, "no CUDA device: Tesla T4 is too old; computing on the CPU");
  EXPECT_EQ(message_of<Error>([] { static_cast<void>(without_cuda("cuda:1", "Tesla T4 is too old")); }),
            "device cuda:1: Tesla T4 is too old; device cpu computes on the CPU");
}

}  // namespace
}  // namespace p2mpp
