#include "p2mpp/device.h"

#include <gtest/gtest.h>

#include "base/machine/device_choice.h"
#include "base/machine/host.h"
#include "p2mpp/error.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

TEST(ChooseDevice, CpuIsAlwaysThere) {
  const DeviceChoice choice = choose_device("cpu");
  EXPECT_EQ(choice.device, (Device{DeviceKind::kCpu, 0}));
  EXPECT_TRUE(choice.note.empty());
  EXPECT_EQ(to_string(Device{}), "cpu");
  EXPECT_EQ(to_string(Device{DeviceKind::kCuda, 3}), "cuda:3");
}

TEST(ChooseDevice, AutoTakesCudaOrSaysWhyNot) {
  const DeviceChoice choice = choose_device("auto");
  try {
    static_cast<void>(cuda_driver());
    EXPECT_EQ(choice.device, (Device{DeviceKind::kCuda, 0}));
    EXPECT_TRUE(choice.note.empty());
  } catch (const Error& error) {
    EXPECT_EQ(choice.device.kind, DeviceKind::kCpu);
    EXPECT_HOLDS(choice.note, error.what());
  }
}

TEST(ChooseDevice, KnowsNoOtherDevices) {
  EXPECT_THROW(static_cast<void>(choose_device("cuda:4096")), Error);
  for (const char* text : {"", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cuda:99999999999", "CPU"}) {
    EXPECT_THROW(static_cast<void>(choose_device(text)), UsageError) << text;
  }
}

TEST(Host, HasCoresAndMemory) {
  EXPECT_GE(physical_core_count(), 1);
  EXPECT_GT(peak_resident_bytes(), 100U << 10);
  EXPECT_FALSE(cpu_name().empty());
  const MemoryState memory = host_memory();
  EXPECT_GT(memory.available, 1U << 20);
  EXPECT_GT(memory.total, memory.available);
}

}  // namespace
}  // namespace p2mpp
