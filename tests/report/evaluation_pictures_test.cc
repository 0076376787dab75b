#include "report/evaluation_pictures.h"

#include "eval/evaluation_fixture.h"
#include "render/picture.h"

#define NEEDS_DRAWING() \
  if (!can_draw()) GTEST_SKIP() << "this build has no ray tracer"

namespace p2mpp {
namespace {

class EvaluationPictures : public EvaluationFixture {
 protected:
  Evaluation evaluate_samples(int count, bool with_truth) {
    std::vector<ListEntry> entries;
    for (int i = 0; i < count; ++i) {
      entries.push_back(add_sample("chair", std::string(1, static_cast<char>('a' + i))));
      if (with_truth) add_truth(entries.back());
    }
    if (!with_truth) options_.truth_root.clear();
    return evaluate(entries, options_, {}, engine_.reconstructor(), trace_, {});
  }
};

TEST_F(EvaluationPictures, ShowsBestMedianAndWorst) {
  NEEDS_DRAWING();
  Evaluation evaluation = evaluate_samples(13, true);
  for (std::size_t i = 0; i < 13; ++i) {
    evaluation.results[i].scores->vertices.chamfer_distance = static_cast<double>(7 * i % 13);  // 0 7 1 8 2 9 3 ...
  }
  const std::vector<PictureGroup> groups = draw_evaluation(evaluation, options_);
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

TEST_F(EvaluationPictures, WithoutTruthShowsTheFirst) {
  NEEDS_DRAWING();
  const std::vector<PictureGroup> groups = draw_evaluation(evaluate_samples(6, false), options_);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].name, "first of the list");
  EXPECT_EQ(groups[0].samples.size(), 4U);
  EXPECT_EQ(groups[0].samples[0].images.size(), 2U);
}

TEST_F(EvaluationPictures, ASampleWhoseFilesAreGoneIsLeftOut) {
  NEEDS_DRAWING();
  const Evaluation evaluation = evaluate_samples(2, true);
  std::filesystem::remove(options_.out / "chair_a_00_predict.obj");
  std::filesystem::remove(options_.out / "chair_a_00_predict.xyz");
  const std::vector<PictureGroup> groups = draw_evaluation(evaluation, options_);
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].samples.size(), 1U);
  EXPECT_EQ(groups[0].samples[0].id, "chair_b_00");
}

TEST_F(EvaluationPictures, NothingReconstructedIsNothingToShow) { EXPECT_TRUE(draw_evaluation({}, options_).empty()); }

}  // namespace
}  // namespace p2mpp
