#include "finish/levels.h"

#include <algorithm>
#include <bit>
#include <string>

#include "colours/mesh_colours.h"
#include "finish/certificate.h"
#include "finish/fewer_faces.h"
#include "finish/solid_parts.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "p2mpp/texture.h"
#include "texture/baked_texture.h"

namespace p2mpp {
namespace {

/// A power of two that is not larger than the given texture.
int texture_size_like(const TriangleMesh& mesh) {
  constexpr int kOfColours = 1024;
  if (!mesh.texture) return kOfColours;
  const auto longest = static_cast<unsigned>(std::max(mesh.texture->image.width, mesh.texture->image.height));
  return std::clamp(static_cast<int>(std::bit_floor(longest)), kLeastTextureSize, kMostTextureSize);
}

}  // namespace

TriangleMesh level_of_detail(const TriangleMesh& mesh, std::size_t faces, int threads) {
  const std::string problem = certify(mesh, threads).problem();
  if (!problem.empty()) throw InputError(problem);
  if (mesh.triangles.size() <= faces) return mesh;
  TriangleMesh reduced = with_fewer_faces(joined_at_places(mesh), faces);
  if (!has_texture(mesh) && !has_colours(mesh)) return reduced;
  return with_baked_texture(std::move(reduced), mesh, texture_size_like(mesh), threads);
}

}  // namespace p2mpp
