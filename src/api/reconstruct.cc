#include "p2mpp/reconstruct.h"

#include <fmt/format.h>

#include <utility>

#include "p2mpp/error.h"
#include "results/make_meshes.h"

namespace p2mpp {

ReconstructedMesh reconstruct_mesh(Engine& engine, const Sample& sample, const MeshRequest& request) {
  const std::vector<ReconstructionResult> results = engine.reconstruct({&sample, 1});
  return fitted_mesh(engine, sample, results.front(), request);
}

ReconstructedMesh fitted_mesh(const Engine& engine, const Sample& sample, const ReconstructionResult& result,
                              const MeshRequest& request) {
  if (!result.problem.empty()) throw InputError(fmt::format("{}: {}", sample.id, result.problem));
  static MaskFitters fitters;  // what depends on the template alone is computed once
  RunOptions options = automatic_run_options();
  options.surface = request.surface;
  MadeMeshes made = make_meshes(sample, engine.mesh(sample, result.reconstruction), options,
                                {.threads = engine.threads(),
                                 .fitters = fitters,
                                 .photographs = request.photographs,
                                 .undeformed = engine.undeformed_mesh(),
                                 .distances = distances_of(engine, sample)});
  return {made.meshes.back().in(request.frame, sample), std::move(made.fit), std::move(made.surface), made.texture};
}

}  // namespace p2mpp
