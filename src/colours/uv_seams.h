#pragma once

#include <Eigen/Core>
#include <vector>

#include "p2mpp/mesh_texture.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A textured mesh whose vertices have one place in the picture each, as glTF and graphics cards need it.
struct SeamedMesh {
  TriangleMesh mesh;                 ///< the given vertices in their order, then copies of those at seams; no texture
  std::vector<Eigen::Vector2f> uvs;  ///< of the vertices: see MeshTexture
};

/// Splits the vertices of a mesh where triangles see them at several places of the picture. Precondition: a texture.
[[nodiscard]] SeamedMesh split_at_seams(const TriangleMesh& mesh);

/// The places in a picture that a mesh's corners have, each once.
struct UniqueUvs {
  std::vector<Eigen::Vector2f> uvs;  ///< in the order of their first corner
  std::vector<Triangle> corners;     ///< of the triangles [T]: the numbers of their corners' places, from 0
};
[[nodiscard]] UniqueUvs unique_uvs(const MeshTexture& texture);

/// The picture's colour at each vertex, the mean over its triangles; black where there is none. For formats that have
/// no pictures. Precondition: a texture.
[[nodiscard]] std::vector<Colour> colours_of_texture(const TriangleMesh& mesh);

/// Tangents of the vertices [N], as glTF's: x, y and z of unit length along the picture's rows, at right angles to the
/// normal; w is 1 or -1, and cross(normal, tangent) * w points to the picture's upper side. Precondition: the mesh has
/// normals.
[[nodiscard]] std::vector<Eigen::Vector4f> make_tangents(const SeamedMesh& mesh);

/// The third direction of the frame in which a normal map's directions are.
[[nodiscard]] Eigen::Vector3f make_bitangent(const Eigen::Vector3f& normal, const Eigen::Vector4f& tangent);

}  // namespace p2mpp
