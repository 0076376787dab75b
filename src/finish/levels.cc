#include "finish/levels.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "colours/mesh_colours.h"
#include "finish/certificate.h"
#include "finish/fewer_faces.h"
#include "finish/solid_parts.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "p2mpp/texture.h"

namespace p2mpp {
namespace {

int longest_side(const Image& image) { return std::max(image.width, image.height); }

bool has_look(const TriangleMesh& mesh) { return has_texture(mesh) || has_colours(mesh); }

}  // namespace

int level_texture_size(const TriangleMesh& mesh) {
  constexpr int kOfColours = 1024;
  if (!mesh.texture) return kOfColours;
  const auto longest = static_cast<unsigned>(longest_side(mesh.texture->image));
  return std::clamp(static_cast<int>(std::bit_floor(longest)), kLeastTextureSize, kMostTextureSize);
}

TriangleMesh level_surface(const TriangleMesh& mesh, std::size_t faces, int threads) {
  const std::string problem = certify(mesh, threads).problem();
  if (!problem.empty()) throw InputError(problem);
  if (mesh.triangles.size() <= faces) return mesh;
  return with_fewer_faces(joined_at_places(mesh), faces);
}

TriangleMesh painted_level(TriangleMesh surface, const TriangleMesh& mesh, const BakingOptions& options) {
  if (!has_look(mesh)) return surface;
  if (!has_look(surface)) return with_baked_texture(std::move(surface), mesh, options);
  if (!mesh.texture || level_texture_size(mesh) <= options.size) return surface;
  return with_baked_texture(joined_at_places(mesh), mesh, {options.size, false, options.threads});
}

}  // namespace p2mpp
