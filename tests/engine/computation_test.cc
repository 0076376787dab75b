// Which backend and device compute, and what is said of those that cannot: with backends that the test makes up.
#include "engine/computation.h"

#include <gtest/gtest.h>

#include <map>

#include "backends/common/finding.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

class NoBackend : public SynchronousBackend {
 public:
  [[nodiscard]] BatchMemory memory_for(std::size_t, std::size_t) override { return {}; }

 protected:
  std::vector<Reconstruction> compute(std::span<const Sample>, PartTimes&, Intermediates*) override { return {}; }
};

constexpr const char* kDifference = "the self-check of the GPU's kernels failed: convolution, bf16, differs";

/// A machine with a CUDA device, on which backends have problems.
struct Machine {
  std::map<std::string, std::string, std::less<>> problems;            ///< of a backend on CUDA, before it is made
  std::map<std::string, std::function<void()>, std::less<>> failures;  ///< what making one on CUDA throws

  [[nodiscard]] Computation start(const EngineOptions& options) const {
    const auto choose = [](std::string_view text) {
      return text == "cpu" ? DeviceChoice{} : DeviceChoice{.device = {DeviceKind::kCuda, 0}, .note = {}};
    };
    const auto check = [this](std::string_view name, Device device) {
      const auto found = problems.find(name);
      if (device.kind == DeviceKind::kCuda && found != problems.end()) throw Error(found->second);
    };
    const auto make = [this](std::string_view name, const BackendOptions& chosen) {
      const auto found = failures.find(name);
      if (chosen.device.kind == DeviceKind::kCuda && found != failures.end()) found->second();
      return std::make_unique<NoBackend>();
    };
    return start_computation(options, 1, {choose, check, make});
  }

  [[nodiscard]] std::string refusal(const EngineOptions& options) const {
    try {
      return "computes on " + to_string(start(options).choice.device);
    } catch (const UsageError& error) {
      return std::string("usage: ") + error.what();
    } catch (const Error& error) {
      return error.what();
    }
  }
};

void fail_self_check() { throw SelfCheckFailed(kDifference); }
void run_out_of_memory() { throw Error("CUDA: cudaMalloc of 300 MB: out of memory"); }

EngineOptions options_with(const std::string& backend, const std::string& device = "auto",
                           const std::string& precision = "auto") {
  EngineOptions options;
  options.backend = backend;
  options.device = device;
  options.precision = precision;
  return options;
}

TEST(Computation, TakesThePreferredBackend) {
  const Computation computation = Machine().start(options_with("auto"));
  EXPECT_EQ(computation.backend_name, "fused");
  EXPECT_EQ(computation.choice.device.kind, DeviceKind::kCuda);
  EXPECT_EQ(computation.precision, Precision::kTf32);
  EXPECT_EQ(computation.choice.note, "");
}

TEST(Computation, AutoGoesOnWithTheReferenceWhereKernelsComputeWrongly) {
  const Machine machine{.problems = {}, .failures = {{"fused", fail_self_check}}};
  const Computation computation = machine.start(options_with("auto"));
  EXPECT_EQ(computation.backend_name, "torchscript");
  EXPECT_EQ(computation.choice.device.kind, DeviceKind::kCuda);
  EXPECT_EQ(computation.choice.note,
            "fused on cuda:0: the self-check of the GPU's kernels failed: convolution, bf16, differs; the backend "
            "torchscript computes");
  EXPECT_EQ(machine.start(options_with("auto", "cuda")).backend_name, "torchscript");
}

TEST(Computation, AutoGoesOnWithTheCpuWhereTheReferenceCannot) {
  for (const Machine& machine :
       {Machine{.problems = {{"torchscript", "LibTorch has no CUDA"}}, .failures = {{"fused", fail_self_check}}},
        Machine{.problems = {}, .failures = {{"fused", fail_self_check}, {"torchscript", run_out_of_memory}}}}) {
    EngineOptions options = options_with("auto");
    options.exact = true;  // otherwise the precision depends on this processor
    const Computation computation = machine.start(options);
    EXPECT_EQ(computation.backend_name, "fused");
    EXPECT_EQ(computation.choice.device.kind, DeviceKind::kCpu);
    EXPECT_EQ(computation.precision, Precision::kFp32);
    const std::string& note = computation.choice.note;
    EXPECT_TRUE(note.starts_with(std::string("no CUDA device: fused on cuda:0: ") + kDifference)) << note;
    EXPECT_TRUE(note.ends_with("; computing on the CPU")) << note;
    const std::string refusal = machine.refusal(options_with("auto", "cuda"));
    EXPECT_TRUE(refusal.starts_with(std::string("device cuda: fused on cuda:0: ") + kDifference)) << refusal;
    EXPECT_TRUE(refusal.ends_with("; device cpu computes on the CPU")) << refusal;
  }
}

TEST(Computation, APrecisionThatTheCpuLacksIsNoUsageErrorThen) {
  const Machine machine{.problems = {}, .failures = {{"fused", fail_self_check}}};
  const std::string refusal = machine.refusal(options_with("auto", "auto", "fp16"));
  EXPECT_TRUE(refusal.starts_with("no CUDA device: fused on cuda:0: the self-check")) << refusal;
  EXPECT_NE(refusal.find("precision fp16: only CUDA devices support it"), std::string::npos) << refusal;
  EXPECT_EQ(machine.start(options_with("auto", "auto", "bf16")).choice.device.kind, DeviceKind::kCpu);
}

TEST(Computation, ABackendByNameEndsWhereItComputesWrongly) {
  const Machine machine{.problems = {}, .failures = {{"fused", fail_self_check}}};
  for (const char* device : {"auto", "cuda", "cuda:0"}) {
    EXPECT_EQ(machine.refusal(options_with("fused", device)), std::string("fused on cuda:0: ") + kDifference);
  }
  EXPECT_EQ(machine.refusal(options_with("torchscript")), "computes on cuda:0");
  EXPECT_EQ(machine.refusal(options_with("fused", "cpu")), "computes on cpu");
}

TEST(Computation, OtherProblemsLeadToTheCpu) {
  const Machine machine{.problems = {{"torchscript", "LibTorch has no CUDA"}},
                        .failures = {{"fused", run_out_of_memory}}};
  const Computation computation = machine.start(options_with("fused"));
  EXPECT_EQ(computation.choice.device.kind, DeviceKind::kCpu);
  EXPECT_NE(computation.choice.note.find("out of memory; computing on the CPU"), std::string::npos);
  EXPECT_EQ(machine.refusal(options_with("fused", "cuda")),
            "device cuda: CUDA: cudaMalloc of 300 MB: out of memory; device cpu computes on the CPU");
}

TEST(Computation, AModelThatABackendHasNoKernelsForGoesToTheNext) {
  const Machine machine{.problems = {}, .failures = {{"fused", [] { throw UsageError("backend fused: no kernel"); }}}};
  EXPECT_EQ(machine.start(options_with("auto")).choice.note,
            "backend fused: no kernel; the backend torchscript computes");
  EXPECT_EQ(machine.refusal(options_with("fused")), "usage: backend fused: no kernel");
}

}  // namespace
}  // namespace p2mpp
