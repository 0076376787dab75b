// The probe of primitives (probe.cu) on the emulation of a GPU, and the guard that names what hangs there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "backends/cuda/kernels/launch.h"
#include "backends/cuda/probe_checks.h"
#include "emulation/runtime.h"

namespace p2mpp::probe {
namespace {

/// A Hopper GPU of a few multiprocessors; its blocks' threads are fibers, of which thousands would take long.
class EmulatedDevice {
 public:
  EmulatedDevice() : begin_(runtime_.make_event()), end_(runtime_.make_event()) {}
  EmulatedDevice(const EmulatedDevice&) = delete;
  EmulatedDevice& operator=(const EmulatedDevice&) = delete;
  ~EmulatedDevice() {
    for (void* memory : allocated_) runtime_.release(memory);
  }

  [[nodiscard]] bool is_hopper() const { return runtime_.is_hopper(); }
  [[nodiscard]] int multiprocessors() const { return 4; }

  template <class Value>
  [[nodiscard]] Value* upload(const std::vector<Value>& values) {
    void* memory = allocated_.emplace_back(runtime_.allocate(values.size() * sizeof(Value)));
    runtime_.copy_to_device(memory, values.data(), values.size() * sizeof(Value), compute());
    synchronize();
    return static_cast<Value*>(memory);
  }
  template <class Value>
  [[nodiscard]] std::vector<Value> download(const Value* memory, std::size_t count) {
    std::vector<Value> values(count);
    runtime_.copy_to_host(values.data(), memory, count * sizeof(Value), compute());
    synchronize();
    return values;
  }

  template <class Kernel>
  void queue(const Launch& launch, const typename Kernel::Arguments& arguments, int stream) {
    runtime_.check_launch(cuda::launch<Kernel>(launch, arguments, runtime_.stream(stream)), "launch");
  }
  template <class Kernel>
  void run(const Launch& launch, const typename Kernel::Arguments& arguments) {
    queue<Kernel>(launch, arguments, kComputeStream);
    synchronize();
  }
  void synchronize() { runtime_.synchronize(compute()); }

  void wait_for(int waiting, int other) { runtime_.wait_for(runtime_.stream(waiting), runtime_.stream(other)); }
  void clear(std::uint32_t* counter) { runtime_.copy_to_device(counter, &kZero, sizeof kZero, compute()); }

  template <class Work>
  void record(const Work& work) {
    runtime_.begin_recording();
    work();
    graph_ = runtime_.end_recording();
  }
  void replay() { runtime_.launch(*graph_, compute()); }

  void mark_begin() { runtime_.record(*begin_, compute()); }
  void mark_end() { runtime_.record(*end_, compute()); }
  [[nodiscard]] double milliseconds_marked() { return runtime_.milliseconds_between(*begin_, *end_); }

 private:
  static constexpr std::uint32_t kZero = 0;

  DeviceStream compute() { return runtime_.stream(kComputeStream); }

  emulation::Runtime runtime_{emulation::kPlentyOfMemory, emulation::Runtime::Generation::kHopper};
  std::vector<void*> allocated_;
  std::unique_ptr<DeviceEvent> begin_, end_;
  std::unique_ptr<DeviceGraph> graph_;
};

constexpr Effort kEffort{.rounds = 6, .replays = 3, .busy_cycles = 10};

std::vector<Check<EmulatedDevice>> checks() { return all_checks<EmulatedDevice>(20, kEffort, 200'000, 0.2); }

class ProbeEmulated : public ::testing::TestWithParam<emulation::Order> {
 protected:
  void SetUp() override { emulation::set_order(GetParam()); }
  void TearDown() override { emulation::set_order(emulation::Order::kForward); }
};
INSTANTIATE_TEST_SUITE_P(Orders, ProbeEmulated,
                         ::testing::Values(emulation::Order::kForward, emulation::Order::kBackward,
                                           emulation::Order::kShuffled));

TEST_P(ProbeEmulated, EveryCheckPasses) {
  for (const auto& check : checks()) {
    EmulatedDevice device;
    const CheckResult outcome = check.run(device);
    EXPECT_EQ(outcome.state, CheckResult::State::kPassed) << check.name << ": " << outcome.text;
  }
}

// Counters that are not cleared between replays: no block waits for another any more.
TEST(Probe, BlocksThatDoNotWaitAreSeen) {
  struct NothingIsCleared : EmulatedDevice {
    void clear(std::uint32_t* /*counter*/) {}
  } device;
  emulation::set_order(emulation::Order::kBackward);
  const CheckResult outcome = check_grid_barrier(device, kEffort);
  emulation::set_order(emulation::Order::kForward);
  EXPECT_EQ(outcome.state, CheckResult::State::kFailed) << outcome.text;
}

// A number that differs is counted.
TEST(Probe, AWrongNumberFails) {
  std::vector<float> found = {1, 2, 3, 4, 5, 6};
  const auto expected = [](int row, int column) { return static_cast<float>(3 * row + column + 1); };
  EXPECT_EQ(compare(found, 2, 3, expected).state, CheckResult::State::kPassed);
  found[4] = std::numeric_limits<float>::quiet_NaN();
  const CheckResult outcome = compare(found, 2, 3, expected);
  EXPECT_EQ(outcome.state, CheckResult::State::kFailed);
  EXPECT_EQ(outcome.text, "1 of 6 wrong");
}

struct Printed {
  bool good;
  std::vector<std::string> lines;
};

/// The guard's output for named checks; a check gets half a second.
Printed guarded(
    const std::vector<std::pair<std::string, std::function<CheckResult()>>>& checks,
    std::function<void()> start = [] {}) {
  GuardedWork work;
  for (const auto& check : checks) work.names.push_back(check.first);
  work.start = std::move(start);
  work.run = [&](std::size_t index) { return checks[index].second(); };
  Printed printed{};
  printed.good = run_guarded(work, {.start_seconds = 1, .check_seconds = 0.5},
                             [&](const std::string& line) { printed.lines.push_back(line); });
  return printed;
}

std::string without_padding(const std::string& line) {
  std::string text;
  for (const char each : line) {
    if (each != ' ' || (!text.empty() && text.back() != ' ')) text.push_back(each);
  }
  return text;
}

TEST(GuardedChecks, EachFailureHasANameAndHidesNoOther) {
  const auto good = [] { return passed("fine"); };
  const Printed printed = guarded({{"first", good},
                                   {"hangs", [] { return pause(), passed("never"); }},
                                   {"after a hang", good},
                                   {"dies", [] { return raise(SIGSEGV), passed("never"); }},
                                   {"throws", []() -> CheckResult { throw std::runtime_error("an illegal address"); }},
                                   {"wrong", [] { return exact(2, 8); }},
                                   {"not here", [] { return skipped("for another GPU"); }},
                                   {"last", good}});
  EXPECT_FALSE(printed.good);
  ASSERT_EQ(printed.lines.size(), 9U);
  EXPECT_EQ(without_padding(printed.lines[0]), "first ok: fine");
  EXPECT_EQ(without_padding(printed.lines[1]), "hangs HANGS: nothing after 0.5 s");
  EXPECT_EQ(without_padding(printed.lines[2]), "after a hang ok: fine");
  EXPECT_EQ(without_padding(printed.lines[3]), "dies FAILED: the process died: Segmentation fault");
  EXPECT_EQ(without_padding(printed.lines[4]), "throws FAILED: an illegal address");
  EXPECT_EQ(without_padding(printed.lines[5]), "wrong FAILED: 2 of 8 wrong");
  EXPECT_EQ(without_padding(printed.lines[6]), "not here skipped: for another GPU");
  EXPECT_EQ(without_padding(printed.lines[7]), "last ok: fine");
  EXPECT_EQ(printed.lines[8], "3 passed, 4 failed, 1 skipped");
}

TEST(GuardedChecks, ADeviceThatCannotBeOpenedEndsIt) {
  const auto good = [] { return passed("fine"); };
  for (const std::function<void()>& start :
       {std::function<void()>([] { throw std::runtime_error("no CUDA device can be used"); }),
        std::function<void()>([] { _exit(3); }), std::function<void()>([] { pause(); })}) {
    const Printed printed = guarded({{"first", good}, {"second", good}}, start);
    EXPECT_FALSE(printed.good);
    ASSERT_EQ(printed.lines.size(), 4U);
    EXPECT_NE(printed.lines[0].find("device can"), std::string::npos) << printed.lines[0];
    EXPECT_EQ(without_padding(printed.lines[1]), "first FAILED: not run");
    EXPECT_EQ(without_padding(printed.lines[2]), "second FAILED: not run");
    EXPECT_EQ(printed.lines[3], "0 passed, 2 failed, 0 skipped");
  }
}

TEST(GuardedChecks, WhatPassesIsGood) {
  const Printed printed = guarded({{"first", [] { return passed("fine"); }}});
  EXPECT_TRUE(printed.good);
  EXPECT_EQ(printed.lines.back(), "1 passed, 0 failed, 0 skipped");
}

}  // namespace
}  // namespace p2mpp::probe
