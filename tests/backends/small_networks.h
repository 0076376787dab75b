#pragma once

#include <string>

#include "backends/golden_data.h"
#include "backends/random_samples.h"
#include "model/model.h"

namespace p2mpp {

/// A small network with drawn weights and 162 vertices, by its semantics, or "masked", or "evidence".
inline Model small_model(const std::string& name) { return load_model(test_models() / ("small-" + name)); }

/// With masks if the network reads them.
inline Sample drawn_sample(const Model& model, unsigned seed, std::size_t views) {
  return model.info.sizes.image_channels == 4 ? random_masked_sample(seed, views) : random_sample(seed, views);
}

}  // namespace p2mpp
