#include "eval/benchmark.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "engine/engine_options.h"
#include "p2mpp/error.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

using std::chrono::milliseconds;

// Stands in for engines: takes five milliseconds a call, and remembers what was asked of it.
struct FakeEngines {
  std::vector<std::string> opened;
  std::vector<std::size_t> calls;
  std::vector<std::size_t> calls_before_gemm;
  std::string failing_precision;
  std::string problem;

  OpenSubject open() {
    return [this](const EngineOptions& options) {
      opened.push_back(options.device + " " + options.precision + " " + std::to_string(options.batch));
      EXPECT_EQ(options.warmup, 0);
      const bool fails = options.precision == failing_precision;
      return BenchmarkSubject{
          .reconstruct = [this, fails](std::span<const Sample> samples) { return run(samples, fails); },
          .measure_gemm_gflops = [this] { return measure_gemm_gflops(); },
          .device = "cpu",
          .backend = options.backend,
          .precision = "fp32",
          .threads = 2,
          .batch_choice = {.batch = options.batch == kAutoBatch ? 3 : options.batch, .trials = {}, .reason = {}}};
    };
  }

  // The n-th measurement gives n hundred.
  double measure_gemm_gflops() {
    calls_before_gemm.push_back(calls.size());
    return 100 * static_cast<double>(calls_before_gemm.size());
  }

  std::vector<ReconstructionResult> run(std::span<const Sample> samples, bool fails) {
    if (fails) throw Error("out of memory");
    calls.push_back(samples.size());
    std::this_thread::sleep_for(milliseconds(5));
    std::vector<ReconstructionResult> results(samples.size());
    for (ReconstructionResult& result : results) {
      result.times[Part::kDrb] = 4.0 / static_cast<double>(samples.size());
      result.problem = problem;
    }
    return results;
  }
};

class BenchmarkTest : public ::testing::Test {
 protected:
  BenchmarkTest() {
    options_.devices = {"cpu"};
    options_.backends = {"torchscript"};
    options_.precisions = {"fp32"};
    options_.warmup = 1;
    options_.repeats = 3;
  }

  std::vector<BenchmarkRow> run() {
    return run_benchmark(options_, synthetic_sample(1), engines_.open(), trace_,
                         [this](std::string_view combination) { told_.emplace_back(combination); });
  }

  BenchmarkOptions options_;
  FakeEngines engines_;
  Trace trace_;
  std::vector<std::string> told_;
};

TEST_F(BenchmarkTest, MeasuresAfterWarmingUp) {
  const auto rows = run();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(engines_.calls, (std::vector<std::size_t>{1, 1, 1, 1}));
  EXPECT_EQ(rows[0].total.count, 3U);
  EXPECT_GE(rows[0].total.min, 5);
  EXPECT_LT(rows[0].total.median, 500);
  EXPECT_EQ(rows[0].parts[static_cast<std::size_t>(Part::kDrb)].median, 4);
  EXPECT_EQ(rows[0].parts[static_cast<std::size_t>(Part::kCnn1)].median, 0);
  EXPECT_NEAR(rows[0].samples_per_second, 1000 / rows[0].total.mean, 1e-6);
  EXPECT_TRUE(rows[0].is_baseline);
  EXPECT_EQ(rows[0].speedup, 1);
  EXPECT_GT(rows[0].peak_resident_bytes, 1U << 20);
}

TEST_F(BenchmarkTest, MeasuresTheGemmRateBeforeEachCombination) {
  options_.batches = {1, 2};
  const auto rows = run();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].gemm_gflops, 100);
  EXPECT_EQ(rows[1].gemm_gflops, 200);
  EXPECT_EQ(engines_.calls_before_gemm, (std::vector<std::size_t>{0, 4}));
}

TEST_F(BenchmarkTest, AMeasuredBatchIsWhatTheEngineChose) {
  options_.batches = {kAutoBatch};
  options_.baseline = false;
  const auto rows = run();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].batch, 3);
  EXPECT_TRUE(std::isnan(rows[0].speedup)) << "there is no baseline";
  EXPECT_EQ(engines_.calls.back(), 3U);
  EXPECT_EQ(told_[0].substr(told_[0].find("batch")), "batch auto");
}

TEST_F(BenchmarkTest, TimesAreOfOneSampleOfABatch) {
  options_.batches = {4};
  const auto rows = run();
  ASSERT_EQ(rows.size(), 2U);  // the baseline was added
  EXPECT_TRUE(rows[0].is_baseline);
  EXPECT_EQ(rows[0].batch, 1);
  EXPECT_EQ(rows[1].batch, 4);
  EXPECT_FALSE(rows[1].is_baseline);
  EXPECT_GE(rows[1].total.min, 1.25);
  EXPECT_LT(rows[1].total.min, 5);
  EXPECT_EQ(rows[1].parts[static_cast<std::size_t>(Part::kDrb)].median, 1);
  EXPECT_DOUBLE_EQ(rows[1].speedup, rows[0].total.median / rows[1].total.median);
}

TEST_F(BenchmarkTest, SweepsOverEveryCombination) {
  options_.batches = {1, 2};
  options_.precisions = {"fp32", "auto"};
  EXPECT_EQ(run().size(), 4U);
  EXPECT_EQ(engines_.opened, (std::vector<std::string>{"cpu fp32 1", "cpu fp32 2", "cpu auto 1", "cpu auto 2"}));
  EXPECT_EQ(told_.size(), 4U);
  EXPECT_EQ(told_[1], "cpu torchscript fp32 batch 2");
}

TEST_F(BenchmarkTest, WhatTheMachineOrTheBackendCannotDoIsSkipped) {
  options_.precisions = {"tf32", "bf16", "fp32"};
  const auto rows = run();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[0].measured());
  EXPECT_HOLDS(rows[0].skipped, "tf32");
  EXPECT_HOLDS(rows[1].skipped, "the backend torchscript does not support it");
  EXPECT_TRUE(rows[2].is_baseline);
  EXPECT_EQ(engines_.opened.size(), 1U);
}

TEST_F(BenchmarkTest, SaysWhatAutoIs) {
  options_.backends = {"auto"};
  options_.precisions = {"auto"};
  run();
  EXPECT_EQ(told_.back(), "cpu " + std::string(choose_backend("auto", {}, Precision::kFp32)) + " fp32 batch 1");
}

TEST_F(BenchmarkTest, WhatFailsOnTheWayIsSkipped) {
  options_.precisions = {"auto", "fp32"};
  engines_.failing_precision = "auto";
  const auto rows = run();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].skipped, "out of memory");
  EXPECT_EQ(rows[1].speedup, 1);
}

TEST_F(BenchmarkTest, NothingPossibleIsAnErrorBeforeTheBaseline) {
  options_.precisions = {"tf32"};
  EXPECT_THROW(run(), Error);
  EXPECT_TRUE(engines_.opened.empty());
}

TEST_F(BenchmarkTest, NothingMeasuredIsAnError) {
  engines_.problem = "the network gave vertices that are not finite";
  EXPECT_HOLDS(message_of<Error>([&] { run(); }), "not finite");
}

TEST_F(BenchmarkTest, ABadModelIsNoSkippedRow) {
  const OpenSubject open = [](const EngineOptions&) -> BenchmarkSubject {
    throw InputError("model.json: no such file");
  };
  EXPECT_THROW(static_cast<void>(run_benchmark(options_, synthetic_sample(1), open, trace_, [](std::string_view) {})),
               InputError);
}

TEST_F(BenchmarkTest, NamesThatDoNotExistAreUsageErrors) {
  options_.devices = {"cpu", "tpu"};
  EXPECT_THROW(run(), UsageError);
  options_.devices = {"cpu"};
  options_.backends = {"abacus"};
  EXPECT_THROW(run(), UsageError);
  options_.backends = {};
  EXPECT_THROW(run(), UsageError);
  EXPECT_TRUE(engines_.opened.empty());
}

EngineOptions tiny_options() {
  EngineOptions options;
  options.model = std::filesystem::path(P2MPP_TEST_MODELS) / "tiny-clean";
  options.device = "cpu";
  options.threads = 1;
  options.exact = true;  // as run_benchmark() sets it
  return options;
}

TEST(OpenEngineSubject, SaysWhatItIs) {
  const BenchmarkSubject subject = open_engine_subject(tiny_options());
  EXPECT_EQ(subject.device, "cpu");
  EXPECT_EQ(subject.backend, choose_backend("auto", {}, Precision::kFp32));
  EXPECT_EQ(subject.precision, "fp32");
  EXPECT_GE(subject.threads, 1);
  EXPECT_GT(subject.measure_gemm_gflops(), 0);
}

TEST(RunBenchmark, MeasuresEveryPartOfARealEngine) {
  BenchmarkOptions options;
  options.engine = tiny_options();
  options.devices = {"cpu"};
  options.batches = {1, 2};
  options.warmup = 1;
  options.repeats = 2;
  Trace trace;
  const auto rows = run_benchmark(options, synthetic_sample(1), open_engine_subject, trace, [](std::string_view) {});
  ASSERT_EQ(rows.size(), 3U);  // the baseline is the first
  for (const BenchmarkRow& row : rows) {
    double parts = 0;
    for (const Part part : kMeasuredParts) parts += row.parts[static_cast<std::size_t>(part)].mean;
    for (const Part part : {Part::kPreprocess, Part::kCnn1, Part::kGcn, Part::kCnn2, Part::kProjection, Part::kDrb}) {
      EXPECT_GT(row.parts[static_cast<std::size_t>(part)].median, 0) << to_string(part);
    }
    // Nothing of note happens outside of the parts.
    EXPECT_LE(parts, row.total.mean);
    EXPECT_GT(parts, 0.5 * row.total.mean);
  }
}

}  // namespace

}  // namespace p2mpp
