#include "p2mpp/files.h"

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "capture/formats/read_capture.h"
#include "capture/mask_files.h"
#include "capture/sample_from_capture.h"
#include "capture/sample_reading.h"
#include "io/mesh/mesh_file.h"
#include "io/sample_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {

Sample read_sample(const std::filesystem::path& path, const ModelInfo& model, const ReadOptions& options) {
  // Skip the fit for models with published semantics, so that meshes match the paper's.
  const bool may_fit = options.keep_fit_masks && model.semantics == Semantics::kClean;
  const FitViews fit = {may_fit ? FitViews::Kind::kAutomatic : FitViews::Kind::kNone};
  if (is_sample_folder(path) || !is_capture(path)) {
    return read_sample(find_sample(path, options.views.empty() ? model.view_indices : options.views, options.views),
                       fit);
  }
  Capture capture = read_capture(path);
  PrepareOptions prepare;
  prepare.masks = options.masks;
  prepare.views = options.views;
  prepare.view_count = trained_view_count(model);
  prepare.fit = fit;
  prepare.threads = options.threads;
  if (options.masks.empty()) use_masks_beside(capture);
  return sample_from_capture(capture, capture_id(path), prepare).sample;
}

void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh, const std::string& comment) {
  const std::string extension = lower_extension(path);
  if (extension.empty()) {
    throw UsageError(fmt::format("{}: has no extension; expected .obj, .xyz, .ply, .glb or .stl", path.string()));
  }
  write_file_atomically(path, encode_mesh(mesh, mesh_format(extension.substr(1)), {.comment = comment}));
}

}  // namespace p2mpp
