#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "io/mesh/gltf_document.h"
#include "io/mesh/texture_assembly.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The channel of 8 bits of sRGB nearest to a value of linear light, with 1 as white.
[[nodiscard]] std::uint8_t nearest_srgb(double linear);

/// Gives the triangles of a glTF file their part of the texture: the base colour of their material.
class GltfMaterials {
 public:
  /// Both must outlive this object.
  GltfMaterials(const GltfDocument& document, TextureAssembly& texture) : document_(document), texture_(texture) {}

  /// Adds the triangles of a primitive to the texture. They name vertices from `first` on; it has `count`.
  void paint(const GltfJson& primitive, std::span<const Triangle> triangles, std::size_t first, std::size_t count);

 private:
  struct Material {
    std::optional<std::size_t> part;  ///< in the texture
    bool is_picture = false;
    std::size_t set = 0;                                                            ///< of TEXCOORD_0, ...
    Eigen::Matrix<float, 2, 3> transform = Eigen::Matrix<float, 2, 3>::Identity();  ///< of places in the picture
  };

  const Material& material_of(const GltfJson& primitive);
  Material read_material(const GltfJson& material);
  void use_texture(const GltfJson& use, Material& material);
  std::optional<std::size_t> picture_of(const GltfJson& texture);
  std::vector<Eigen::Vector2f> places_of(const GltfJson& primitive, const Material& material, std::size_t count) const;

  const GltfDocument& document_;
  TextureAssembly& texture_;
  std::map<std::size_t, Material> materials_;
  std::map<std::size_t, std::optional<std::size_t>> pictures_;  ///< parts of images
  Material none_;
};

}  // namespace p2mpp
