#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "p2mpp/engine.h"

namespace p2mpp {

/// A model as results describe it in JSON: name, semantics, source of the weights, views, folder.
[[nodiscard]] nlohmann::ordered_json to_json(const ModelInfo& model);

/// "camera0", "world", "source"
[[nodiscard]] std::string_view to_string(Frame frame);

/// The frame of a name; kCamera0 for a name that is not one.
[[nodiscard]] Frame frame_named(std::string_view name);

/// The first line of a written OBJ: the program's version, the weights and the frame. It is always the same for the
/// same model.
[[nodiscard]] std::string mesh_comment(const ModelInfo& model, Frame frame);

/// {"mode": "auto" or "given", "chosen", "reason", "trials"}; the last two only if the batch was measured.
[[nodiscard]] nlohmann::ordered_json to_json(const BatchChoice& choice);

/// "8 (measured; 16 gain less than 5%)", or only the number if it was given.
[[nodiscard]] std::string describe(const BatchChoice& choice);

}  // namespace p2mpp
