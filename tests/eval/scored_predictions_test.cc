#include "eval/scored_predictions.h"

#include "support/evaluation_fixture.h"
#include "support/write_prediction.h"

namespace p2mpp {
namespace {

class ScoredPredictions : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* id : {"chair_a_00", "chair_b_00", "lamp_c_00"}) {
      write_prediction(predicted(), id, tetrahedron(0.3F), {});
      write_file_atomically(truth() / (std::string(id) + "_ground.xyz"), "0 0 0\n0.3 0 0\n");
    }
  }

  [[nodiscard]] std::vector<ScoredPrediction> score(const std::vector<ListEntry>& entries) const {
    return score_predictions(predicted(), truth(), entries, {}, {}, [](const ScoredPrediction&) {});
  }
  [[nodiscard]] std::filesystem::path predicted() const { return predicted_.path(); }
  [[nodiscard]] std::filesystem::path truth() const { return truth_.path(); }

 private:
  TemporaryFolder predicted_, truth_;
};

TEST_F(ScoredPredictions, EveryPredictionOfTheFolderIsScored) {
  const auto results = score(list_predictions(predicted()));
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].id, "chair_a_00");
  EXPECT_EQ(results[2].category, "lamp");
  for (const ScoredPrediction& result : results) {
    ASSERT_TRUE(result.scores) << result.problem;
    EXPECT_EQ(result.scores->vertices.recall_tau, 100);
    EXPECT_TRUE(is_defined(result.scores->surface));
  }
  const ScoreSummary summary = summarize(results);
  EXPECT_EQ(summary.all().count, 3U);
  EXPECT_EQ(summary.by_category().at("chair").count, 2U);
  EXPECT_EQ(summary.by_category().at("lamp").mean.vertices.precision_tau, 50);
}

TEST_F(ScoredPredictions, PointsAreTakenWhereThereIsNoMesh) {
  std::filesystem::remove(predicted() / "lamp_c_00_predict.obj");
  const auto results = score(list_predictions(predicted()));
  ASSERT_TRUE(results[2].scores);
  EXPECT_FALSE(is_defined(results[2].scores->surface));
  EXPECT_FALSE(is_defined(summarize(results).all().mean.surface));
}

TEST_F(ScoredPredictions, ABadOneIsNamedAndTheOthersGoOn) {
  write_file_atomically(predicted() / "chair_a_00_predict.obj", "v 0 0\n");
  std::filesystem::remove(truth() / "chair_b_00_ground.xyz");
  std::vector<ListEntry> entries = list_predictions(predicted());
  entries.push_back(list_entry("lamp_none_00.dat", 4));
  entries.push_back(list_entry("../lamp", 5));
  const auto results = score(entries);
  ASSERT_EQ(results.size(), 5U);
  EXPECT_HOLDS(results[0].problem, "chair_a_00_predict.obj");
  EXPECT_HOLDS(results[1].problem, "no ground truth for chair_b_00");
  EXPECT_TRUE(results[2].scores);
  EXPECT_HOLDS(results[3].problem, "no prediction for lamp_none_00");
  EXPECT_HOLDS(results[4].problem, "expected");
  EXPECT_EQ(summarize(results).all().count, 1U);
}

TEST_F(ScoredPredictions, TablesHoldEveryFigure) {
  const auto results = score(list_predictions(predicted()));
  const std::string text = predictions_csv(results);
  EXPECT_TRUE(text.starts_with("id,category,problem,vertices_chamfer_distance,vertices_f1_tau,")) << text;
  EXPECT_HOLDS(text, "coarse_hausdorff_90,coarse_normal_consistency\n");
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  const std::string categories = categories_csv(summarize(results));
  EXPECT_HOLDS(categories, "\nchair,2,");
  EXPECT_HOLDS(categories, "\nlamp,1,");
  EXPECT_HOLDS(categories, "\nall,3,");
  EXPECT_EQ(score_table(summarize(results)).size(), 7U);
}

TEST(ListPredictions, RefusesAFolderWithoutAny) {
  const TemporaryFolder folder;
  EXPECT_THROW(static_cast<void>(list_predictions(folder.path())), InputError);
  EXPECT_THROW(static_cast<void>(list_predictions(folder.path() / "none")), InputError);
}

}  // namespace
}  // namespace p2mpp
