#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "capture/open_sample.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "p2mpp/files.h"
#include "p2mpp/reconstruct.h"
#include "results/initial_mesh.h"
#include "results/make_meshes.h"

namespace p2mpp {

PhotographedSample read_photographed_sample(const std::filesystem::path& path, const ModelInfo& model,
                                            const ReadOptions& options) {
  RunOptions run = automatic_run_options();
  run.surface.kind = options.surface;
  if (!options.keep_fit_masks) run.fit.kind = FitViews::Kind::kNone;
  run.fit = fit_views_for(run.fit, model);
  OpenedSample opened = open_sample(path, {.views = options.views,
                                           .trained_views = model.view_indices,
                                           .fit = views_read_for(run),
                                           .threads = options.threads,
                                           .capture = {.masks = options.masks, .corrections = options.corrections}});
  return {std::move(opened.sample), std::move(opened.photographs)};
}

Sample read_sample(const std::filesystem::path& path, const ModelInfo& model, const ReadOptions& options) {
  return read_photographed_sample(path, model, options).sample;
}

void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh, const std::string& comment) {
  const std::string extension = lower_extension(path);
  if (extension.empty()) {
    throw UsageError(
        fmt::format("{}: has no extension; expected .obj, .xyz, .ply, .glb, .stl, .3mf or .usdz", path.string()));
  }
  write_mesh_files(encode_mesh_files(mesh, mesh_format(extension.substr(1)), {.comment = comment}, path));
}

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
                                 .distances = predict_distances(engine, sample)});
  return {made.meshes.back().in(request.frame, sample), std::move(made.fit), std::move(made.surface), made.texture};
}

}  // namespace p2mpp
