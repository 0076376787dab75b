#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/little_endian.h"
#include "colours/mesh_colours.h"
#include "colours/uv_seams.h"
#include "image/srgb.h"
#include "io/image/picture_format.h"
#include "io/mesh/gltf_document.h"
#include "io/mesh/mesh_formats.h"

namespace p2mpp {
namespace {

using OrderedJson = Json;

constexpr std::size_t kAlignment = 4;
constexpr std::size_t kMostShortVertices = 65535;  ///< the index 65535 itself is reserved

void pad(std::string& bytes, char with) {
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment, with);
}

OrderedJson as_json(const Eigen::Vector3f& vector) { return {vector.x(), vector.y(), vector.z()}; }

/// Zero normals are not allowed and are replaced by an arbitrary direction.
Points unit_normals(const Points& normals) {
  Points units = normals;
  for (Eigen::Vector3f& normal : units) {
    if (!(normal.squaredNorm() > 0)) normal = Eigen::Vector3f::UnitY();
    normal.normalize();
  }
  return units;
}

Points differences(const Points& to, const Points& from) {
  Points result(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) result[i] = to[i] - from[i];
  return result;
}

/// Enough bits to tell all channels of 8 bits of sRGB apart.
std::uint16_t linear_16_bits(std::uint8_t srgb) {
  return static_cast<std::uint16_t>(std::lround(65535 * linear_from_srgb(srgb)));
}

/// Builds the binary chunk and its description.
class GlbWriter {
 public:
  explicit GlbWriter(const std::string& generator) {
    document_["asset"] = {{"version", "2.0"}, {"generator", generator}};
  }

  /// Each function returns the index of its accessor.
  std::size_t add_vectors(const Points& vectors, bool with_bounds) {
    OrderedJson accessor = {{"componentType", gltf::kFloat}, {"count", vectors.size()}, {"type", "VEC3"}};
    if (with_bounds) {
      Eigen::Vector3f low = vectors.front(), high = vectors.front();
      for (const Eigen::Vector3f& vector : vectors) {
        low = low.cwiseMin(vector);
        high = high.cwiseMax(vector);
      }
      accessor["min"] = as_json(low);
      accessor["max"] = as_json(high);
    }
    begin_view(gltf::kArrayBuffer);
    for (const Eigen::Vector3f& vector : vectors) {
      for (const float component : vector) append_little_endian(binary_, component);
    }
    return end_view(std::move(accessor));
  }

  std::size_t add_indices(const std::vector<Triangle>& triangles, std::size_t vertex_count) {
    const bool is_short = vertex_count <= kMostShortVertices;
    begin_view(gltf::kElementArrayBuffer);
    for (const Triangle& triangle : triangles) {
      for (const std::int32_t vertex : triangle) {
        if (is_short) {
          append_little_endian(binary_, static_cast<std::uint16_t>(vertex));
        } else {
          append_little_endian(binary_, static_cast<std::uint32_t>(vertex));
        }
      }
    }
    return end_view({{"componentType", is_short ? gltf::kUnsignedShort : gltf::kUnsignedInt},
                     {"count", 3 * triangles.size()},
                     {"type", "SCALAR"}});
  }

  std::size_t add_uvs(const std::vector<Eigen::Vector2f>& uvs) {
    begin_view(gltf::kArrayBuffer);
    for (const Eigen::Vector2f& uv : uvs) append_little_endian(binary_, uv);
    return end_view({{"componentType", gltf::kFloat}, {"count", uvs.size()}, {"type", "VEC2"}});
  }

  /// In linear light, with the fourth component that aligns the elements.
  std::size_t add_colours(const std::vector<Colour>& colours) {
    begin_view(gltf::kArrayBuffer);
    for (const Colour& colour : colours) {
      for (const std::uint8_t channel : colour) append_little_endian(binary_, linear_16_bits(channel));
      append_little_endian(binary_, std::uint16_t{0xFFFF});
    }
    return end_view(
        {{"componentType", gltf::kUnsignedShort}, {"normalized", true}, {"count", colours.size()}, {"type", "VEC4"}});
  }

  std::size_t add_tangents(const std::vector<Eigen::Vector4f>& tangents) {
    begin_view(gltf::kArrayBuffer);
    for (const Eigen::Vector4f& tangent : tangents) {
      for (const float component : tangent) append_little_endian(binary_, component);
    }
    return end_view({{"componentType", gltf::kFloat}, {"count", tangents.size()}, {"type", "VEC4"}});
  }

  /// Adds a picture and a texture of it; the index of the texture.
  std::size_t add_picture(const Image& image, PictureFormat format) {
    begin_view(0);
    binary_ += encode_picture(image, format);
    close_view();
    document_["images"].push_back(
        {{"bufferView", document_["bufferViews"].size() - 1}, {"mimeType", std::string(media_type_of(format))}});
    document_["samplers"] = OrderedJson::array({OrderedJson{{"magFilter", gltf::kLinear},
                                                            {"minFilter", gltf::kLinearMipmapLinear},
                                                            {"wrapS", gltf::kRepeat},
                                                            {"wrapT", gltf::kRepeat}}});
    document_["textures"].push_back({{"sampler", 0}, {"source", document_["images"].size() - 1}});
    return document_["textures"].size() - 1;
  }

  std::size_t add_numbers(const std::array<float, 3>& numbers) {
    begin_view(0);
    for (const float number : numbers) append_little_endian(binary_, number);
    return end_view({{"componentType", gltf::kFloat},
                     {"count", numbers.size()},
                     {"type", "SCALAR"},
                     {"min", OrderedJson::array({*std::ranges::min_element(numbers)})},
                     {"max", OrderedJson::array({*std::ranges::max_element(numbers)})}});
  }

  OrderedJson& document() { return document_; }

  std::string finish() {
    document_["buffers"] = OrderedJson::array({OrderedJson{{"byteLength", binary_.size()}}});
    std::string text = document_.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    pad(text, ' ');
    pad(binary_, '\0');
    std::string bytes;
    for (const std::uint32_t word : {gltf::kMagic, gltf::kVersion,
                                     static_cast<std::uint32_t>(gltf::kFileHeaderBytes + gltf::kChunkHeaderBytes +
                                                                text.size() + gltf::kChunkHeaderBytes + binary_.size()),
                                     static_cast<std::uint32_t>(text.size()), gltf::kJsonChunk}) {
      append_little_endian(bytes, word);
    }
    bytes += text;
    append_little_endian(bytes, static_cast<std::uint32_t>(binary_.size()));
    append_little_endian(bytes, gltf::kBinaryChunk);
    return bytes + binary_;
  }

 private:
  void begin_view(int target) {
    pad(binary_, '\0');
    view_ = {{"buffer", 0}, {"byteOffset", binary_.size()}};
    if (target != 0) view_["target"] = target;
  }

  void close_view() {
    view_["byteLength"] = binary_.size() - view_["byteOffset"].get<std::size_t>();
    document_["bufferViews"].push_back(std::move(view_));
  }

  std::size_t end_view(OrderedJson accessor) {
    accessor["bufferView"] = document_["bufferViews"].size();
    close_view();
    document_["accessors"].push_back(std::move(accessor));
    return document_["accessors"].size() - 1;
  }

  OrderedJson document_;
  OrderedJson view_;
  std::string binary_;
};

/// How a mesh looks, and where it is.
struct GlbScene {
  bool is_textured = false, is_coloured = false, has_normal_map = false;  ///< the first and the second texture
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};

void describe_scene(OrderedJson& document, OrderedJson primitive, const GlbScene& scene) {
  document["scene"] = 0;
  document["scenes"] = OrderedJson::array({OrderedJson{{"nodes", OrderedJson::array({0})}}});
  OrderedJson node = {{"mesh", 0}};
  // Floats far from zero would lose digits; numbers in JSON are doubles.
  if (!scene.origin.isZero(0)) node["translation"] = {scene.origin.x(), scene.origin.y(), scene.origin.z()};
  document["nodes"] = OrderedJson::array({std::move(node)});
  OrderedJson surface = {
      {"baseColorFactor", {gltf::kPlainColour[0], gltf::kPlainColour[1], gltf::kPlainColour[2], 1.0}},
      {"metallicFactor", 0.0},
      {"roughnessFactor", 0.7}};
  if (scene.is_textured || scene.is_coloured) surface["baseColorFactor"] = {1.0, 1.0, 1.0, 1.0};
  if (scene.is_textured) surface["baseColorTexture"] = {{"index", 0}};
  OrderedJson material = {{"pbrMetallicRoughness", surface}};
  if (scene.has_normal_map) material["normalTexture"] = {{"index", 1}};
  document["materials"] = OrderedJson::array({std::move(material)});
  primitive["material"] = 0;
  document["meshes"] = OrderedJson::array({OrderedJson{{"primitives", OrderedJson::array({std::move(primitive)})}}});
}

OrderedJson primitive_of(GlbWriter& writer, const TriangleMesh& mesh) {
  OrderedJson primitive;
  primitive["attributes"]["POSITION"] = writer.add_vectors(mesh.vertices, true);
  primitive["attributes"]["NORMAL"] = writer.add_vectors(unit_normals(mesh.normals), false);
  primitive["indices"] = writer.add_indices(mesh.triangles, mesh.vertices.size());
  return primitive;
}

/// The vertices are those of the mesh, then copies at seams: readers that know "shared_vertices" undo that.
OrderedJson write_textured_primitive(GlbWriter& writer, const TriangleMesh& mesh, PictureFormat picture) {
  const SeamedMesh seamed = split_at_seams(mesh);
  OrderedJson primitive = primitive_of(writer, seamed.mesh);
  primitive["attributes"]["TEXCOORD_0"] = writer.add_uvs(seamed.uvs);
  primitive["extras"] = {{"shared_vertices", mesh.vertices.size()}};
  writer.add_picture(mesh.texture->image, picture);
  if (has_normal_map(mesh)) {
    primitive["attributes"]["TANGENT"] = writer.add_tangents(make_tangents(seamed));
    writer.add_picture(mesh.texture->normal_map, picture);
  }
  return primitive;
}

}  // namespace

std::string format_glb(const TriangleMesh& mesh, const std::string& generator, PictureFormat picture) {
  GlbWriter writer(generator);
  const GlbScene scene{mesh.texture != nullptr, !mesh.texture && !mesh.colours.empty(), has_normal_map(mesh),
                       mesh.origin};
  OrderedJson primitive =
      scene.is_textured ? write_textured_primitive(writer, mesh, picture) : primitive_of(writer, mesh);
  if (scene.is_coloured) primitive["attributes"]["COLOR_0"] = writer.add_colours(mesh.colours);
  describe_scene(writer.document(), std::move(primitive), scene);
  return writer.finish();
}

std::string format_morphing_glb(const TriangleMesh& from, const TriangleMesh& to, float seconds,
                                const std::string& generator) {
  GlbWriter writer(generator);
  OrderedJson primitive = primitive_of(writer, from);
  const Points normals = differences(unit_normals(to.normals), unit_normals(from.normals));
  OrderedJson target;
  target["POSITION"] = writer.add_vectors(differences(to.vertices, from.vertices), true);
  target["NORMAL"] = writer.add_vectors(normals, false);
  primitive["targets"] = OrderedJson::array({std::move(target)});
  const std::size_t times = writer.add_numbers({0, seconds, 2 * seconds});
  const std::size_t weights = writer.add_numbers({0, 1, 0});
  describe_scene(writer.document(), std::move(primitive), {.origin = from.origin});
  OrderedJson& document = writer.document();
  document["meshes"][0]["weights"] = OrderedJson::array({0.0});
  OrderedJson sampler = {{"input", times}, {"interpolation", "LINEAR"}, {"output", weights}};
  OrderedJson channel = {{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}};
  document["animations"] = OrderedJson::array({OrderedJson{{"name", "morph"},
                                                           {"samplers", OrderedJson::array({std::move(sampler)})},
                                                           {"channels", OrderedJson::array({std::move(channel)})}}});
  return writer.finish();
}

}  // namespace p2mpp
