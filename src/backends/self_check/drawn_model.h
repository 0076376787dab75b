#pragma once

#include "model/model.h"
#include "model/network_layout.h"

namespace p2mpp {

/// A small model with random weights, held in memory; image_channels: of kClean also kMaskedImageChannels, and with
/// those stage 2 may read the masks' evidence. It has every kind of layer, every level, and more vertices, pixels and
/// channels than fit into one tile. It has no files, so the `torchscript` backend cannot run it. It is not calibrated
/// for fp8.
[[nodiscard]] Model drawn_model(Semantics semantics, std::size_t image_channels = kColourChannels,
                                bool mask_evidence = false);

}  // namespace p2mpp
