#include "results/level_files.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "finish/levels.h"
#include "p2mpp/texture.h"

namespace p2mpp {
namespace {

std::size_t size_of(const std::vector<MeshFile>& files) {
  return std::accumulate(files.begin(), files.end(), std::size_t{0},
                         [](std::size_t sum, const MeshFile& file) { return sum + file.bytes.size(); });
}

std::size_t geometry_bytes(TriangleMesh mesh, MeshFormat format, const MeshEncoding& encoding) {
  mesh.texture = nullptr;
  return encode_mesh(mesh, format, encoding).size();
}

}  // namespace

LevelFiles level_files(const TriangleMesh& mesh, std::size_t faces, MeshFormat format, const MeshEncoding& encoding,
                       const std::filesystem::path& path, std::optional<std::size_t> most_bytes, int threads) {
  constexpr double kOfGeometry = 0.5;  // share of the bytes
  constexpr std::size_t kFewestFaces = 100;
  const HeldColours held = held_colours(format);
  BakingOptions baking{level_texture_size(mesh), held == HeldColours::kTextureAndNormalMap, threads};
  TriangleMesh surface = level_surface(mesh, faces, threads);
  for (;;) {
    LevelFiles level{held == HeldColours::kNone ? surface : painted_level(surface, mesh, baking), {}};
    level.files = encode_mesh_files(level.mesh, format, encoding, path);
    if (!most_bytes || size_of(level.files) <= *most_bytes) return level;
    const double share = (level.mesh.texture ? kOfGeometry : 1.0) * static_cast<double>(*most_bytes) /
                         static_cast<double>(geometry_bytes(level.mesh, format, encoding));
    const std::size_t all = level.mesh.triangles.size();
    if (share < 1 && all > kFewestFaces && all <= faces + faces / 10) {
      constexpr double kSpare = 0.95;  // for seams
      faces = std::max(kFewestFaces, static_cast<std::size_t>(kSpare * share * static_cast<double>(all)));
      surface = level_surface(mesh, faces, threads);
    } else if (level.mesh.texture && baking.size > kLeastTextureSize) {
      baking.size /= 2;
    } else {
      return level;
    }
  }
}

}  // namespace p2mpp
