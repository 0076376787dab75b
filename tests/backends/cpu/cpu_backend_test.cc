// The fused backend against the reference, on small models with drawn weights.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/clear_lookups.h"
#include "backends/companion_library.h"
#include "backends/difference.h"
#include "backends/golden_data.h"
#include "backends/registry.h"
#include "backends/self_check/random_sample.h"
#include "backends/tested_sets.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

constexpr Device kCpu{};

Model tiny_model(const std::string& name) { return load_model(test_models() / ("tiny-" + name)); }

std::vector<Reconstruction> reconstruct(std::string_view backend, const Model& model, const BackendOptions& options,
                                        const std::vector<Sample>& batch) {
  PartTimes times;
  return make_backend(backend, model, options)->run(batch, times);
}

BackendOptions fused_options(Precision precision, int threads, InstructionSet set) {
  return {.device = kCpu, .precision = precision, .threads = threads, .instruction_set = set};
}

class FusedBackend : public ::testing::TestWithParam<const char*> {};
// Each semantics, images with masks, and weights stored in half the bytes.
INSTANTIATE_TEST_SUITE_P(Models, FusedBackend,
                         ::testing::Values("tf", "design_b", "clean", "masked", "evidence", "fp16", "bf16"));

Sample drawn_sample(const Model& model, unsigned seed, std::size_t views) {
  return model.info.sizes.image_channels == 4 ? random_masked_sample(seed, views) : random_sample(seed, views);
}

/// The bundled template's 2,466 vertices. `tf` and `design_b` look up features at the nearest pixel, which is clear of
/// rounding with few vertices only: these have the icosahedron's 162.
Model compared_model(const std::string& name) {
  if (name == "tf" || name == "design_b") return load_model(test_models() / ("small-" + name));
  return tiny_model(name);
}

TEST_P(FusedBackend, AgreesWithTheReferenceOnEveryInstructionSet) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  const Model model = compared_model(GetParam());
  const auto reference = make_backend("torchscript", model, {kCpu});
  // How many views there are matters to the semantics; another format of images or of weights is read view by view.
  const std::string_view name = GetParam();
  const bool is_a_semantics = name == "tf" || name == "design_b" || name == "clean";
  const std::vector<std::size_t> counts =
      is_a_semantics ? std::vector<std::size_t>{2, 3, 4, 5, 8} : std::vector<std::size_t>{3};
  for (const std::size_t views : counts) {
    const auto [sample, expected] = draw_clear_sample(*reference, model, static_cast<unsigned>(views),
                                                      [&](unsigned seed) { return drawn_sample(model, seed, views); });
    for (const InstructionSet set : usable_instruction_sets()) {
      const auto found = reconstruct("fused", model, fused_options(Precision::kFp32, 1, set), {sample}).front();
      expect_agreement(model, sample, found, expected, fmt::format("{}, {} views", to_string(set), views));
    }
  }
}

TEST(FusedBackendViews, AgreeWithTheReferenceHoweverManyTheyAre) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  for (const char* name : {"tf", "design_b", "clean"}) {
    const Model model = load_model(test_models() / (std::string("small-") + name));
    const auto reference = make_backend("torchscript", model, {kCpu});
    const auto [sample, expected] =
        draw_clear_sample(*reference, model, static_cast<unsigned>(kMaxViews),
                          [](unsigned seed) { return with_few_cameras(random_sample(seed, kMaxViews)); });
    expect_agreement(model, sample, reconstruct("fused", model, {kCpu}, {sample}).front(), expected, name);
  }
}

TEST_P(FusedBackend, AStageReadsItsFirstViews) {
  const Model model = tiny_model(GetParam());
  const auto run = [&](const Sample& sample) { return reconstruct("fused", model, {kCpu}, {sample}).front(); };
  const Sample all = drawn_sample(model, 4, 7);
  Sample three = all;
  three.views.resize(3);
  Sample mixed = all;
  mixed.stage_views = {.stage1 = 3, .stage2 = 0};
  EXPECT_EQ(run(mixed).coarse, run(three).coarse);
  EXPECT_NE(run(mixed).refined, run(three).refined);
  mixed.stage_views = {.stage1 = 0, .stage2 = 3};
  EXPECT_EQ(run(mixed).coarse, run(all).coarse);
  EXPECT_NE(run(mixed).refined, run(all).refined);
  mixed.stage_views = {.stage1 = 3, .stage2 = 3};
  EXPECT_EQ(run(mixed).refined, run(three).refined);
}

// In `tf` and `design_b` stage 1 divides the view's index by the map's scale, too: a lower index, so it exists.
TEST_P(FusedBackend, StageViewsAgreeWithTheReference) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  const Model model = compared_model(GetParam());
  const auto reference = make_backend("torchscript", model, {kCpu});
  for (const StageViews& stage_views : {StageViews{3, 9}, StageViews{9, 2}}) {
    const auto [sample, expected] = draw_clear_sample(*reference, model, 5, [&](unsigned seed) {
      Sample drawn = drawn_sample(model, seed, 9);
      drawn.stage_views = stage_views;
      return drawn;
    });
    expect_agreement(model, sample, reconstruct("fused", model, {kCpu}, {sample}).front(), expected,
                     fmt::format("{} and {} views", stage_views.stage1, stage_views.stage2));
  }
}

TEST_P(FusedBackend, RefinesAnyMeshAsTheReferenceDoes) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  const Model model = tiny_model(GetParam());
  for (const auto& [side, views] :
       {std::pair(10, 7U), std::pair(75, 3U)}) {  // the reference has two tiles of the larger
    const Sample sample = with_initial_mesh(drawn_sample(model, 4, views), wavy_sheet(side));
    const Reconstruction expected = reconstruct("torchscript", model, {kCpu}, {sample}).front();
    const Reconstruction found = reconstruct("fused", model, {kCpu}, {sample}).front();
    EXPECT_TRUE(found.coarse.empty());
    ASSERT_EQ(found.vertices().size(), sample.initial_mesh->vertices.size());
    expect_agreement(model, sample, found, expected, fmt::format("{} vertices", found.vertices().size()));
  }
}

TEST_P(FusedBackend, AVertexOfAnInitialMeshDependsOnNoOtherAndOnNoThread) {
  const Model model = tiny_model(GetParam());
  const Sample sample = drawn_sample(model, 4, 3);
  const TriangleMesh whole = wavy_sheet(20);
  constexpr std::ptrdiff_t kSkipped = 61;
  const TriangleMesh part{{whole.vertices.begin() + kSkipped, whole.vertices.end()}, {{0, 1, 2}}};
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const auto run = [&](const TriangleMesh& mesh, int threads) {
      const BackendOptions options = fused_options(precision, threads, usable_instruction_sets().back());
      return reconstruct("fused", model, options, {with_initial_mesh(sample, mesh)}).front().vertices();
    };
    const Points expected = run(whole, 1);
    EXPECT_EQ(run(whole, 3), expected);
    EXPECT_EQ(run(part, 1), Points(expected.begin() + kSkipped, expected.end()));
  }
}

constexpr double kBf16x3Mean = 1e-5;  // of the largest coordinate, for networks with drawn weights

/// The mean difference, relative to the largest coordinate.
double relative_mean(const Points& found, const Points& exact) {
  const std::vector<float> expected = flat(exact);
  return mean_relative_difference(flat(found), std::vector<double>(expected.begin(), expected.end()));
}

TEST(FusedBackendInBf16x3, IsNearFp32) {
  for (const char* name : {"tf", "clean"}) {
    const Model model = tiny_model(name);
    const std::vector<Sample> samples = {random_sample(3, 3)};
    const auto exact = reconstruct("fused", model, {kCpu}, samples).front();
    for (const InstructionSet set : {usable_instruction_sets().back(), InstructionSet::kAmxEmulated}) {
      const auto found = reconstruct("fused", model, fused_options(Precision::kBf16x3, 1, set), samples).front();
      EXPECT_LT(relative_mean(found.coarse.back(), exact.coarse.back()), kBf16x3Mean) << to_string(set);
      EXPECT_LT(relative_mean(found.vertices(), exact.vertices()), kBf16x3Mean) << to_string(set);
      EXPECT_NE(found.vertices(), exact.vertices()) << to_string(set);
    }
  }
}

TEST_P(FusedBackend, Bf16LeavesStage1Alone) {
  const Model model = tiny_model(GetParam());
  const std::vector<Sample> samples = {drawn_sample(model, 3, 3)};
  std::vector<InstructionSet> sets = tested_instruction_sets();
  if (GetParam() != std::string_view("evidence")) sets.pop_back();  // the emulation takes long
  for (const InstructionSet set : sets) {
    const auto exact = reconstruct("fused", model, fused_options(Precision::kFp32, 1, set), samples).front();
    const auto found = reconstruct("fused", model, fused_options(Precision::kBf16, 1, set), samples).front();
    if (multiplies_tiles(set)) {
      EXPECT_LT(relative_mean(found.coarse.back(), exact.coarse.back()), kBf16x3Mean) << to_string(set);
    } else {
      EXPECT_EQ(found.coarse, exact.coarse);
    }
    // A network of 16 channels has few terms for errors to cancel in; for the real one see below.
    EXPECT_LT(difference(found.vertices(), exact.vertices()).mean, 1e-3) << to_string(set);
    EXPECT_GT(difference(found.vertices(), exact.vertices()).largest, 0) << to_string(set);
  }
}

TEST(FusedBackendInFullSize, Bf16IsNear) {
  const Model model = load_model(test_models() / "golden-clean");
  const std::vector<Sample> samples = {random_sample(3, 3)};
  const auto exact = reconstruct("fused", model, {kCpu}, samples).front();
  const auto found = reconstruct("fused", model, {.device = kCpu, .precision = Precision::kBf16}, samples).front();
  EXPECT_LT(difference(found.vertices(), exact.vertices()).mean, 1e-4);
  EXPECT_LT(difference(found.vertices(), exact.vertices()).largest, 2e-3);
}

// The bundled model: the errors of other weights have other sizes.
TEST(FusedBackendInFullSize, Bf16x3IsNearer) {
  const Model model = load_model(std::filesystem::path(P2MPP_TEST_DATA) / "../../models/p2mpp-shapes");
  const std::vector<Sample> samples = {random_masked_sample(3, 3)};
  const auto exact = reconstruct("fused", model, {kCpu}, samples).front();
  const auto found = reconstruct("fused", model, {.device = kCpu, .precision = Precision::kBf16x3}, samples).front();
  EXPECT_LT(difference(found.vertices(), exact.vertices()).mean, 2e-6);
  EXPECT_LT(difference(found.vertices(), exact.vertices()).largest, 5e-5);
}

TEST_P(FusedBackend, BytesDoNotDependOnThreadsBatchOrRun) {
  const Model model = tiny_model(GetParam());
  std::vector<Sample> samples;
  for (unsigned seed = 0; seed < 3; ++seed) samples.push_back(drawn_sample(model, seed, 3));
  const InstructionSet best = usable_instruction_sets().back();
  std::vector<std::pair<Precision, InstructionSet>> cases = {{Precision::kFp32, best}, {Precision::kBf16, best}};
  if (GetParam() == std::string_view("clean")) cases.emplace_back(Precision::kBf16, InstructionSet::kAmxEmulated);
  for (const auto& [precision, set] : cases) {
    const auto expected = reconstruct("fused", model, fused_options(precision, 1, set), samples);
    const bool emulated = set == InstructionSet::kAmxEmulated;
    for (const int threads : emulated ? std::vector{3} : std::vector{2, 3}) {
      const auto backend = make_backend("fused", model, fused_options(precision, threads, set));
      PartTimes times;
      for (const std::size_t i : emulated ? std::vector<std::size_t>{2, 0} : std::vector<std::size_t>{2, 0, 1, 2}) {
        const auto found = backend->run(std::span(samples).subspan(i, 1), times).front();
        EXPECT_EQ(found.coarse, expected[i].coarse);
        EXPECT_EQ(found.refined, expected[i].refined);
      }
    }
  }
}

// White on white: the colours say nothing, the mask does.
TEST(FusedBackendMasks, MatterWhereColoursDoNot) {
  const auto white = [](Sample sample, bool cut) {
    for (View& view : sample.views) {
      for (std::size_t i = 0; i < view.image.rgba.size(); ++i) {
        if (i % 4 != 3) view.image.rgba[i] = 255;
      }
      if (cut) std::fill_n(view.image.rgba.begin(), std::size_t{4} * 137 * 68, std::uint8_t{0});  // transparent
    }
    return sample;
  };
  for (const char* name : {"clean", "masked", "evidence"}) {
    const Model model = tiny_model(name);
    const std::vector<Sample> samples = {white(random_sample(1, 3), false), white(random_sample(1, 3), true)};
    const auto found = reconstruct("fused", model, {kCpu}, samples);
    EXPECT_EQ(found[0].vertices() == found[1].vertices(), model.info.sizes.image_channels == 3) << name;
  }
}

TEST(FusedBackendMasks, ModelJsonNamesTheChannelsThatTheArchiveHas) {
  for (const char* name : {"clean", "masked", "evidence"}) {
    Model model = tiny_model(name);
    const std::int64_t channels = model.info.sizes.image_channels;
    model.info.sizes.image_channels = 7 - channels;
    try {
      static_cast<void>(make_backend("fused", model, {kCpu}));
      FAIL() << name;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), model.info.folder.string() + "/stage1.pt: its first convolution reads images of " +
                                  std::to_string(channels) + " channels; expected " + std::to_string(7 - channels) +
                                  " (model.json)");
    }
  }
}

TEST(FusedBackendSamples, AreForgotten) {
  const Model model = tiny_model("clean");
  const auto backend = make_backend("fused", model, {kCpu});
  PartTimes times;
  const std::vector<Sample> five = {random_sample(1, 5)};
  const std::vector<Sample> two = {random_sample(2, 2)};
  const auto fresh = reconstruct("fused", model, {kCpu}, two);
  static_cast<void>(backend->run(five, times));
  EXPECT_EQ(backend->run(two, times).front().refined, fresh.front().refined);
}

TEST(FusedBackendChoice, ComputesEveryPrecisionOnCuda) {
  constexpr Device kCuda{DeviceKind::kCuda, 0};
  for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16}) {
    EXPECT_TRUE(backend_computes("fused", kCuda, precision));
  }
}

TEST(TorchscriptBackend, SaysWhatIsMissingInABuildWithoutLibTorch) {
  if (libtorch_version_text() != "none") GTEST_SKIP() << "this build has LibTorch";
  EXPECT_NE(message_of<Error>([] { check_backend("torchscript", kCpu); }).find("built without LibTorch"),
            std::string::npos);
  EXPECT_THROW(static_cast<void>(make_backend("torchscript", tiny_model("clean"), {kCpu})), Error);
}

TEST(FusedBackendChoice, ComputesOnTheCpu) {
  EXPECT_TRUE(backend_computes("fused", kCpu, Precision::kFp32));
  EXPECT_TRUE(backend_computes("fused", kCpu, Precision::kBf16));
  EXPECT_TRUE(backend_computes("fused", kCpu, Precision::kBf16x3));
  EXPECT_FALSE(backend_computes("fused", {DeviceKind::kCuda, 0}, Precision::kBf16x3));
  EXPECT_FALSE(backend_computes("fused", kCpu, Precision::kTf32));
  EXPECT_FALSE(backend_computes("fused", kCpu, Precision::kFp16));
  EXPECT_NO_THROW(check_backend("fused", kCpu));
  EXPECT_EQ(registered_backends().front(), "fused");
}

}  // namespace
}  // namespace p2mpp
