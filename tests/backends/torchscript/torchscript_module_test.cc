#include "backends/torchscript/torchscript_module.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "backends/golden_data.h"
#include "model/model.h"
#include "model/stage_archive.h"
#include "p2mpp/error.h"
#include "support/messages.h"

namespace p2mpp::torchscript {
namespace {

const c10::Device kCpu(c10::kCPU);

Model tiny_model() { return load_model(test_models() / "tiny-clean"); }

std::string refusal(const std::string& archive, int stage, Semantics semantics, std::int64_t image_channels = 3) {
  ModelInfo info;
  info.semantics = semantics;
  info.sizes.image_channels = image_channels;
  return refusal_by([&] { static_cast<void>(open_module("x/stage.pt", archive, stage, info, kCpu)); });
}

TEST(OpenModule, TakesTheStageItIsGiven) {
  const Model model = tiny_model();
  EXPECT_EQ(refusal(model.stage1_archive, 1, Semantics::kClean), "");
  EXPECT_EQ(refusal(model.stage1_archive, 2, Semantics::kClean), "x/stage.pt: holds stage 1; expected stage 2");
  EXPECT_EQ(refusal(model.stage2_archive, 1, Semantics::kClean), "x/stage.pt: holds stage 2; expected stage 1");
  EXPECT_HOLDS(refusal(model.stage2_archive, 2, Semantics::kTf), "expected tf");
  EXPECT_EQ(refusal(model.stage2_archive, 2, Semantics::kClean, 4),
            "x/stage.pt: its first convolution reads images of 3 channels; expected 4 (model.json)");
}

TEST(OpenModule, RefusesEveryTruncation) {
  const std::string whole = tiny_model().stage2_archive;
  for (std::size_t part = 0; part < 20; ++part) {
    EXPECT_HOLDS(refusal(whole.substr(0, whole.size() * part / 20), 2, Semantics::kClean),
                 "x/stage.pt: not a TorchScript archive")
        << part;
  }
}

TEST(OpenModule, RefusesWeightsThatAreNotFinite) {
  const Model model = tiny_model();
  torch::jit::Module module = open_module("x", model.stage1_archive, 1, model.info, kCpu);
  for (const auto& parameter : module.named_parameters()) {
    if (parameter.name == "gcn.1.3.weight0") parameter.value.detach().data_ptr<float>()[5] = INFINITY;
  }
  std::ostringstream changed;
  module.save(changed);
  EXPECT_EQ(refusal(changed.str(), 1, Semantics::kClean), "x/stage.pt: the weights of gcn.1.3.weight0 are not finite");
}

// The reader of parameters that does without LibTorch.
TEST(StageArchive, HasWhatLibTorchReads) {
  for (const char* semantics : {"tf", "design_b", "clean"}) {
    const Model model = load_model(test_models() / (std::string("tiny-") + semantics));
    for (const int stage : {1, 2}) {
      const StageArchive archive(model, stage);
      const auto module =
          open_module("x", stage == 1 ? model.stage1_archive : model.stage2_archive, stage, model.info, kCpu);
      std::size_t count = 0;
      for (const auto& expected : module.named_parameters()) {
        const Parameter& found = archive.get(expected.name, static_cast<std::size_t>(expected.value.dim()));
        ASSERT_EQ(found.shape, expected.value.sizes().vec()) << expected.name;
        const at::Tensor values = expected.value.contiguous();
        ASSERT_TRUE(std::equal(found.values.begin(), found.values.end(), values.const_data_ptr<float>()))
            << expected.name;
        ++count;
      }
      EXPECT_GT(count, 20U);
    }
  }
}

}  // namespace
}  // namespace p2mpp::torchscript
