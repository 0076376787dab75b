#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "eval/benchmark.h"
#include "support/messages.h"
#include "support/report_data.h"

namespace p2mpp {
namespace {

BenchmarkReport sample_report() {
  BenchmarkRow measured;
  measured.device = "cpu";
  measured.backend = "torchscript";
  measured.precision = "fp32";
  measured.is_baseline = true;
  measured.threads = 2;
  measured.repeats = 3;
  measured.gemm_gflops = 400;
  measured.total = summarize({10, 20, 30});
  measured.parts.fill(summarize({1, 2, 3}));
  measured.samples_per_second = 50;
  measured.speedup = 1;
  measured.peak_resident_bytes = 300 << 20;
  BenchmarkRow skipped;
  skipped.device = "cuda";
  skipped.backend = "torchscript";
  skipped.precision = "tf32";
  skipped.batch = 4;
  skipped.skipped = "no driver, no device";
  BenchmarkReport report;
  report.rows = {measured, skipped};
  report.model.name = "chairs";
  report.sample_id = "synthetic";
  report.view_count = 3;
  report.flops = {.cnn1 = 0.02e9, .gcn = 0.04e9, .cnn2 = 0.06e9, .drb = 0.4e9};
  report.environment.cpu = "A Processor";
  report.environment.commit = "0123abc";
  return report;
}

TEST(BenchmarkDocument, HasEveryPartsAndTheTotalsMedian) {
  const auto document = nlohmann::json::parse(json_text(benchmark_document(sample_report())));
  EXPECT_EQ(document["environment"]["commit"], "0123abc");
  EXPECT_EQ(document["environment"]["cpu"], "A Processor");
  EXPECT_EQ(document["model"]["name"], "chairs");
  EXPECT_EQ(document["sample"]["views"], 3);
  const auto& row = document["results"][0];
  EXPECT_EQ(row["status"], "measured");
  EXPECT_EQ(row["total"]["median"], 20);
  EXPECT_EQ(row["parts"].size(), kMeasuredParts.size());
  for (const Part part : kMeasuredParts) EXPECT_EQ(row["parts"][std::string(to_string(part))]["median"], 2);
  EXPECT_EQ(row["speedup"], 1);
  EXPECT_EQ(row["gemm_gflops"], 400);
  EXPECT_EQ(row["total"]["flop"], 0.52e9);
  EXPECT_EQ(row["parts"]["drb"]["flop"], 0.4e9);
  EXPECT_EQ(row["parts"]["drb"]["gflops"], 200);  // in 2 ms
  EXPECT_EQ(row["parts"]["drb"]["share_of_gemm_rate"], 0.5);
  for (const char* key : {"flop", "gflops", "share_of_gemm_rate"}) {
    EXPECT_TRUE(row["parts"]["projection"][key].is_null()) << key;
  }
  EXPECT_EQ(document["results"][1]["status"], "skipped");
  EXPECT_EQ(document["results"][1]["reason"], "no driver, no device");
  EXPECT_FALSE(document["results"][1].contains("total"));
}

TEST(BenchmarkCsv, HasALineForEachPartWithAllFacts) {
  const std::vector<std::string> lines = lines_of(benchmark_csv(sample_report()));
  ASSERT_EQ(lines.size(), 1 + 1 + kMeasuredParts.size() + 1);
  EXPECT_TRUE(lines[1].starts_with("cpu,torchscript,fp32,1,measured,,2,0,3,total,20,")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("cpu,torchscript,fp32,1,measured,,2,0,3,preprocess,2,")) << lines[2];
  EXPECT_TRUE(lines.back().starts_with("cuda,torchscript,tf32,4,skipped,\"no driver, no device\",")) << lines.back();
  EXPECT_HOLDS(lines[0], ",flop,gflops,gemm_gflops,share_of_gemm_rate,");
  EXPECT_HOLDS(lines[1], ",520000000,26,400,0.065,");
  EXPECT_HOLDS(lines[2], ",,,400,,");
  const auto commas = std::ranges::count(lines[0], ',');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_HOLDS(lines[i], "A Processor");
    EXPECT_HOLDS(lines[i], "0123abc");
    EXPECT_EQ(std::ranges::count(lines[i], ','), commas + (i + 1 == lines.size() ? 1 : 0)) << lines[i];
  }
}

TEST(BenchmarkMarkdown, HasTablesReasonsAndFacts) {
  const std::string text = benchmark_markdown(sample_report());
  for (const char* expected : {"| cpu    | torchscript | fp32      |", " 20.000 |", "| preprocess |", "10.0%",
                               "| speed-up |", "- skipped: cuda torchscript tf32 4: no driver, no device\n",
                               "10.0% |   200.0 |        50.0% |", "10.0% |       - |            - |",
                               "100.0% |    26.0 |         6.5% |", "- gemm_rate: fp32 on 2 threads 400 GFLOP/s\n",
                               "- cpu: A Processor\n", "- commit: 0123abc\n", "- model: chairs\n", "  300 |"}) {
    EXPECT_HOLDS(text, expected) << expected << "\nin\n" << text;
  }
}

TEST(BenchmarkMarkdown, WithoutAGemmRateThereIsNoShare) {
  BenchmarkReport report = sample_report();
  report.rows[0].gemm_gflops = std::numeric_limits<double>::quiet_NaN();
  EXPECT_HOLDS(benchmark_markdown(report), "10.0% |   200.0 |            - |");
  EXPECT_HOLDS(benchmark_markdown(report), "- gemm_rate: fp32 on 2 threads - GFLOP/s\n");
  report.rows[0].device = "cuda:0";
  EXPECT_HOLDS(benchmark_markdown(report), "- gemm_rate: -\n");
}

TEST(BenchmarkFacts, NamesAreUnique) {
  auto facts = benchmark_facts(sample_report());
  std::vector<std::string> names;
  for (const auto& fact : facts) names.push_back(fact.first);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace p2mpp
