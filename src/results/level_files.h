#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "io/mesh/mesh_file.h"

namespace p2mpp {

/// Of a file for a web page.
inline constexpr std::size_t kMostWebBytes = 5'000'000;

struct LevelFiles {
  TriangleMesh mesh;
  std::vector<MeshFile> files;  ///< see encode_mesh_files()
};

/// A level of detail (painted_level()) as files that have at most so many bytes together, if they are limited: with a
/// smaller texture, and then with fewer faces. Where thin parts need more faces than that, they stay larger. Throws as
/// level_surface(), painted_level() and encode_mesh_files().
[[nodiscard]] LevelFiles level_files(const TriangleMesh& mesh, std::size_t faces, MeshFormat format,
                                     const MeshEncoding& encoding, const std::filesystem::path& path,
                                     std::optional<std::size_t> most_bytes, int threads);

}  // namespace p2mpp
