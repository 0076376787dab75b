#include "backends/cpu/deformation_reasoning.h"

#include "backends/cpu/cpu_cases.h"
#include "backends/self_check/cpu_check.h"

namespace p2mpp {
namespace {

class DeformationReasoningTest : public EveryInstructionSet {};
INSTANTIATE_TEST_SUITE_P(All, DeformationReasoningTest, kTestedSets, set_name);

/// A block of random sizes over one small map.
DrawnReasoning drawn_block(unsigned seed) {
  Draw draw(seed);
  const ReasoningSizes sizes{.vertices = draw.whole(1, 20),
                             .hypotheses = draw.whole(1, 60),
                             .hidden = draw.whole(1, 70),
                             .layers = draw.whole(2, 7),
                             .views = 2,
                             .maps = {{28, draw.whole(1, 20)}}};
  return {draw, sizes, rounded<float>};
}

/// From the features that were looked up.
double score_difference(const DrawnReasoning& drawn, const ReasonedBlock& found) {
  const std::size_t width = found.trace.projection.size() / found.trace.scores.size();
  return relative_difference(found.trace.scores, drawn.scores(plain::as_matrix(found.trace.projection, width)));
}

TEST_P(DeformationReasoningTest, RandomSizes) {
  for (unsigned seed = 0; seed < 25; ++seed) {
    const DrawnReasoning drawn = drawn_block(seed);
    const ReasonedBlock found = reasoned<float>(GetParam(), drawn, 1);
    ASSERT_LT(relative_difference(found.trace.projection, drawn.features().values), 2e-4) << "seed " << seed;
    ASSERT_LT(score_difference(drawn, found), 1e-5) << "seed " << seed;
    ASSERT_LT(relative_difference(found.moved, drawn.moved(found.trace.scores)), 1e-6) << "seed " << seed;
    const ReasonedBlock splits = reasoned<SplitFloat>(GetParam(), drawn, 1);
    ASSERT_LT(score_difference(drawn, splits), 1e-4) << "seed " << seed;
    const ReasonedBlock halves = reasoned<Bfloat16>(GetParam(), drawn, 1);
    ASSERT_LT(score_difference(drawn, halves), 0.03) << "seed " << seed;
    ASSERT_LT(relative_difference(halves.moved, drawn.moved(halves.trace.scores)), 1e-6) << "seed " << seed;
  }
}

}  // namespace
}  // namespace p2mpp
