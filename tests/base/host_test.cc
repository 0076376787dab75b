#include "base/machine/host.h"

#include <gtest/gtest.h>

#include <sstream>

namespace p2mpp {
namespace {

std::string name_in(const std::string& cpuinfo) {
  std::istringstream stream(cpuinfo);
  return cpu_name_in(stream);
}

TEST(CpuName, IsThatOfTheProcessorOrUnknown) {
  EXPECT_EQ(name_in("processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9575F\nflags\t\t: fpu\n"),
            "AMD EPYC 9575F");
  EXPECT_EQ(name_in(""), "unknown processor");
  EXPECT_EQ(name_in("processor\t: 0\nCPU part\t: 0xd40\n"), "unknown processor");
}

TEST(CpuName, ComesFromNumbersOnArm) {
  const std::string arm = "processor\t: 0\nBogoMIPS\t: 2100.00\nCPU implementer\t: ";
  EXPECT_EQ(name_in(arm + "0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\n"), "Arm Neoverse V1");
  EXPECT_EQ(name_in(arm + "0x41\nCPU part\t: 0xfff\n"), "Arm processor (implementer 0x41, part 0xfff)");
  EXPECT_EQ(name_in(arm + "0xc0\nCPU part\t: 0xd40\n"), "Arm processor (implementer 0xc0, part 0xd40)");
  EXPECT_EQ(name_in(arm + "0xc0\n"), "Arm processor (implementer 0xc0, part unknown)");
}

}  // namespace
}  // namespace p2mpp
