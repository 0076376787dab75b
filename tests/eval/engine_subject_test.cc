#include "eval/engine_subject.h"

#include <gtest/gtest.h>

#include "engine/engine_options.h"
#include "eval/synthetic_sample.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

EngineOptions tiny_options() {
  EngineOptions options;
  options.model = std::filesystem::path(P2MPP_TEST_MODELS) / "tiny-clean";
  options.device = "cpu";
  options.threads = 1;
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

TEST(OpenEngineSubject, AMissingModelIsBadInput) {
  EngineOptions options = tiny_options();
  options.model = "no-such-model";
  EXPECT_THROW(open_engine_subject(options), InputError);
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
