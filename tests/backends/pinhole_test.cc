// Pinhole cameras of any roll, aim and intrinsics, on every backend of this machine: against the network as plain loops
// in double, and against the same sample said in rows.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "backends/clear_lookups.h"
#include "backends/common/finding.h"
#include "backends/companion_library.h"
#include "backends/golden_data.h"
#include "backends/registry.h"
#include "backends/self_check/plain_network.h"
#include "backends/self_check/random_sample.h"
#include "base/machine/instruction_set.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

Model small_model(const std::string& semantics) { return load_model(test_models() / ("small-" + semantics)); }

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

  [[nodiscard]] static Reconstruction run(const Model& model, const Sample& sample) {
    PartTimes times;
    return make_backend(GetParam().backend, model, GetParam().options)->run({&sample, 1}, times).front();
  }

  static void expect_same(const Points& found, const Points& expected) {
    const std::vector<float> values = flat(expected);
    EXPECT_LT(mean_relative_difference(flat(found), std::vector<double>(values.begin(), values.end())),
              GetParam().tolerance);
  }
};
INSTANTIATE_TEST_SUITE_P(All, Pinholes, ::testing::ValuesIn(all_ways()),
                         [](const auto& one) { return one.param.name; });

constexpr const char* kSemantics[] = {"tf", "design_b", "clean"};

TEST_P(Pinholes, AgreeWithPlainLoops) {
  for (const char* semantics : kSemantics) {
    SCOPED_TRACE(semantics);
    const Model model = small_model(semantics);
    const auto [sample, computed] = draw_clear_sample(*make_backend("fused", model, {}), model, 4,
                                                      [](unsigned seed) { return random_pinhole_sample(seed, 3); });
    const plain::Vertices expected = plain::run_network(model, sample);
    const Reconstruction found = run(model, sample);
    const std::size_t last = expected.coarse.size() - 1;
    EXPECT_LT(mean_relative_difference(flat(found.coarse[last]), expected.coarse[last]),
              rounding_bound(coarse_depth(model, last)));
    EXPECT_LT(mean_relative_difference(flat(found.vertices()), expected.refined.back()), GetParam().tolerance);
  }
}

TEST_P(Pinholes, MayBeRowsInOtherWords) {
  for (const char* semantics : kSemantics) {
    SCOPED_TRACE(semantics);
    const Model model = small_model(semantics);
    Sample sample = random_sample(6, 3);
    const Points expected = run(model, sample).vertices();
    for (View& view : sample.views) view.row.reset();
    const Points found = run(model, sample).vertices();
    expect_same(found, expected);
    if (GetParam().backend == "fused") {
      EXPECT_EQ(found, expected);
    }
    sample.network_frame = sample.views.front().camera;
    EXPECT_EQ(run(model, sample).vertices(), found);
  }
}

// Except for design_b, whose second stage takes the directions of the cameras in the world.
TEST_P(Pinholes, DoNotDependOnTheWorldsFrame) {
  for (const char* semantics : {"tf", "clean"}) {
    SCOPED_TRACE(semantics);
    const Model model = small_model(semantics);
    Sample sample = random_pinhole_sample(7, 3);
    const Points expected = run(model, sample).vertices();
    const Eigen::Matrix3d turn = Eigen::Quaterniond(0.1, 0.7, -0.3, 0.5).normalized().toRotationMatrix();
    const auto turned = [&turn](Camera camera) {
      camera.rotation = (camera.rotation * turn.transpose()).eval();
      camera.origin = (turn * camera.origin).eval();
      return camera;
    };
    for (View& view : sample.views) view.camera = turned(view.camera);
    sample.network_frame = turned(*sample.network_frame);
    expect_same(run(model, sample).vertices(), expected);
  }
}

TEST_P(Pinholes, IntrinsicsAndNetworkFrameMatter) {
  const Model model = small_model("clean");
  const Sample sample = random_pinhole_sample(7, 3);
  const Points before = run(model, sample).vertices();
  for (double Intrinsics::*each : {&Intrinsics::fx, &Intrinsics::fy, &Intrinsics::cx, &Intrinsics::cy}) {
    Sample changed = sample;
    changed.views[1].camera.intrinsics.*each += 10;
    EXPECT_NE(run(model, changed).vertices(), before);
  }
  Sample changed = sample;
  changed.network_frame.reset();
  EXPECT_NE(run(model, changed).vertices(), before);
}

TEST(PinholesOfFormat1, AreRefusedByExportedStagesAlone) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  Model model = small_model("clean");
  model.info.format_version = 1;
  PartTimes times;
  const Sample rows = random_sample(1, 2), pinholes = random_pinhole_sample(1, 2);
  const auto backend = make_backend("torchscript", model, {});
  EXPECT_EQ(backend->run({&rows, 1}, times).size(), 1U);
  EXPECT_REFUSED(backend->run({&pinholes, 1}, times), "takes camera rows only");
  EXPECT_EQ(make_backend("fused", model, {})->run({&pinholes, 1}, times).size(), 1U);
}

}  // namespace
}  // namespace p2mpp
