#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "p2mpp/sample.h"
#include "render/overlay.h"
#include "report/viewer_page.h"

namespace p2mpp::cli {

/// Which pictures are made of a sample and its mesh.
struct SamplePictureOptions {
  bool preview = false;         ///< {id}_preview.png: the mesh from the first view's direction
  bool overlay = false;         ///< {id}_overlay.png: the mesh over each view
  bool view = false;            ///< {id}_view.html: the mesh in 3D
  bool terminal = false;        ///< the preview in the terminal, too
  std::filesystem::path truth;  ///< ground truth for the 3D view; empty: none

  [[nodiscard]] bool any() const { return preview || overlay || view || terminal; }
};

/// Throws Error for what this build cannot make, UsageError for a truth that nothing would show. To be called before
/// anything is computed.
void check(const SamplePictureOptions& options);

/// The ground truth's points as the file has them; none where no file was named. Throws as read_points().
[[nodiscard]] Points read_truth(const SamplePictureOptions& options);

/// What was made of a sample.
struct SamplePictures {
  std::optional<std::filesystem::path> preview, overlay, view;
  std::vector<ViewOverlap> overlaps;  ///< of each view, where they were asked for
  std::string hint;                   ///< what is probably wrong with the cameras, empty if nothing
};

/// What is shown of a sample, all in the world's frame.
struct SampleMeshes {
  std::vector<ViewerSurface> surfaces;  ///< coarse to fine; the last is the answer
  Points truth;                         ///< empty where it is not known
  std::vector<std::pair<std::string, std::string>> facts;
};

/// Draws and writes them as FOLDER/{name}_overlay.png and so on. Says in the log what is probably wrong with the
/// cameras. Throws Error naming the file that cannot be written.
[[nodiscard]] SamplePictures write_sample_pictures(const SamplePictureOptions& options,
                                                   const std::filesystem::path& folder, const std::string& name,
                                                   const Sample& sample, SampleMeshes meshes, int threads);

/// A line for each picture.
[[nodiscard]] std::string picture_lines(const SamplePictures& pictures);

/// "preview", "view", "overlay" with "silhouettes" and "hint", of those that were made.
[[nodiscard]] nlohmann::ordered_json to_json(const SamplePictures& pictures);

}  // namespace p2mpp::cli
