#pragma once

#include <string>

#include "base/json_text.h"
#include "p2mpp/engine.h"

namespace p2mpp {

/// A model as results describe it in JSON: name, semantics, source of the weights, views, folder.
[[nodiscard]] Json to_json(const ModelInfo& model);

/// MeshOutput's comment: the program's version and the weights. It is always the same for the same model.
[[nodiscard]] std::string mesh_comment(const ModelInfo& model);

/// {"mode": "auto" or "given", "chosen", "reason", "trials"}; the last two only if the batch was measured.
[[nodiscard]] Json to_json(const BatchChoice& choice);

/// "8 (measured; 16 gain less than 5%)", or only the number if it was given.
[[nodiscard]] std::string describe(const BatchChoice& choice);

}  // namespace p2mpp
