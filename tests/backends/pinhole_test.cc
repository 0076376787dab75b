// Pinhole cameras of any roll, aim and intrinsics, on every backend of this machine: against the network as plain loops
// in double, and, where the reference computes cameras itself, against the same sample said in rows.
#include <gtest/gtest.h>

#include <map>

#include "backends/clear_lookups.h"
#include "backends/common/finding.h"
#include "backends/companion_library.h"
#include "backends/registry.h"
#include "backends/self_check/plain_network.h"
#include "backends/small_networks.h"
#include "base/machine/instruction_set.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

struct Way {
  std::string name, backend;
  BackendOptions options;
  double tolerance;  // of the mean difference
};

std::vector<Way> all_ways() {
  constexpr double kFp32 = 1e-5, kBf16 = 2e-3;
  std::vector<Way> ways;
  for (const InstructionSet set : usable_instruction_sets()) {
    ways.push_back({"fused_" + std::string(to_string(set)), "fused", {.device = {}, .instruction_set = set}, kFp32});
  }
  const InstructionSet last = usable_instruction_sets().back();
  ways.push_back(
      {"fused_in_bf16", "fused", {.device = {}, .precision = Precision::kBf16, .instruction_set = last}, kBf16});
  ways.push_back({"torchscript", "torchscript", {}, kFp32});
  return ways;
}

class Pinholes : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (GetParam().backend == "torchscript" && libtorch_version_text() == "none") {
      GTEST_SKIP() << "built without LibTorch";
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, Pinholes, ::testing::ValuesIn(all_ways()),
                         [](const auto& one) { return one.param.name; });

constexpr const char* kSemantics[] = {"tf", "design_b", "clean"};

struct Expectation {
  Sample sample;
  plain::Vertices vertices;
};

/// By semantics. Computed once for all backends: plain loops take long.
const std::map<std::string, Expectation>& expectations() {
  static const auto all = [] {
    std::map<std::string, Expectation> made;
    for (const char* semantics : kSemantics) {
      const Model model = small_model(semantics);
      const ClearSample drawn = draw_clear_sample(*make_backend("fused", model, {}), model, 4,
                                                  [](unsigned seed) { return random_pinhole_sample(seed, 3); });
      made.emplace(semantics, Expectation{drawn.sample, plain::run_network(model, drawn.sample)});
    }
    return made;
  }();
  return all;
}

TEST_P(Pinholes, AgreeWithPlainLoops) {
  for (const char* semantics : kSemantics) {
    SCOPED_TRACE(semantics);
    const Model model = small_model(semantics);
    const auto& [sample, expected] = expectations().at(semantics);
    const Reconstruction found = run_backend(*make_backend(GetParam().backend, model, GetParam().options), sample);
    const std::size_t last = expected.coarse.size() - 1;
    EXPECT_LT(mean_relative_difference(flat(found.coarse[last]), expected.coarse[last]),
              rounding_bound(coarse_depth(model, last)));
    EXPECT_LT(mean_relative_difference(flat(found.vertices()), expected.refined.back()), GetParam().tolerance);
  }
}

// The exported stages compute rows in their own way; the other backends do not look at them.
TEST(PinholesOfTheReference, MayBeRowsInOtherWords) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  for (const char* semantics : kSemantics) {
    SCOPED_TRACE(semantics);
    const auto reference = make_backend("torchscript", small_model(semantics), {});
    const auto vertices_of = [&reference](const Sample& sample) { return run_backend(*reference, sample).vertices(); };
    Sample sample = random_sample(6, 2);
    const std::vector<float> expected = flat(vertices_of(sample));
    for (View& view : sample.views) view.row.reset();
    const Points found = vertices_of(sample);
    EXPECT_LT(mean_relative_difference(flat(found), std::vector<double>(expected.begin(), expected.end())), 1e-5);
    sample.network_frame = sample.views.front().camera;
    EXPECT_EQ(vertices_of(sample), found);
  }
}

TEST(PinholesOfFormat1, AreRefusedByExportedStagesAlone) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  Model model = small_model("clean");
  model.info.format_version = 1;
  const Sample pinholes = random_pinhole_sample(1, 2);
  const auto backend = make_backend("torchscript", model, {});
  EXPECT_FALSE(run_backend(*backend, random_sample(1, 2)).refined.empty());
  EXPECT_REFUSED(run_backend(*backend, pinholes), "takes camera rows only");
  EXPECT_FALSE(run_backend(*make_backend("fused", model, {}), pinholes).refined.empty());
}

}  // namespace
}  // namespace p2mpp
