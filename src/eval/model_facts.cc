#include "eval/model_facts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/environment.h"

namespace p2mpp {

nlohmann::ordered_json to_json(const ModelInfo& model) {
  return {{"name", model.name},
          {"semantics", to_string(model.semantics)},
          {"weights_from", model.weights_from},
          {"views", model.view_indices},
          {"folder", model.folder.string()}};
}

std::string_view to_string(Frame frame) { return frame == Frame::kWorld ? "world" : "camera0"; }

std::string mesh_comment(const ModelInfo& model, Frame frame) {
  return fmt::format("p2mpp {}, model {} ({}), frame {}", p2mpp_version(), model.name, to_string(model.semantics),
                     to_string(frame));
}

}  // namespace p2mpp
