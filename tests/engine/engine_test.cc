#include "p2mpp/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "backends/random_samples.h"
#include "base/machine/device_choice.h"
#include "engine/computation.h"
#include "engine/small_options.h"
#include "p2mpp/error.h"
#include "p2mpp/triangle_mesh.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

std::vector<std::string_view> backends_of_this_build() {
  std::vector<std::string_view> names(backend_names().begin(), backend_names().end());
  if (Engine::libtorch_version() == "none") std::erase(names, "torchscript");
  return names;
}

const auto kBackends = ::testing::ValuesIn(backends_of_this_build());

class EveryBackend : public ::testing::TestWithParam<std::string_view> {
 protected:
  static EngineOptions options() { return small_options(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(All, EveryBackend, kBackends, [](const auto& one) { return std::string(one.param); });

class EverySemantics : public ::testing::TestWithParam<std::tuple<std::string_view, const char*>> {
 protected:
  static EngineOptions options() { return small_options(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(All, EverySemantics,
                         ::testing::Combine(kBackends, ::testing::Values("tf", "design_b", "clean")),
                         [](const auto& one) {
                           return std::string(std::get<0>(one.param)) + "_" + std::get<1>(one.param);
                         });

TEST_P(EverySemantics, EveryNumberOfViewsGivesTheSameMeshAgain) {
  Engine engine(options());
  for (const std::size_t view_count : {2U, 9U}) {
    const std::vector<Sample> samples = {random_sample(11, view_count)};
    const ReconstructionResult result = engine.reconstruct(samples).front();
    EXPECT_EQ(result.problem, "");
    const TriangleMesh mesh = engine.mesh(samples[0], result.reconstruction);
    EXPECT_TRUE(check_mesh(mesh).ok()) << check_mesh(mesh).detail;
    EXPECT_GE(signed_volume(mesh), 0);
    EXPECT_EQ(mesh.vertices, result.reconstruction.vertices());
    EXPECT_EQ(engine.reconstruct(samples).front().reconstruction.vertices(), mesh.vertices);
  }
}

TEST_P(EveryBackend, VerticesDoNotDependOnTheBatch) {
  std::vector<Sample> samples;
  for (unsigned seed = 0; seed < 5; ++seed) samples.push_back(random_sample(seed, seed < 3 ? 3 : 2));
  std::vector<std::vector<ReconstructionResult>> results;
  for (const int batch : {1, 2, 64}) {
    EngineOptions options = EveryBackend::options();
    options.batch = batch;
    results.push_back(Engine(options).reconstruct(samples));
    ASSERT_EQ(results.back().size(), samples.size());
  }
  for (const auto& other : results) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      EXPECT_EQ(other[i].problem, "");
      EXPECT_EQ(other[i].reconstruction.vertices(), results[0][i].reconstruction.vertices()) << "sample " << i;
    }
  }
}

TEST(Engine, CudaAgreesWithTheCpuForEveryBatch) {
  if (const DeviceChoice choice = choose_device("auto"); !choice.note.empty()) GTEST_SKIP() << choice.note;
  std::vector<Sample> samples;
  for (unsigned seed = 0; seed < 5; ++seed) samples.push_back(random_sample(seed, 3));
  EngineOptions options = small_options("fused");
  options.precision = "fp32";
  const std::vector<ReconstructionResult> expected = Engine(options).reconstruct(samples);
  options.device = "cuda";
  for (const int batch : {1, 4, 16}) {
    options.batch = batch;
    const std::vector<ReconstructionResult> found = Engine(options).reconstruct(samples);
    ASSERT_EQ(found.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Points& vertices = expected[i].reconstruction.vertices();
      for (std::size_t v = 0; v < vertices.size(); ++v) {
        ASSERT_LT((found[i].reconstruction.vertices()[v] - vertices[v]).norm(), 1e-4)
            << "sample " << i << ", vertex " << v;
      }
    }
  }
}

TEST(Engine, AWrongNumberOfViewsFailsAlone) {
  Engine engine(small_options());
  const std::vector<Sample> samples = {random_sample(1, 3), random_sample(2, 1), random_sample(3, 65),
                                       random_sample(4, 3)};
  const std::vector<ReconstructionResult> results = engine.reconstruct(samples);
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[0].problem, "");
  EXPECT_EQ(results[1].problem, "1 views; expected 2 to 64");
  EXPECT_EQ(results[2].problem, "65 views; expected 2 to 64");
  EXPECT_EQ(results[3].problem, "");
}

TEST_P(EveryBackend, BatchesComeBackInOrder) {
  Engine engine(options());
  Engine alone_engine(options());
  const std::vector<std::vector<Sample>> batches = {
      {random_sample(1, 2), random_sample(2, 3)}, {random_sample(3, 3)}, {random_sample(4, 2), random_sample(5, 2)}};
  std::size_t submitted = 0, collected = 0;
  for (const auto& samples : batches) {
    while (submitted < std::min(batches.size(), collected + engine.batches_in_flight())) {
      engine.submit(batches[submitted++]);
    }
    const std::vector<ReconstructionResult> results = engine.collect();
    ++collected;
    ASSERT_EQ(results.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const ReconstructionResult alone = alone_engine.reconstruct({&samples[i], 1}).front();
      EXPECT_EQ(results[i].problem, alone.problem);
      EXPECT_EQ(results[i].reconstruction.refined, alone.reconstruction.refined);
    }
  }
}

TEST(Engine, ABatchWithABadSampleIsNotBegun) {
  Engine engine(small_options());
  const std::vector<Sample> samples = {random_sample(1, 2), random_sample(2, 65)};
  EXPECT_THROW(engine.submit(samples), InputError);
  engine.submit({samples.data(), 1});
  EXPECT_EQ(engine.collect().size(), 1U);
}

// Each message names the function that is expected first.
TEST(Engine, BatchesOutOfTurnAreRefused) {
  Engine engine(small_options());
  const auto collect = [&engine] { static_cast<void>(engine.collect()); };
  EXPECT_EQ(message_of<UsageError>(collect), "collect: no batch is in flight; expected submit() first");
  const std::vector<Sample> samples = {random_sample(1, 2)};
  for (std::size_t i = 0; i < engine.batches_in_flight(); ++i) engine.submit(samples);
  EXPECT_EQ(message_of<UsageError>([&] { engine.submit(samples); }),
            "submit: as many batches are in flight as the engine takes (1); expected collect() first");
  EXPECT_EQ(message_of<UsageError>([&] { static_cast<void>(engine.reconstruct(samples)); }),
            "reconstruct: a batch is in flight; expected collect() first");
  EXPECT_EQ(engine.collect().size(), 1U);
  EXPECT_EQ(message_of<UsageError>(collect), "collect: no batch is in flight; expected submit() first");
  EXPECT_EQ(engine.reconstruct(samples).size(), 1U);
}

// The model that the environment names is the bundled one of this process.
TEST(Engine, WithoutAModelTakesTheBundledOne) {
  EngineOptions options = small_options();
  ASSERT_EQ(setenv("P2MPP_MODEL", options.model.c_str(), 1), 0);
  options.model.clear();
  EXPECT_EQ(Engine(options).model().folder, small_options().model);
  unsetenv("P2MPP_MODEL");
}

TEST(Engine, CoarseMeshesLieAsTheMeshDoes) {
  Engine engine(small_options());
  const std::vector<Sample> samples = {random_sample(9, 3)};
  Reconstruction reconstruction = engine.reconstruct(samples).front().reconstruction;
  const std::vector<TriangleMesh> meshes = engine.coarse_meshes(reconstruction);
  ASSERT_EQ(meshes.size(), reconstruction.coarse.size());
  for (std::size_t level = 0; level < meshes.size(); ++level) {
    EXPECT_TRUE(check_mesh(meshes[level]).ok()) << check_mesh(meshes[level]).detail;
    EXPECT_GE(signed_volume(meshes[level]), 0);
    EXPECT_EQ(meshes[level].vertices, reconstruction.coarse[level]);
  }
  reconstruction.refined.back()[3].y() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(engine.mesh(samples[0], reconstruction)), InputError) << "not finite: no mesh";
}

TEST_P(EveryBackend, InitialMeshesAndSamplesWithoutOneGoTogether) {
  EngineOptions together = options();
  together.batch = 4;
  Engine engine(together);
  Engine alone(options());
  const TriangleMesh sheet = wavy_sheet(11);
  const std::vector<Sample> samples = {random_sample(1, 3), with_initial_mesh(random_sample(2, 3), sheet),
                                       random_sample(3, 3), with_initial_mesh(random_pinhole_sample(4, 6), sheet)};
  const std::vector<ReconstructionResult> results = engine.reconstruct(samples);
  ASSERT_EQ(results.size(), samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(results[i].reconstruction.refined, alone.reconstruct({&samples[i], 1}).front().reconstruction.refined);
  }
  EXPECT_TRUE(engine.coarse_meshes(results[3].reconstruction).empty());
  const TriangleMesh mesh = in_frame(engine.mesh(samples[3], results[3].reconstruction), samples[3], Frame::kWorld);
  EXPECT_EQ(mesh.triangles, sheet.triangles);
  ASSERT_EQ(mesh.vertices.size(), sheet.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    EXPECT_LT((mesh.vertices[i] - sheet.vertices[i]).norm(), 0.05F) << "two steps of at most the hypotheses' radius";
  }
}

/// What is wrong with a sample; "" if nothing is.
std::string problem_of(const Sample& sample) {
  return refusal_by([&] { check_computable(sample); });
}

TEST(ComputableSample, AnInitialMeshThatCannotBeRefinedSaysWhy) {
  const std::pair<void (*)(TriangleMesh&), const char*> cases[] = {
      {[](TriangleMesh&) {}, ""},
      {[](TriangleMesh& mesh) { mesh.triangles[3][1] = mesh.triangles[3][0]; }, ""},
      {[](TriangleMesh& mesh) { mesh.vertices.pop_back(); }, "initial mesh: has 99 vertices; expected 100 to 200000"},
      {[](TriangleMesh& mesh) { mesh.vertices.resize(200'001, Eigen::Vector3f::Zero()); },
       "initial mesh: has 200001 vertices; expected 100 to 200000"},
      {[](TriangleMesh& mesh) { mesh.vertices[7].y() = std::numeric_limits<float>::infinity(); },
       "initial mesh: vertex 8, counted from 1, is not finite; expected three numbers"},
      {[](TriangleMesh& mesh) { mesh.triangles.clear(); }, "initial mesh: has no triangle; expected a mesh"},
      {[](TriangleMesh& mesh) { mesh.triangles[3][1] = 100; },
       "initial mesh: triangle 4, counted from 1, names vertex 101; expected 1 to 100"},
      {[](TriangleMesh& mesh) { mesh.triangles[3][1] = -1; },
       "initial mesh: triangle 4, counted from 1, names vertex 0; expected 1 to 100"},
      {[](TriangleMesh& mesh) {
         for (Eigen::Vector3f& vertex : mesh.vertices) vertex.y() += 1000;  // above all cameras, which look down
       },
       "initial mesh: no view shows a vertex of it; expected it around the object, in the world of the cameras"}};
  for (const auto& [damage, problem] : cases) {
    TriangleMesh mesh = wavy_sheet(10);
    damage(mesh);
    EXPECT_EQ(problem_of(with_initial_mesh(random_sample(9, 3), std::move(mesh))), problem);
  }
}

TEST(ComputableSample, SaysWhyItIsNone) {
  const std::pair<void (*)(Sample&), const char*> cases[] = {
      {[](Sample& sample) { sample.views[1].row->azimuth_deg = std::numeric_limits<float>::quiet_NaN(); },
       "camera of view 1"},
      {[](Sample& sample) { sample.views[2].row->distance = 0; }, "camera of view 2"},
      {[](Sample& sample) { sample.views[2].row->distance += 0.1F; },
       "camera of view 2: is not the one of its row; expected camera_from_row(), or no row"},
      {[](Sample& sample) {
         sample.views[1].row.reset();
         sample.views[1].camera.intrinsics.fy = 0;
       },
       "camera of view 1: fy is 0; expected a positive number"},
      {[](Sample& sample) {
         sample.network_frame = Camera();
         sample.network_frame->rotation.row(1) *= -1;
       },
       "network's frame: the rotation is a reflection: its determinant is -1; expected 1"},
      {[](Sample& sample) { sample.stage_views.stage1 = 1; }, "stage 1 reads 1 views; expected 2 to 3, or 0 for all"},
      {[](Sample& sample) { sample.stage_views.stage2 = 4; }, "stage 2 reads 4 views; expected 2 to 3, or 0 for all"},
      {[](Sample& sample) { sample.source_from_world.scale = -1; },
       "source_from_world: scale is -1; expected a positive number"},
      {[](Sample& sample) {
         sample.views[1].image = {4, 2, std::vector<std::uint8_t>(32)};
       },
       "image of view 1: 4x2 pixels; expected a square (padded_to_square())"},
      {[](Sample& sample) { sample.views[0].image.rgba.pop_back(); }, "image of view 0"}};
  for (const auto& [damage, problem] : cases) {
    Sample sample = random_sample(9, 3);
    damage(sample);
    EXPECT_EQ(problem_of(sample).rfind(problem, 0), 0U) << problem_of(sample) << "; expected " << problem;
  }
}

TEST_P(EveryBackend, PartsAddUpToLessThanTheWhole) {
  Engine engine(options());
  const std::vector<Sample> samples = {random_sample(9, 3)};
  const PartTimes times = engine.reconstruct(samples).front().times;
  for (const Part part : {Part::kPreprocess, Part::kCnn1, Part::kGcn, Part::kCnn2, Part::kProjection, Part::kDrb}) {
    EXPECT_GT(times[part], 0) << to_string(part);
  }
  EXPECT_EQ(times[Part::kRead], 0);
  EXPECT_EQ(times[Part::kWrite], 0);
}

TEST_P(EveryBackend, TheBatchIsAsAskedForOrMeasured) {
  EngineOptions asked = options();
  asked.batch = 3;
  const Engine given(asked);
  EXPECT_EQ(given.batch(), 3);
  EXPECT_FALSE(given.batch_choice().is_measured());
  asked.batch = kAutoBatch;
  Engine measured(asked);
  const BatchChoice& choice = measured.batch_choice();
  EXPECT_EQ(measured.batch(), choice.batch);
  // A slow machine stops early; batch_choice_test.cc has the rules.
  EXPECT_TRUE(choice.trials.size() >= 2 || choice.reason.find("too long to measure") != std::string::npos)
      << choice.reason;
  const std::vector<Sample> samples = {random_sample(1, 3), random_sample(2, 3)};
  EXPECT_EQ(measured.reconstruct(samples)[1].problem, "");
  asked.memory_share = 1e-9;
  EXPECT_EQ(Engine(asked).batch(), 1);
}

TEST(Engine, SaysWhichBackendAutoIs) { EXPECT_EQ(Engine(small_options()).backend(), backend_names().front()); }

}  // namespace
}  // namespace p2mpp
