#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/option.h"
#include "p2mpp/engine.h"
#include "p2mpp/sample.h"
#include "pipeline/steps.h"
#include "render/overlay.h"
#include "report/viewer_page.h"

namespace p2mpp {

/// Which pictures are drawn of a sample and its mesh.
struct SamplePictureOptions {
  bool preview = false;         ///< {id}_preview.png: the mesh from the first view's direction
  bool overlay = false;         ///< {id}_overlay.png: the mesh over each view
  bool view = false;            ///< {id}_view.html: the mesh in 3D
  std::filesystem::path truth;  ///< ground truth for the 3D view; empty: none

  [[nodiscard]] bool any() const { return preview || overlay || view; }

  template <typename Visit>
  void visit_options(Visit&& visit) {
    const auto add = in_group("Pictures", visit);
    add(preview, {"--preview", "Write {id}_preview.png: the mesh from the first view's direction"});
    add(overlay, {"--overlay",
                  "Write {id}_overlay.png, the mesh over each view, and print how well the silhouettes agree (IoU, 1 "
                  "is best), to check the cameras"});
    add(view, {"--view", "Write {id}_view.html: the mesh in 3D beside its views, in one file"});
    add(truth, {"--truth", "Ground truth in the first camera's frame, also shown in the 3D view", "FILE", file_name()},
        {.configurable = false});
  }
};

/// Checks the options before anything is computed. Throws Error for pictures that this build cannot draw, and
/// UsageError for a truth that no picture would show.
void check(const SamplePictureOptions& options);

/// The ground truth's points as in the file; empty if no file was named. Throws what read_mesh() throws.
[[nodiscard]] Points read_truth(const SamplePictureOptions& options);

/// The files that were written for a sample.
struct SamplePictures {
  std::optional<std::filesystem::path> preview, overlay, view;
  std::vector<ViewOverlap> overlaps;  ///< of each view, if an overlay was requested
  std::vector<ViewOverlap> before;    ///< the same before a fit; empty without one
  std::string hint;                   ///< probable mistake in the cameras; empty if there is none
};

/// The geometry that is shown of a sample, in the world's frame.
struct SampleMeshes {
  std::vector<ViewerSurface> surfaces;  ///< coarse to fine; the last is the final mesh
  bool is_fitted = false;               ///< the last was fitted to masks; the overlay shows the network's, too
  Points truth;                         ///< empty if it is not known
  std::vector<std::pair<std::string, std::string>> facts;
};

/// A job's meshes, coarse to fine, and facts about the engine.
[[nodiscard]] SampleMeshes list_meshes(const Engine& engine, const Job& job);

/// Draws the pictures and writes FOLDER/{name}_overlay.png and so on. Throws Error naming the file that cannot be
/// written.
[[nodiscard]] SamplePictures write_sample_pictures(const SamplePictureOptions& options,
                                                   const std::filesystem::path& folder, const std::string& name,
                                                   const Sample& sample, SampleMeshes meshes, int threads);

/// A line for each picture.
[[nodiscard]] std::string picture_lines(const SamplePictures& pictures);

/// "preview", "view", "overlay" with "silhouettes" and "hint", if they were drawn.
[[nodiscard]] Json to_json(const SamplePictures& pictures);

}  // namespace p2mpp
