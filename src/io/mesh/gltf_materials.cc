#include "io/mesh/gltf_materials.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

const GltfJson* find_in(const GltfJson* object, const char* key) {
  return object != nullptr ? GltfDocument::find(*object, key) : nullptr;
}

const GltfJson* find_extension(const GltfJson& object, const char* name) {
  return find_in(GltfDocument::find(object, "extensions"), name);
}

}  // namespace

void GltfMaterials::paint(const GltfJson& primitive, std::span<const Triangle> triangles, const PaintedVertices& of) {
  const Material& material = material_of(primitive, of.colour);
  const std::vector<Eigen::Vector2f> places = places_of(primitive, material, of.count);
  const bool has_places = !places.empty() || !material.is_picture;
  for (const Triangle& triangle : triangles) {
    std::array<Eigen::Vector2f, 3> corners = {Eigen::Vector2f::Zero(), Eigen::Vector2f::Zero(),
                                              Eigen::Vector2f::Zero()};
    for (std::size_t i = 0; i < 3 && !places.empty(); ++i) {
      corners[i] = places[static_cast<std::size_t>(triangle[i]) - of.first];
    }
    texture_.add_triangle(has_places ? material.part : std::nullopt, corners);
  }
}

LinearColour GltfMaterials::read_factor(const GltfJson& primitive) const {
  const GltfJson* const index = GltfDocument::find(primitive, "material");
  if (index == nullptr) return kWhite;
  const GltfJson& material = document_.element("materials", *index);
  const GltfJson* const surface = GltfDocument::find(material, "pbrMetallicRoughness");
  const GltfJson* const other = find_extension(material, "KHR_materials_pbrSpecularGlossiness");
  const std::vector<double> factor =
      surface == nullptr && other != nullptr
          ? document_.numbers(*other, "diffuseFactor", {1, 1, 1, 1})
          : document_.numbers(surface != nullptr ? *surface : material, "baseColorFactor", {1, 1, 1, 1});
  return {factor[0], factor[1], factor[2]};
}

const GltfMaterials::Material& GltfMaterials::material_of(const GltfJson& primitive, const LinearColour& colour) {
  const GltfJson* const index = GltfDocument::find(primitive, "material");
  const std::optional<std::size_t> number =
      index != nullptr ? std::optional(document_.index_of("materials", *index)) : std::nullopt;
  const auto [known, is_new] = materials_.try_emplace({number, colour});
  if (is_new) {
    LinearColour factors = read_factor(primitive);
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] *= colour[i];
    known->second = read_material(number ? document_.element("materials", *index) : GltfJson(), factors);
  }
  return known->second;
}

GltfMaterials::Material GltfMaterials::read_material(const GltfJson& material, const LinearColour& factors) {
  Material result;
  const GltfJson* texture = find_in(GltfDocument::find(material, "pbrMetallicRoughness"), "baseColorTexture");
  if (texture == nullptr) {
    texture = find_in(find_extension(material, "KHR_materials_pbrSpecularGlossiness"), "diffuseTexture");
  }
  if (texture != nullptr) use_texture(*texture, factors, result);
  if (!result.part) result.part = texture_.add_colour(nearest_srgb(factors));
  return result;
}

void GltfMaterials::use_texture(const GltfJson& use, const LinearColour& factors, Material& material) {
  material.part = picture_of(document_.element("textures", document_.member(use, "index")), factors);
  material.is_picture = material.part.has_value();
  material.set = document_.whole_number(use, "texCoord", 0);
  const GltfJson* const transform = find_extension(use, "KHR_texture_transform");
  if (transform == nullptr) return;
  material.set = document_.whole_number(*transform, "texCoord", material.set);
  const std::vector<double> offset = document_.numbers(*transform, "offset", {0, 0});
  const std::vector<double> scale = document_.numbers(*transform, "scale", {1, 1});
  const GltfJson* const rotation = GltfDocument::find(*transform, "rotation");
  const double turn = rotation != nullptr && rotation->is_number() ? rotation->get<double>() : 0;
  Eigen::Matrix<double, 2, 3> matrix;
  matrix << std::cos(turn) * scale[0], std::sin(turn) * scale[1], offset[0],  //
      -std::sin(turn) * scale[0], std::cos(turn) * scale[1], offset[1];
  material.transform = matrix.cast<float>();
}

/// The picture in a format that all programs read, or else that of an extension: WebP, or another that is refused by
/// its content.
const GltfJson* GltfMaterials::find_source(const GltfJson& texture) {
  if (const GltfJson* const webp = find_in(find_extension(texture, "EXT_texture_webp"), "source")) return webp;
  if (const GltfJson* const own = GltfDocument::find(texture, "source")) return own;
  const GltfJson* const extensions = GltfDocument::find(texture, "extensions");
  if (extensions == nullptr || !extensions->is_object()) return nullptr;
  for (const GltfJson& extension : *extensions) {
    if (const GltfJson* const source = GltfDocument::find(extension, "source")) return source;
  }
  return nullptr;
}

std::optional<std::size_t> GltfMaterials::picture_of(const GltfJson& texture, const LinearColour& factors) {
  const GltfJson* const source = find_source(texture);
  if (source == nullptr || texture_.is_full()) return std::nullopt;
  const std::size_t number = document_.index_of("images", *source);
  const auto [known, is_new] = pictures_.try_emplace({number, factors});
  if (!is_new) return known->second;
  const GltfJson& image = document_.element("images", *source);
  const std::string name = fmt::format("image {}", number);
  const GltfJson* const uri = GltfDocument::find(image, "uri");
  if (uri == nullptr || !uri->is_string()) {
    const std::string_view bytes = document_.buffer_view(document_.member(image, "bufferView"));
    known->second = texture_.add_picture(bytes, name, factors);
    return known->second;
  }
  try {
    known->second = texture_.add_picture(document_.uri_bytes(uri->get<std::string>()), name, factors);
  } catch (const InputError& error) {
    texture_.note(fmt::format("a picture is not used: {}", error.what()));
  }
  return known->second;
}

std::vector<Eigen::Vector2f> GltfMaterials::places_of(const GltfJson& primitive, const Material& material,
                                                      std::size_t count) const {
  if (!material.is_picture) return {};
  const std::string key = fmt::format("TEXCOORD_{}", material.set);
  const GltfJson* const accessor = GltfDocument::find(document_.member(primitive, "attributes"), key.c_str());
  if (accessor == nullptr) return {};
  const GltfArray source = document_.array(*accessor, "VEC2", 2);
  if (source.count != count) document_.fail("the number of texture coordinates differs from the number of vertices");
  const bool is_identity = material.transform.isIdentity(0);
  std::vector<Eigen::Vector2f> places;
  places.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Vector2f given(static_cast<float>(source.at(i, 0)), static_cast<float>(source.at(i, 1)));
    places.push_back(is_identity ? given : (material.transform * given.homogeneous()).eval());
  }
  return places;
}

}  // namespace p2mpp
