#pragma once

#include "model/sampling_rules.h"
#include "p2mpp/model.h"

namespace p2mpp {

// The rules of each semantics; docs/models.md has the table.

[[nodiscard]] inline ImageRules image_rules(const ModelInfo& info) {
  return {.alpha = info.semantics == Semantics::kTf ? AlphaRule::kTransparentToWhite : AlphaRule::kBlendOnWhite,
          .channels = static_cast<std::size_t>(info.sizes.image_channels)};
}

[[nodiscard]] inline ProjectionRules stage1_rules(Semantics semantics) {
  const bool clean = semantics == Semantics::kClean;
  return {.sampling = clean ? Sampling::kBilinear : Sampling::kNearest,
          .view_index_scaled = !clean,
          .normalised_origin = false};
}

[[nodiscard]] inline ProjectionRules stage2_rules(Semantics semantics) {
  return {.sampling = semantics == Semantics::kTf ? Sampling::kFloorCeil : Sampling::kBilinear,
          .view_index_scaled = false,
          .normalised_origin = semantics == Semantics::kDesignB};
}

/// Whether a finer level's features are unpooled from the coarser level, rather than sampled at its own vertices.
[[nodiscard]] inline bool unpools_features(Semantics semantics) { return semantics == Semantics::kTf; }

/// Whether ReLU is applied to the scores before the softmax.
[[nodiscard]] inline bool rectifies_scores(Semantics semantics) { return semantics == Semantics::kTf; }

}  // namespace p2mpp
