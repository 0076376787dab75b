#include "p2mpp/reconstruct.h"

#include <fmt/format.h>

#include <chrono>

#include "p2mpp/error.h"
#include "p2mpp/fit.h"
#include "pipeline/mesh_fitting.h"

namespace p2mpp {

TriangleMesh reconstruct_mesh(Engine& engine, const Sample& sample, Frame frame, std::optional<FitFigures>* fit) {
  const std::vector<ReconstructionResult> results = engine.reconstruct({&sample, 1});
  return fitted_mesh(engine, sample, results.front(), frame, fit);
}

TriangleMesh fitted_mesh(const Engine& engine, const Sample& sample, const ReconstructionResult& result, Frame frame,
                         std::optional<FitFigures>* fit) {
  if (fit != nullptr) fit->reset();
  if (!result.problem.empty()) throw InputError(fmt::format("{}: {}", sample.id, result.problem));
  if (sample.fit_masks.empty()) return engine.mesh(sample, result.reconstruction, frame);
  static MaskFitters fitters;  // what depends on the template alone is computed once
  const auto start = std::chrono::steady_clock::now();
  const TriangleMesh mesh = engine.mesh(sample, result.reconstruction, Frame::kWorld);
  FittedMesh fitted =
      fit_sample(sample, mesh, result.reconstruction.vertices(), {.threads = engine.threads()}, fitters);
  if (fit != nullptr) {
    fitted.figures.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    *fit = fitted.figures;
  }
  const Reconstruction moved{.coarse = {}, .refined = {std::move(fitted.vertices)}};
  if (!fitted.hull) return engine.mesh(sample, moved, frame);
  Sample of_hull = sample;
  of_hull.initial_mesh = std::move(fitted.hull);
  return engine.mesh(of_hull, moved, frame);
}

}  // namespace p2mpp
