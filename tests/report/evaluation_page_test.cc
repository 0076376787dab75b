#include "report/evaluation_page.h"

#include "report/page_data.h"
#include "support/messages.h"
#include "support/report_data.h"

namespace p2mpp {
namespace {

std::string page_of(const Evaluation& evaluation, const EvaluationPictures& pictures = {}) {
  EvaluationSettings settings;
  settings.list = "lists/test.txt";
  settings.device = "cpu";
  settings.backend = "fused";
  settings.precision = "fp32";
  settings.model.name = "tiny </script>";
  Environment environment;
  environment.cpu = "a fast one";
  return evaluation_page(evaluation, summarize(evaluation), run_description(settings, environment), pictures);
}

TEST(EvaluationPage, HoldsEveryFigure) {
  const std::string page = page_of(sample_evaluation());
  expect_self_contained(page);
  const auto data = page_data(page);
  ASSERT_EQ(data["samples"].size(), 5U);
  const auto column = [&](const std::string& name) {
    for (std::size_t i = 0; i < data["columns"].size(); ++i) {
      if (data["columns"][i]["name"] == name) return i;
    }
    ADD_FAILURE() << name;
    return std::size_t{0};
  };
  EXPECT_EQ(data["samples"][0][column("id")], "chair_1_00");
  EXPECT_EQ(data["samples"][0][column("cd")], 1.0);  // x1000
  EXPECT_EQ(data["samples"][1][column("coarse_cd")], 6.0);
  EXPECT_EQ(data["samples"][1][column("total_ms")], 23.0);
  EXPECT_TRUE(data["samples"][3][column("cd")].is_null());
  EXPECT_TRUE(data["samples"][4][column("total_ms")].is_null());
  EXPECT_EQ(data["samples"][4][column("status")], "failed");
  ASSERT_EQ(data["failures"].size(), 2U);
  EXPECT_EQ(data["failures"][1][3], "a \"quoted\", reason");
  EXPECT_EQ(data["figures"][0]["name"], "mean CD x1000");
  EXPECT_EQ(data["figures"][0]["value"], "3.000");
  EXPECT_EQ(data["categories"][2][0], "  chair");
  EXPECT_HOLDS(data["environment"].dump(), "a fast one");
  EXPECT_HOLDS(data["settings"].dump(), "lists/test.txt");
}

TEST(EvaluationPage, HoldsPictures) {
  const Image image{4, 4, std::vector<std::uint8_t>(64, 9)};
  const auto data = page_data(page_of(
      sample_evaluation(),
      {{{"best",
         {{"chair_1_00", "chair", "CD 1", {{"first view", image}}, "<html>"}, {"chair_2_00", "chair", "CD 2", {}}}}},
       "one is gone"}));
  EXPECT_EQ(data["pictures"][0]["name"], "best");
  EXPECT_EQ(data["pictures"][0]["samples"][0]["category"], "chair");
  EXPECT_EQ(data["pictures"][0]["samples"][0]["view"], "chair_1_00_view.html");
  EXPECT_TRUE(data["pictures"][0]["samples"][1]["view"].is_null());
  EXPECT_TRUE(data["pictures"][0]["samples"][0]["images"][0][1].get<std::string>().starts_with("data:image/png"));
  EXPECT_EQ(data["pictures_note"], "one is gone");
}

TEST(EvaluationPage, ShowsAllThatMergedRunsSay) {
  const RunDescription description = {{"settings", {{"list", {"a.txt", "b.txt"}}, {"device", {"cpu", "cuda:0"}}}},
                                      {"model", {{"name", "tiny"}}}};
  const std::string page =
      evaluation_page(sample_evaluation(), summarize(sample_evaluation()), description, EvaluationPictures{});
  const auto data = page_data(page);
  EXPECT_EQ(data["subtitle"], "model tiny (-), - - on cpu, cuda:0, 5 samples");
  EXPECT_EQ(data["settings"].dump(), R"([["model name","tiny"],["list","a.txt, b.txt"],["device","cpu, cuda:0"]])");
  EXPECT_TRUE(data["environment"].empty());
}

TEST(EvaluationPage, WithoutScoresThereAreNoCategories) {
  Evaluation evaluation = sample_evaluation();
  for (SampleResult& result : evaluation.results) result.scores.reset();
  const auto data = page_data(page_of(evaluation));
  EXPECT_TRUE(data["categories"].empty());
  EXPECT_EQ(data["figures"][0]["name"], "ms a sample, median");
}

TEST(EvaluationPage, AThousandSamplesStaySmall) {
  Evaluation evaluation;
  for (int i = 0; i < 1000; ++i) {
    const std::string category = i % 2 == 0 ? "02691156" : "03001627";
    evaluation.results.push_back(scored_result(category,
                                               category + "_1a2b3c4d5e6f7890abcdef" + std::to_string(i) + "_00",
                                               500.0 + i / 7.0, 0.0003 + i * 1.234567e-6));
  }
  // Twelve samples with three noisy pictures each come on top: 320x320 RGB at most.
  EXPECT_LT(page_of(evaluation).size() + 36 * (320 * 320 * 3) * 4 / 3, 20'000'000U);
}

}  // namespace
}  // namespace p2mpp
