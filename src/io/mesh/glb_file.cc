#include "io/mesh/glb_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/little_endian.h"

namespace p2mpp {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of the specification.
constexpr std::uint32_t kMagic = 0x46546C67, kVersion = 2, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
constexpr int kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126;
constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963;
constexpr std::size_t kAlignment = 4;
constexpr std::size_t kMostShortVertices = 65535;  ///< the index 65535 itself is reserved

void pad(std::string& bytes, char with) {
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment, with);
}

Json as_json(const Eigen::Vector3f& vector) { return {vector.x(), vector.y(), vector.z()}; }

/// A normal that vanishes is not allowed: any direction stands in for it.
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

/// Collects the binary chunk and what describes it.
class GlbWriter {
 public:
  explicit GlbWriter(const std::string& generator) {
    document_["asset"] = {{"version", "2.0"}, {"generator", generator}};
  }

  /// Each gives the index of its accessor.
  std::size_t add_vectors(const Points& vectors, bool with_bounds) {
    Json accessor = {{"componentType", kFloat}, {"count", vectors.size()}, {"type", "VEC3"}};
    if (with_bounds) {
      Eigen::Vector3f low = vectors.front(), high = vectors.front();
      for (const Eigen::Vector3f& vector : vectors) {
        low = low.cwiseMin(vector);
        high = high.cwiseMax(vector);
      }
      accessor["min"] = as_json(low);
      accessor["max"] = as_json(high);
    }
    begin_view(kArrayBuffer);
    for (const Eigen::Vector3f& vector : vectors) {
      for (const float component : vector) append_little_endian(binary_, component);
    }
    return end_view(std::move(accessor));
  }

  std::size_t add_indices(const std::vector<Triangle>& triangles, std::size_t vertex_count) {
    const bool is_short = vertex_count <= kMostShortVertices;
    begin_view(kElementArrayBuffer);
    for (const Triangle& triangle : triangles) {
      for (const std::int32_t vertex : triangle) {
        if (is_short) {
          append_little_endian(binary_, static_cast<std::uint16_t>(vertex));
        } else {
          append_little_endian(binary_, static_cast<std::uint32_t>(vertex));
        }
      }
    }
    return end_view({{"componentType", is_short ? kUnsignedShort : kUnsignedInt},
                     {"count", 3 * triangles.size()},
                     {"type", "SCALAR"}});
  }

  std::size_t add_numbers(const std::array<float, 3>& numbers) {
    begin_view(0);
    for (const float number : numbers) append_little_endian(binary_, number);
    return end_view({{"componentType", kFloat},
                     {"count", numbers.size()},
                     {"type", "SCALAR"},
                     {"min", Json::array({*std::ranges::min_element(numbers)})},
                     {"max", Json::array({*std::ranges::max_element(numbers)})}});
  }

  Json& document() { return document_; }

  std::string finish() {
    document_["buffers"] = Json::array({Json{{"byteLength", binary_.size()}}});
    std::string text = document_.dump(-1, ' ', false, Json::error_handler_t::replace);
    pad(text, ' ');
    pad(binary_, '\0');
    std::string bytes;
    for (const std::uint32_t word :
         {kMagic, kVersion, static_cast<std::uint32_t>(12 + 8 + text.size() + 8 + binary_.size()),
          static_cast<std::uint32_t>(text.size()), kJsonChunk}) {
      append_little_endian(bytes, word);
    }
    bytes += text;
    append_little_endian(bytes, static_cast<std::uint32_t>(binary_.size()));
    append_little_endian(bytes, kBinaryChunk);
    return bytes + binary_;
  }

 private:
  void begin_view(int target) {
    pad(binary_, '\0');
    view_ = {{"buffer", 0}, {"byteOffset", binary_.size()}};
    if (target != 0) view_["target"] = target;
  }

  std::size_t end_view(Json accessor) {
    view_["byteLength"] = binary_.size() - view_["byteOffset"].get<std::size_t>();
    accessor["bufferView"] = document_["bufferViews"].size();
    document_["bufferViews"].push_back(std::move(view_));
    document_["accessors"].push_back(std::move(accessor));
    return document_["accessors"].size() - 1;
  }

  Json document_;
  Json view_;
  std::string binary_;
};

void describe_scene(Json& document, Json primitive) {
  document["scene"] = 0;
  document["scenes"] = Json::array({Json{{"nodes", Json::array({0})}}});
  document["nodes"] = Json::array({Json{{"mesh", 0}}});
  const Json surface = {{"baseColorFactor", {0.6, 0.65, 0.7, 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.7}};
  document["materials"] = Json::array({Json{{"pbrMetallicRoughness", surface}}});
  primitive["material"] = 0;
  document["meshes"] = Json::array({Json{{"primitives", Json::array({std::move(primitive)})}}});
}

Json primitive_of(GlbWriter& writer, const TriangleMesh& mesh) {
  Json primitive;
  primitive["attributes"]["POSITION"] = writer.add_vectors(mesh.vertices, true);
  primitive["attributes"]["NORMAL"] = writer.add_vectors(unit_normals(mesh.normals), false);
  primitive["indices"] = writer.add_indices(mesh.triangles, mesh.vertices.size());
  return primitive;
}

}  // namespace

std::string format_glb(const TriangleMesh& mesh, const std::string& generator) {
  GlbWriter writer(generator);
  Json primitive = primitive_of(writer, mesh);
  describe_scene(writer.document(), std::move(primitive));
  return writer.finish();
}

std::string format_morphing_glb(const TriangleMesh& from, const TriangleMesh& to, float seconds,
                                const std::string& generator) {
  GlbWriter writer(generator);
  Json primitive = primitive_of(writer, from);
  const Points normals = differences(unit_normals(to.normals), unit_normals(from.normals));
  Json target;
  target["POSITION"] = writer.add_vectors(differences(to.vertices, from.vertices), true);
  target["NORMAL"] = writer.add_vectors(normals, false);
  primitive["targets"] = Json::array({std::move(target)});
  const std::size_t times = writer.add_numbers({0, seconds, 2 * seconds});
  const std::size_t weights = writer.add_numbers({0, 1, 0});
  describe_scene(writer.document(), std::move(primitive));
  Json& document = writer.document();
  document["meshes"][0]["weights"] = Json::array({0.0});
  Json sampler = {{"input", times}, {"interpolation", "LINEAR"}, {"output", weights}};
  Json channel = {{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}};
  document["animations"] = Json::array({Json{{"name", "morph"},
                                             {"samplers", Json::array({std::move(sampler)})},
                                             {"channels", Json::array({std::move(channel)})}}});
  return writer.finish();
}

}  // namespace p2mpp
