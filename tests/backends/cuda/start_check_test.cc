// The start of an engine on a GPU: the check, its remembered result, and the device's speed.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "backends/cuda/library/build_identity.h"
#include "backends/cuda/self_check/device_check.h"
#include "backends/cuda/self_check/measured_rates.h"
#include "emulation/fault.h"
#include "emulation/runtime.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

constexpr DeviceCheckSizes kSizes{
    .views = 2, .hypotheses = 43, .hidden = 16, .reasoning_hidden = 32, .reasoning_layers = 3};

/// A device that counts what it launched.
class CountingRuntime : public emulation::Runtime {
 public:
  void check_launch(int status, const char* kernel) const override {
    Runtime::check_launch(status, kernel);
    ++launches;
  }
  [[nodiscard]] std::string identity() const override { return name; }

  mutable int launches = 0;
  std::string name = "device A\ndriver 1";
};

class StartCheck : public ::testing::Test {
 protected:
  ~StartCheck() override { emulation::set_fault(emulation::Fault::kNone); }

  /// Kernels that a check launched.
  int check(Precision precision = Precision::kBf16, const std::string& build = "build 1",
            const DeviceCheckSizes& sizes = kSizes) {
    runtime_.launches = 0;
    check_before_use(runtime_, build, precision, sizes, PassedChecks(folder_.path() / "cache"));
    return runtime_.launches;
  }

  CountingRuntime runtime_;
  TemporaryFolder folder_;
};

TEST_F(StartCheck, IsDoneOnceForDeviceDriverBuildPrecisionAndSizes) {
  EXPECT_GT(check(), 10);
  EXPECT_EQ(check(), 0);
  EXPECT_GT(check(Precision::kTf32), 0);
  EXPECT_GT(check(Precision::kBf16, "build 2"), 0);
  std::array<DeviceCheckSizes, 3> others = {kSizes, kSizes, kSizes};
  others[0].reasoning_hidden = 40;
  others[1].reasoning_rules = {.sampling = Sampling::kFloorCeil};
  others[2].reasoning_rules = {.normalised_origin = true};
  for (const DeviceCheckSizes& sizes : others) EXPECT_GT(check(Precision::kBf16, "build 1", sizes), 0);
  runtime_.name = "device A\ndriver 2";
  EXPECT_GT(check(), 0);
  runtime_.name = "device B\ndriver 1";
  EXPECT_GT(check(), 0);
  runtime_.name = "device A\ndriver 1";
  EXPECT_EQ(check(), 0);
}

TEST_F(StartCheck, IsDoneAgainWhereNothingCanBeRemembered) {
  folder_.write("cache", "a file where the folder should be");
  EXPECT_GT(check(), 0);
  EXPECT_GT(check(), 0);
}

TEST_F(StartCheck, IsDoneAgainWhereTheBuildIsNotKnown) {
  EXPECT_GT(check(Precision::kBf16, ""), 0);
  EXPECT_GT(check(Precision::kBf16, ""), 0);
}

TEST_F(StartCheck, SaysInOneLineWhatDiffersAndRemembersNoFailure) {
  emulation::set_fault(emulation::Fault::kRowLanesSwapped);
  for (int i = 0; i < 2; ++i) {
    const std::string failure = message_of<SelfCheckFailed>([this] { check(); });
    EXPECT_TRUE(failure.starts_with("the self-check of the GPU's kernels failed: convolution, bf16x3")) << failure;
    EXPECT_NE(failure.find("of the largest value (at most 0.0001 is expected)"), std::string::npos) << failure;
  }
  emulation::set_fault(emulation::Fault::kNone);
  EXPECT_GT(check(), 0);
}

TEST_F(StartCheck, OnlyWarnsIfItIsToldTo) {
  emulation::set_fault(emulation::Fault::kRowLanesSwapped);
  setenv("P2MPP_SELF_CHECK", "warn", 1);
  testing::internal::CaptureStderr();
  EXPECT_NO_THROW(check());
  const std::string warning = testing::internal::GetCapturedStderr();
  unsetenv("P2MPP_SELF_CHECK");
  EXPECT_TRUE(warning.starts_with("p2mpp: warning: the self-check of the GPU's kernels failed: convolution"))
      << warning;
  EXPECT_THROW(check(), SelfCheckFailed) << "a failure was remembered as passed";
}

TEST(BuildIdentity, IsTheLinkers) {
  const std::string identity = build_identity();
  EXPECT_EQ(identity.size(), 40U) << "SHA-1";
  EXPECT_EQ(identity.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(MeasuredRates, AreOfWhatTheDeviceDid) {
  emulation::Runtime runtime;
  const DeviceRates rates = measure_rates(
      runtime, Precision::kBf16, {.copied_bytes = 4096, .rows = 64, .channels = 32, .repeats = 2, .checked = kSizes});
  EXPECT_GT(rates.copied_gb_per_s, 0);
  EXPECT_GT(rates.product_gflop_per_s, 0);
  EXPECT_LT(rates.product_gflop_per_s, 1000);
  EXPECT_GT(rates.start_check_ms, 0);
}

}  // namespace
}  // namespace p2mpp
