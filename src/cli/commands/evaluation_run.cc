#include "cli/commands/evaluation_run.h"

#include "engine/neighbour_finder.h"
#include "eval/engine_facts.h"

namespace p2mpp::cli {

EvaluationSettings describe_run(const EvaluationPlaces& places, const Settings& settings, const Engine& engine) {
  const bool is_ours = engine.backend() == "fused";
  return {.list = {},
          .limit = 0,
          .shard = {},
          .options = {.images_root = places.images_root,
                      .truth_root = places.truth_root,
                      .out = places.out,
                      .view_indices = view_indices(settings, engine.model()),
                      .batch = static_cast<std::size_t>(engine.batch()),
                      .frame = places.frame,
                      .meshes = with_comment(places.meshes, mesh_comment(engine.model(), places.frame)),
                      .find_neighbours = is_ours ? neighbour_finder(engine.device().device) : NeighbourFinder{}},
          .device = to_string(engine.device().device),
          .backend = std::string(engine.backend()),
          .precision = std::string(to_string(engine.precision())),
          .instruction_set = std::string(to_string(engine.instruction_set())),
          .threads = engine.threads(),
          .batch_choice = engine.batch_choice(),
          .batch_at_last = engine.batch(),
          .memory_share = settings.engine.memory_share,
          .model = engine.model()};
}

}  // namespace p2mpp::cli
