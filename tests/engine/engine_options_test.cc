#include "engine/engine_options.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/machine/instruction_set.h"
#include "engine/small_options.h"
#include "p2mpp/engine.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

TEST(EngineOptions, NameTheOptionThatIsWrong) {
  const auto refusal_of = [](const auto& change) {
    EngineOptions options = small_options();
    change(options);
    return refusal_by<UsageError>([&] { options.check(); });
  };
  EXPECT_EQ(refusal_of([](EngineOptions&) {}), "");
  EXPECT_EQ(refusal_of([](EngineOptions& options) { options.batch = -1; }),
            "batch -1: out of range; expected 0 to 1024 (0: measured)");
  for (const double share : {0.0, -0.5, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_HOLDS(refusal_of([share](EngineOptions& options) { options.memory_share = share; }), "memory_share");
  }
  EXPECT_EQ(refusal_of([](EngineOptions& options) { options.batch = kAutoBatch; }), "");
  EXPECT_HOLDS(refusal_of([](EngineOptions& options) { options.backend = "onnx"; }), "torchscript");
  EXPECT_HOLDS(refusal_of([](EngineOptions& options) { options.precision = "fp4"; }), "fp32");
  EXPECT_HOLDS(refusal_of([](EngineOptions& options) { options.threads = -1; }), "threads -1");
  EXPECT_HOLDS(refusal_of([](EngineOptions& options) { options.warmup = -2; }), "warmup -2");
}

TEST(EngineOptions, CudaIsWarmedUpFifteenTimes) {
  const Device gpu{DeviceKind::kCuda, 0};
  for (const std::string_view backend : backend_names()) {
    EngineOptions options = small_options(backend);
    EXPECT_EQ(warmup_passes(options, gpu), 15);
    EXPECT_EQ(warmup_passes(options, {}), 0);
    options.warmup = 3;
    EXPECT_EQ(warmup_passes(options, gpu), 3);
    EXPECT_EQ(warmup_passes(options, {}), 3);
  }
}

TEST(EngineOptions, AutoIsWhatTheDeviceDoesBest) {
  const Device cpu;
  const Device cuda{DeviceKind::kCuda, 0};
  EXPECT_EQ(choose_precision("auto", cpu), Precision::kFp32);
  EXPECT_EQ(choose_precision("auto", cuda), Precision::kTf32);
  EXPECT_EQ(choose_precision("bf16", cpu), Precision::kBf16);
  EXPECT_EQ(choose_precision("bf16x3", cpu), Precision::kBf16x3);
  EXPECT_EQ(choose_precision("bf16", cuda), Precision::kBf16);
  EXPECT_EQ(choose_precision("fp16", cuda), Precision::kFp16);
  EXPECT_EQ(choose_precision("fp8", cuda), Precision::kFp8);
  EXPECT_EQ(choose_backends("auto", cuda, Precision::kTf32), (std::vector<std::string_view>{"fused", "torchscript"}));
  EXPECT_EQ(choose_backends("auto", cuda, Precision::kFp16), std::vector<std::string_view>{"fused"});
  EXPECT_EQ(choose_backends("auto", cuda, Precision::kFp8), std::vector<std::string_view>{"fused"});
  EXPECT_EQ(choose_backend("torchscript", cpu, Precision::kFp32), "torchscript");
  EXPECT_THROW(static_cast<void>(choose_precision("fp4", cpu)), UsageError);
  EXPECT_THROW(static_cast<void>(choose_backend("onnx", cpu, Precision::kFp32)), UsageError);
}

// Which set is fast depends on the machine: tests/base/instruction_set_test.cc.
TEST(EngineOptions, AutoOnACpuIsBf16WhereThatIsFaster) {
  const Device cpu;
  EngineOptions options = small_options();
  const bool is_faster = bf16_speed(choose_instruction_set("auto", Products::kBf16)).is_faster;
  EXPECT_EQ(choose_precision(options, cpu), is_faster ? Precision::kBf16 : Precision::kFp32);
  EXPECT_EQ(choose_precision(options, {DeviceKind::kCuda, 0}), Precision::kTf32);
  options.instruction_set = "portable";
  EXPECT_EQ(choose_precision(options, cpu), Precision::kFp32);
  options = small_options("torchscript");
  EXPECT_EQ(choose_precision(options, cpu), Precision::kFp32);
  options = small_options();
  options.exact = true;
  EXPECT_EQ(choose_precision(options, cpu), Precision::kFp32);
  options.precision = "bf16";
  EXPECT_EQ(choose_precision(options, cpu), Precision::kBf16);
  EXPECT_EQ(choose_instruction_set(options, Precision::kBf16), choose_instruction_set("auto", Products::kBf16));
}

TEST(EngineOptions, SlowBf16IsSaid) {
  EngineOptions options = small_options();
  options.instruction_set = "portable";
  for (const auto& [precision, expected] :
       {std::pair("bf16", "precision bf16 is slower than fp32 here: portable has no products of bf16"),
        std::pair("bf16x3", "precision bf16x3 is slower than fp32 here: portable has no products of bf16"),
        std::pair("fp32", ""), std::pair("auto", "")}) {
    std::string warning;
    options.precision = precision;
    options.on_warning = [&warning](const std::string& text) { warning = text; };
    EXPECT_EQ(Engine(options).instruction_set(), InstructionSet::kPortable);
    EXPECT_EQ(warning, expected);
  }
}

TEST(EngineOptions, SayWhatABackendComputes) {
  EngineOptions options = small_options();
  options.backend = "torchscript";
  options.precision = "bf16";
  EXPECT_EQ(message_of<UsageError>([&] { const Engine engine(options); }),
            "precision bf16: the backend torchscript does not support it on cpu; expected fp32");
}

TEST(EngineOptions, SomePrecisionsNeedCuda) {
  for (const char* precision : {"tf32", "fp16", "fp8"}) {
    EngineOptions options = small_options();
    options.precision = precision;
    EXPECT_THROW(Engine{options}, UsageError);
  }
}

}  // namespace
}  // namespace p2mpp
