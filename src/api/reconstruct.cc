#include "p2mpp/reconstruct.h"

#include <fmt/format.h>

#include <utility>

#include "p2mpp/error.h"
#include "pipeline/mesh_fitting.h"

namespace p2mpp {

ReconstructedMesh reconstruct_mesh(Engine& engine, const Sample& sample, Frame frame) {
  const std::vector<ReconstructionResult> results = engine.reconstruct({&sample, 1});
  return fitted_mesh(engine, sample, results.front(), frame);
}

ReconstructedMesh fitted_mesh(const Engine& engine, const Sample& sample, const ReconstructionResult& result,
                              Frame frame) {
  if (!result.problem.empty()) throw InputError(fmt::format("{}: {}", sample.id, result.problem));
  TriangleMesh mesh = engine.mesh(sample, result.reconstruction);
  if (sample.fit_masks.empty()) return {in_frame(std::move(mesh), sample, frame)};
  static MaskFitters fitters;  // what depends on the template alone is computed once
  FittedMesh fitted = fit_sample(sample, mesh, {.threads = engine.threads()}, fitters);
  return {in_frame(std::move(fitted.mesh), sample, frame), std::move(fitted.figures)};
}

}  // namespace p2mpp
