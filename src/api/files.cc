#include "p2mpp/files.h"

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "capture/open_sample.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "pipeline/starting_mesh.h"

namespace p2mpp {

Sample read_sample(const std::filesystem::path& path, const ModelInfo& model, const ReadOptions& options) {
  const FitViews fit = {options.keep_fit_masks ? FitViews::Kind::kAutomatic : FitViews::Kind::kNone};
  return open_sample(path, {.views = options.views,
                            .trained_views = model.view_indices,
                            .fit = fit_views_for(fit, model),
                            .threads = options.threads,
                            .masks = options.masks})
      .sample;
}

void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh, const std::string& comment) {
  const std::string extension = lower_extension(path);
  if (extension.empty()) {
    throw UsageError(fmt::format("{}: has no extension; expected .obj, .xyz, .ply, .glb or .stl", path.string()));
  }
  write_file_atomically(path, encode_mesh(mesh, mesh_format(extension.substr(1)), {.comment = comment}));
}

}  // namespace p2mpp
