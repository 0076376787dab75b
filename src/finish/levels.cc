#include "finish/levels.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>

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

int longest_side(const Image& image) { return std::max(image.width, image.height); }

TriangleMesh without_normal_map(TriangleMesh mesh) {
  auto texture = std::make_shared<MeshTexture>(*mesh.texture);
  texture->normal_map = {};
  mesh.texture = std::move(texture);
  return mesh;
}

}  // namespace

int level_texture_size(const TriangleMesh& mesh) {
  constexpr int kOfColours = 1024;
  if (!mesh.texture) return kOfColours;
  const auto longest = static_cast<unsigned>(longest_side(mesh.texture->image));
  return std::clamp(static_cast<int>(std::bit_floor(longest)), kLeastTextureSize, kMostTextureSize);
}

TriangleMesh level_of_detail(const TriangleMesh& mesh, std::size_t faces, int texture_size, int threads) {
  const std::string problem = certify(mesh, threads).problem();
  if (!problem.empty()) throw InputError(problem);
  const bool is_whole = mesh.triangles.size() <= faces;
  if (is_whole && (!mesh.texture || level_texture_size(mesh) <= texture_size)) return mesh;
  TriangleMesh reduced = is_whole ? joined_at_places(mesh) : with_fewer_faces(joined_at_places(mesh), faces);
  if (!has_texture(mesh) && !has_colours(mesh)) return reduced;
  reduced = with_baked_texture(std::move(reduced), mesh, texture_size, threads);
  return is_whole ? without_normal_map(std::move(reduced)) : reduced;
}

}  // namespace p2mpp
