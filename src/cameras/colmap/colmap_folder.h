#pragma once

#include <filesystem>
#include <optional>

#include "cameras/capture.h"
#include "cameras/searched_path.h"

namespace p2mpp {

/// The paths of a COLMAP model's files. No file has been opened yet.
struct ColmapFolder {
  std::filesystem::path root;   ///< the path that was given
  std::filesystem::path model;  ///< has cameras and images
  bool binary = false;          ///< .bin; else .txt
  std::size_t model_count = 1;  ///< models beside it, itself included
};

/// Finds the model in PATH, PATH/sparse, PATH/sparse/N or PATH/N. Prefers binary to text, and the largest of several N,
/// because COLMAP splits a capture that it cannot connect. nullopt if there is none.
[[nodiscard]] std::optional<ColmapFolder> find_colmap(const SearchedPath& path);

/// The only model up to two folders below PATH, in the places of find_colmap(): nerfstudio's colmap/sparse/0, COLMAP's
/// dense/0/sparse, and others. nullopt if there is none, or several.
[[nodiscard]] std::optional<ColmapFolder> find_colmap_below(const std::filesystem::path& path);

/// Reads a model. The photographs are below `images` or, if it is empty, in the first of these folders that has the
/// most of them: ROOT/images, ROOT, and the same for the folders between ROOT and the model and the two above ROOT.
/// rigs and frames of newer versions are not read, because the images have their own poses. Throws as read_capture().
[[nodiscard]] Capture read_colmap(const ColmapFolder& folder, const std::filesystem::path& images);

}  // namespace p2mpp
