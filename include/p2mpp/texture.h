#pragma once

#include <cstddef>
#include <functional>

#include "p2mpp/export.h"
#include "p2mpp/figures.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

inline constexpr int kLeastTextureSize = 64, kMostTextureSize = 8192;

struct TextureOptions {
  /// Texels along a side of the square texture, a power of two; 0: 1,024 to 4,096, by what the photographs show.
  int size = 0;
  bool of_vertices = false;  ///< colours of vertices instead of a texture
  bool keep_uv = false;      ///< the texture is drawn into the mesh's own layout, MeshTexture::corners
  /// Width of the bands in which photographs are blended, in texels. More is better where the mesh is only approximate.
  int blend_texels = 16;
  bool fill_unseen = false;  ///< what no photograph shows has the colours around it; else it fades to grey
  int threads = 1;
  /// Called in the caller's thread when so many of all photographs have been read.
  std::function<void(std::size_t done, std::size_t all)> on_progress = {};
};

struct TextureFigures {
  int size = 0;                 ///< texels along a side; 0: colours of vertices
  std::size_t photographs = 0;  ///< that show a part of the surface
  std::size_t charts = 0;       ///< parts of the surface that are connected in the texture; 0 if it was not laid out
  double unseen = 0;            ///< share of the surface that no photograph shows
  double milliseconds = 0;      ///< if the caller measures them

  /// See for_each_figure().
  template <typename Figures, typename Visit>
  static void visit_figures(Figures& figures, const Visit& visit) {
    visit("size", figures.size);
    visit("photographs", figures.photographs);
    visit("charts", figures.charts);
    visit("unseen", figures.unseen);
    visit("milliseconds", figures.milliseconds);
  }
};

/// A mesh with MeshTexture, or with colours of its vertices.
struct TexturedMesh : TextureFigures {
  TriangleMesh mesh;
};

class PhotographSource;  // image/photograph_source.h

/// Colours a mesh, in the world frame of the photographs.
/// Vertices and triangles stay as they are. The bytes do not depend on the number of threads. Throws InputError if no
/// photograph sees the mesh, if it cannot be laid out in a texture of this size, or if a photograph can no longer be
/// read; UsageError for options out of range; Error if this build has no ray tracer. Thread-safe.
[[nodiscard]] P2MPP_EXPORT TexturedMesh texture_mesh(TriangleMesh mesh, const PhotographSource& source,
                                                     const TextureOptions& options = {});

/// Whether this build has the ray tracer that textures need.
[[nodiscard]] P2MPP_EXPORT bool can_texture();

/// Texels along a side of the texture that options.size = 0 stands for.
[[nodiscard]] P2MPP_EXPORT int automatic_texture_size(const TriangleMesh& mesh, const PhotographSource& source);

}  // namespace p2mpp
