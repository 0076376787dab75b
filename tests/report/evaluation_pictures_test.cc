#include "report/evaluation_page.h"
#include "support/evaluation_fixture.h"
#include "support/ray_tracer.h"

namespace p2mpp {
namespace {

class DrawEvaluation : public EvaluationFixture {
 protected:
  void SetUp() override { P2MPP_NEEDS_RAY_TRACER(); }

  Evaluation evaluate_samples(int count, bool with_truth) {
    std::vector<ListEntry> entries;
    for (int i = 0; i < count; ++i) {
      entries.push_back(add_sample("chair", std::string(1, static_cast<char>('a' + i))));
      if (with_truth) add_truth(entries.back());
    }
    if (!with_truth) options_.truth_root.clear();
    return evaluate(entries, options_, {}, engine_, trace_, {});
  }

  EvaluationPictures draw(const Evaluation& evaluation) {
    return draw_evaluation(evaluation, [this](const SampleResult&) -> const PipelineOptions& { return options_; });
  }
};

TEST_F(DrawEvaluation, ShowsBestMedianAndWorst) {
  Evaluation evaluation = evaluate_samples(13, true);
  for (std::size_t i = 0; i < 13; ++i) {
    evaluation.results[i].scores->vertices.chamfer_distance = static_cast<double>(7 * i % 13);  // 0 7 1 8 2 9 3 ...
  }
  const auto [groups, note] = draw(evaluation);
  EXPECT_EQ(note, "");
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name, "best");
  EXPECT_EQ(groups[0].samples.size(), 4U);
  EXPECT_EQ(groups[0].samples[0].id, "chair_a_00");
  EXPECT_EQ(groups[0].samples[1].id, "chair_c_00");
  EXPECT_EQ(groups[2].samples.back().id, "chair_l_00");  // 77 % 13 = 12
  for (const PicturedSample& sample : groups[1].samples) {
    ASSERT_EQ(sample.images.size(), 3U);
    for (const auto& [name, image] : sample.images) EXPECT_EQ(image.width, image.height) << name;
  }
}

TEST_F(DrawEvaluation, WithoutTruthShowsTheFirst) {
  const std::vector<PictureGroup> groups = draw(evaluate_samples(6, false)).groups;
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].name, "first of the list");
  EXPECT_EQ(groups[0].samples.size(), 4U);
  EXPECT_EQ(groups[0].samples[0].images.size(), 2U);
  EXPECT_TRUE(draw({}).groups.empty());
}

TEST_F(DrawEvaluation, ASampleWhoseFilesAreGoneIsLeftOut) {
  const Evaluation evaluation = evaluate_samples(2, true);
  std::filesystem::remove(options_.out / "chair_a_00_predict.obj");
  std::filesystem::remove(options_.out / "chair_a_00_predict.xyz");
  const auto [groups, note] = draw(evaluation);
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].samples.size(), 1U);
  EXPECT_EQ(groups[0].samples[0].id, "chair_b_00");
  EXPECT_TRUE(note.starts_with("A sample is not shown: chair_a_00: ")) << note;
  std::filesystem::remove_all(options_.images_root);
  const EvaluationPictures none = draw(evaluation);
  EXPECT_TRUE(none.groups.empty());
  EXPECT_TRUE(none.note.starts_with("2 samples are not shown; the first: chair_a_00: ")) << none.note;
}

TEST_F(DrawEvaluation, EachSampleHasItsOwnPlaces) {
  const Evaluation evaluation = evaluate_samples(2, true);
  PipelineOptions elsewhere = options_;
  elsewhere.out = options_.out / "elsewhere";
  std::filesystem::create_directory(elsewhere.out);
  std::filesystem::rename(options_.out / "chair_b_00_predict.obj", elsewhere.out / "chair_b_00_predict.obj");
  const auto find_options = [&](const SampleResult& result) -> const PipelineOptions& {
    return result.id == "chair_b_00" ? elsewhere : options_;
  };
  const EvaluationPictures pictures = draw_evaluation(evaluation, find_options);
  EXPECT_EQ(pictures.note, "");
  ASSERT_EQ(pictures.groups.size(), 1U);
  EXPECT_EQ(pictures.groups[0].samples.size(), 2U);
}

}  // namespace
}  // namespace p2mpp
