// The fused backend against the reference, on small models with drawn weights.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "backends/clear_lookups.h"
#include "backends/companion_library.h"
#include "backends/difference.h"
#include "backends/registry.h"
#include "backends/small_networks.h"
#include "backends/tested_sets.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

constexpr Device kCpu{};

std::vector<Reconstruction> reconstruct(std::string_view backend, const Model& model, const BackendOptions& options,
                                        const std::vector<Sample>& batch) {
  return run_backend(*make_backend(backend, model, options), batch);
}

BackendOptions fused_options(Precision precision, int threads, InstructionSet set) {
  return {.device = kCpu, .precision = precision, .threads = threads, .instruction_set = set};
}

// Each semantics, and the distances to masks.
class FusedBackend : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, FusedBackend, ::testing::Values("tf", "design_b", "clean", "evidence"));

void expect_reference(const Model& model, std::size_t views, const std::vector<InstructionSet>& sets) {
  const auto reference = make_backend("torchscript", model, {kCpu});
  const auto [sample, expected] = draw_clear_sample(*reference, model, static_cast<unsigned>(views),
                                                    [&](unsigned seed) { return drawn_sample(model, seed, views); });
  for (const InstructionSet set : sets) {
    const auto found = reconstruct("fused", model, fused_options(Precision::kFp32, 1, set), {sample}).front();
    expect_agreement(model, sample, found, expected,
                     fmt::format("{}, {}, {} views", model.info.name, to_string(set), views));
  }
}

// Each number of views on each set, and each semantics with few and with many: they do not depend on each other.
TEST_P(FusedBackend, AgreesWithTheReferenceOnEveryInstructionSet) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  const std::map<std::string_view, std::vector<std::size_t>> counts = {
      {"tf", {2, 5}}, {"design_b", {3, 8}}, {"clean", {4, 8}}, {"evidence", {3}}};
  const auto sets = usable_instruction_sets();
  for (const std::size_t views : counts.at(GetParam())) {
    expect_reference(small_model(GetParam()), views, {sets.begin(), sets.end()});
  }
}

TEST(FusedBackendFormats, OfImagesAndWeightsAgreeWithTheReference) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  for (const char* name : {"small-masked", "tiny-fp16", "tiny-bf16"}) {
    expect_reference(load_model(test_models() / name), 3, {usable_instruction_sets().back()});
  }
}

TEST(FusedBackendViews, AgreeWithTheReferenceHoweverManyTheyAre) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  for (const char* name : {"tf", "clean"}) {
    const Model model = small_model(name);
    const auto reference = make_backend("torchscript", model, {kCpu});
    const auto [sample, expected] =
        draw_clear_sample(*reference, model, static_cast<unsigned>(kMaxViews),
                          [](unsigned seed) { return with_few_cameras(random_sample(seed, kMaxViews)); });
    expect_agreement(model, sample, reconstruct("fused", model, {kCpu}, {sample}).front(), expected, name);
  }
}

TEST_P(FusedBackend, AStageReadsItsFirstViews) {
  const Model model = small_model(GetParam());
  const auto run = [&](const Sample& sample) { return reconstruct("fused", model, {kCpu}, {sample}).front(); };
  const Sample all = drawn_sample(model, 4, 4);
  Sample two = all;
  two.views.resize(2);
  const Reconstruction of_all = run(all);
  const Reconstruction of_two = run(two);
  Sample mixed = all;
  mixed.stage_views = {.stage1 = 2, .stage2 = 0};
  const Reconstruction stage1_of_two = run(mixed);
  EXPECT_EQ(stage1_of_two.coarse, of_two.coarse);
  EXPECT_NE(stage1_of_two.refined, of_two.refined);
  mixed.stage_views = {.stage1 = 0, .stage2 = 2};
  const Reconstruction stage2_of_two = run(mixed);
  EXPECT_EQ(stage2_of_two.coarse, of_all.coarse);
  EXPECT_NE(stage2_of_two.refined, of_all.refined);
  mixed.stage_views = {.stage1 = 2, .stage2 = 2};
  EXPECT_EQ(run(mixed).refined, of_two.refined);
}

// In `tf` and `design_b` stage 1 divides the view's index by the map's scale, too: a lower index, so it exists.
TEST_P(FusedBackend, StageViewsAgreeWithTheReference) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  const Model model = small_model(GetParam());
  const auto reference = make_backend("torchscript", model, {kCpu});
  for (const StageViews& stage_views : {StageViews{2, 6}, StageViews{9, 2}}) {
    const auto [sample, expected] = draw_clear_sample(*reference, model, 5, [&](unsigned seed) {
      Sample drawn = drawn_sample(model, seed, std::max(stage_views.stage1, stage_views.stage2));
      drawn.stage_views = stage_views;
      return drawn;
    });
    expect_agreement(model, sample, reconstruct("fused", model, {kCpu}, {sample}).front(), expected,
                     fmt::format("{} and {} views", stage_views.stage1, stage_views.stage2));
  }
}

void expect_refined_alike(const Model& model, int side, std::size_t views) {
  const Sample sample = with_initial_mesh(drawn_sample(model, 4, views), wavy_sheet(side));
  const Reconstruction expected = reconstruct("torchscript", model, {kCpu}, {sample}).front();
  const Reconstruction found = reconstruct("fused", model, {kCpu}, {sample}).front();
  EXPECT_TRUE(found.coarse.empty());
  ASSERT_EQ(found.vertices().size(), sample.initial_mesh->vertices.size());
  expect_agreement(model, sample, found, expected, fmt::format("{} vertices", found.vertices().size()));
}

TEST_P(FusedBackend, RefinesAnyMeshAsTheReferenceDoes) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  expect_refined_alike(small_model(GetParam()), 10, 6);
}

TEST(FusedBackendMeshes, OfTwoTilesOfTheReferenceAreRefinedAlike) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  expect_refined_alike(small_model("clean"), 75, 3);
}

TEST_P(FusedBackend, AVertexOfAnInitialMeshDependsOnNoOtherAndOnNoThread) {
  const Model model = small_model(GetParam());
  const Sample sample = drawn_sample(model, 4, 2);
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
  const Model model = small_model("clean");
  const std::vector<Sample> samples = {random_sample(3, 2)};
  const auto exact = reconstruct("fused", model, {kCpu}, samples).front();
  for (const InstructionSet set : {usable_instruction_sets().back(), InstructionSet::kAmxEmulated}) {
    const auto found = reconstruct("fused", model, fused_options(Precision::kBf16x3, 1, set), samples).front();
    EXPECT_LT(relative_mean(found.coarse.back(), exact.coarse.back()), kBf16x3Mean) << to_string(set);
    EXPECT_LT(relative_mean(found.vertices(), exact.vertices()), kBf16x3Mean) << to_string(set);
    EXPECT_NE(found.vertices(), exact.vertices()) << to_string(set);
  }
}

// Of semantics whose lookups are continuous: where sets multiply tiles, stage 1 is rounded a little.
TEST(FusedBackendInBf16, LeavesStage1Alone) {
  const Model model = small_model("evidence");
  const std::vector<Sample> samples = {drawn_sample(model, 3, 2)};
  for (const InstructionSet set : tested_instruction_sets()) {
    const auto exact = reconstruct("fused", model, fused_options(Precision::kFp32, 1, set), samples).front();
    const auto found = reconstruct("fused", model, fused_options(Precision::kBf16, 1, set), samples).front();
    if (multiplies_tiles(set)) {
      EXPECT_LT(relative_mean(found.coarse.back(), exact.coarse.back()), kBf16x3Mean) << to_string(set);
    } else {
      EXPECT_EQ(found.coarse, exact.coarse);
    }
    // A network of few channels has few terms for errors to cancel in; for the real one see below.
    EXPECT_LT(difference(found.vertices(), exact.vertices()).mean, 1e-3) << to_string(set);
    EXPECT_GT(difference(found.vertices(), exact.vertices()).largest, 0) << to_string(set);
  }
}

// From an initial mesh: bf16 leaves stage 1 alone, and fewer vertices than the template's show the same errors.
TEST(FusedBackendInFullSize, Bf16IsNear) {
  const Model model = load_model(test_models() / "golden-clean");
  const std::vector<Sample> samples = {with_initial_mesh(random_sample(3, 3), wavy_sheet(20))};
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
  const Model model = small_model(GetParam());
  std::vector<Sample> samples;
  for (unsigned seed = 0; seed < 3; ++seed) samples.push_back(drawn_sample(model, seed, 2));
  const InstructionSet best = usable_instruction_sets().back();
  std::vector<std::pair<Precision, InstructionSet>> cases = {{Precision::kFp32, best}, {Precision::kBf16, best}};
  if (GetParam() == std::string_view("clean")) cases.emplace_back(Precision::kBf16, InstructionSet::kAmxEmulated);
  for (const auto& [precision, set] : cases) {
    const auto expected = reconstruct("fused", model, fused_options(precision, 1, set), samples);
    const auto backend = make_backend("fused", model, fused_options(precision, 3, set));
    for (const std::size_t i : {2U, 0U, 1U, 2U}) {
      const Reconstruction found = run_backend(*backend, samples[i]);
      EXPECT_EQ(found.coarse, expected[i].coarse);
      EXPECT_EQ(found.refined, expected[i].refined);
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
    const Model model = small_model(name);
    const std::vector<Sample> samples = {white(random_sample(1, 3), false), white(random_sample(1, 3), true)};
    const auto found = reconstruct("fused", model, {kCpu}, samples);
    EXPECT_EQ(found[0].vertices() == found[1].vertices(), model.info.sizes.image_channels == 3) << name;
  }
}

TEST(FusedBackendMasks, ModelJsonNamesTheChannelsThatTheArchiveHas) {
  for (const char* name : {"clean", "masked", "evidence"}) {
    Model model = small_model(name);
    const std::int64_t channels = model.info.sizes.image_channels;
    model.info.sizes.image_channels = 7 - channels;
    EXPECT_EQ(message_of<InputError>([&] { static_cast<void>(make_backend("fused", model, {kCpu})); }),
              fmt::format("{}/stage1.pt: its first convolution reads images of {} channels; expected {} (model.json)",
                          model.info.folder.string(), channels, 7 - channels));
  }
}

TEST(FusedBackendSamples, AreForgotten) {
  const Model model = small_model("clean");
  const auto backend = make_backend("fused", model, {kCpu});
  const Sample two = random_sample(2, 2);
  const auto fresh = reconstruct("fused", model, {kCpu}, {two});
  static_cast<void>(run_backend(*backend, random_sample(1, 5)));
  EXPECT_EQ(run_backend(*backend, two).refined, fresh.front().refined);
}

TEST(TorchscriptBackend, SaysWhatIsMissingInABuildWithoutLibTorch) {
  if (libtorch_version_text() != "none") GTEST_SKIP() << "this build has LibTorch";
  EXPECT_HOLDS(message_of<Error>([] { check_backend("torchscript", kCpu); }), "built without LibTorch");
  EXPECT_THROW(static_cast<void>(make_backend("torchscript", small_model("clean"), {kCpu})), Error);
}

TEST(FusedBackendChoice, ComputesWhatEachDeviceCan) {
  using enum Precision;
  constexpr Device kCuda{DeviceKind::kCuda, 0};
  for (const Precision precision : {kFp32, kTf32, kBf16, kFp16})
    EXPECT_TRUE(backend_computes("fused", kCuda, precision));
  for (const Precision precision : {kFp32, kBf16, kBf16x3}) EXPECT_TRUE(backend_computes("fused", kCpu, precision));
  for (const Precision precision : {kTf32, kFp16}) EXPECT_FALSE(backend_computes("fused", kCpu, precision));
  EXPECT_FALSE(backend_computes("fused", kCuda, kBf16x3));
  EXPECT_NO_THROW(check_backend("fused", kCpu));
  EXPECT_EQ(registered_backends().front(), "fused");
}

}  // namespace
}  // namespace p2mpp
