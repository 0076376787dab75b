#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "io/mesh/gltf_document.h"
#include "io/mesh/texture_assembly.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The vertices of a primitive: `count` from `first` on, with one colour that multiplies the material's.
struct PaintedVertices {
  std::size_t first = 0, count = 0;
  LinearColour colour = kWhite;
};

/// Gives the triangles of a glTF file their part of the texture: the base colour of their material.
class GltfMaterials {
 public:
  /// Both must outlive this object.
  GltfMaterials(const GltfDocument& document, TextureAssembly& texture) : document_(document), texture_(texture) {}

  /// Adds the triangles of a primitive to the texture. They name the given vertices.
  void paint(const GltfJson& primitive, std::span<const Triangle> triangles, const PaintedVertices& vertices);

  /// The base colour that multiplies a picture and the colours of vertices.
  [[nodiscard]] LinearColour read_factor(const GltfJson& primitive) const;

 private:
  struct Material {
    std::optional<std::size_t> part;  ///< in the texture
    bool is_picture = false;
    std::size_t set = 0;                                                            ///< of TEXCOORD_0, ...
    Eigen::Matrix<float, 2, 3> transform = Eigen::Matrix<float, 2, 3>::Identity();  ///< of places in the picture
  };

  const Material& material_of(const GltfJson& primitive, const LinearColour& colour);
  Material read_material(const GltfJson& material, const LinearColour& factors);
  void use_texture(const GltfJson& use, const LinearColour& factors, Material& material);
  static const GltfJson* find_source(const GltfJson& texture);
  std::optional<std::size_t> picture_of(const GltfJson& texture, const LinearColour& factors);
  std::vector<Eigen::Vector2f> places_of(const GltfJson& primitive, const Material& material, std::size_t count) const;

  const GltfDocument& document_;
  TextureAssembly& texture_;
  std::map<std::pair<std::optional<std::size_t>, LinearColour>, Material> materials_;
  std::map<std::pair<std::size_t, LinearColour>, std::optional<std::size_t>> pictures_;  ///< parts of images
};

}  // namespace p2mpp
