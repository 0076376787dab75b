#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "geometry/foreign/placed_points.h"
#include "io/mesh/gltf_document.h"
#include "io/mesh/gltf_materials.h"
#include "io/mesh/mesh_formats.h"
#include "io/mesh/texture_assembly.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMostShared = 4'000'000;

/// A node and where it is in the scene.
struct PlacedNode {
  std::size_t node = 0;
  Eigen::Matrix4d scene_from_node = Eigen::Matrix4d::Identity();
};

/// The vertices of a primitive in the joined mesh. Primitives of a node may share arrays, and then share vertices.
struct VertexBlock {
  std::size_t first = 0, count = 0;
  std::optional<LinearColour> colour = kWhite;  ///< the one of all vertices, without the material's; empty: several
};
/// scene_from_node, the accessors of positions, normals and colours (-1: none), and what multiplies the colours.
using BlockKey = std::tuple<std::array<double, 16>, std::array<std::int64_t, 3>, LinearColour>;

class GltfReader {
 public:
  GltfReader(std::string_view bytes, const std::string& name, MeshReading& reading)
      : document_(bytes, name, reading),
        notes_(reading.notes),
        texture_(reading.notes),
        materials_(document_, texture_),
        most_(std::max(bytes.size(), kMostShared)) {}

  TriangleMesh read() {
    for (std::vector<PlacedNode> open = roots(); !open.empty();) {
      const PlacedNode next = open.back();
      open.pop_back();
      add_node(next, open);
    }
    if (document_.list(document_.root(), "nodes").empty()) add_all_meshes();
    if (triangles_.empty()) document_.fail("has no triangle");
    return joined();
  }

 private:
  /// The nodes of the scene that the file shows, the first last.
  std::vector<PlacedNode> roots() {
    const GltfJson& root = document_.root();
    visited_.resize(document_.list(root, "nodes").size(), false);
    std::vector<PlacedNode> result;
    if (!document_.list(root, "scenes").empty()) {
      const GltfJson* const chosen = GltfDocument::find(root, "scene");
      const GltfJson& scene = document_.element("scenes", chosen != nullptr ? *chosen : GltfJson(0U));
      for (const GltfJson& node : document_.list(scene, "nodes")) result.push_back({document_.index_of("nodes", node)});
    } else {
      std::vector<bool> is_child(visited_.size(), false);
      for (const GltfJson& node : document_.list(root, "nodes")) {
        for (const GltfJson& child : document_.list(node, "children"))
          is_child[document_.index_of("nodes", child)] = true;
      }
      for (std::size_t i = 0; i < is_child.size(); ++i) {
        if (!is_child[i]) result.push_back({i});
      }
    }
    std::ranges::reverse(result);
    return result;
  }

  Eigen::Matrix4d read_transform(const GltfJson& node) const {
    if (GltfDocument::find(node, "matrix") != nullptr) {
      const std::vector<double> matrix = document_.numbers(node, "matrix", std::vector<double>(16));
      return Eigen::Map<const Eigen::Matrix4d>(matrix.data());  // both by columns
    }
    const std::vector<double> translation = document_.numbers(node, "translation", {0, 0, 0});
    const std::vector<double> rotation = document_.numbers(node, "rotation", {0, 0, 0, 1});
    const std::vector<double> scale = document_.numbers(node, "scale", {1, 1, 1});
    return transform_of_parts(Eigen::Vector3d::Map(translation.data()),
                              {rotation[3], rotation[0], rotation[1], rotation[2]}, Eigen::Vector3d::Map(scale.data()));
  }

  Eigen::Matrix4d transform_of_parts(const Eigen::Vector3d& translation, Eigen::Quaterniond turn,
                                     const Eigen::Vector3d& scale) const {
    if (turn.norm() == 0) document_.fail("a node's rotation is zero");
    if (std::abs(turn.norm() - 1) > 1e-12) turn.normalize();
    Eigen::Affine3d transform = Eigen::Affine3d::Identity();
    transform.translate(translation);
    transform.rotate(turn);
    transform.scale(scale);
    return transform.matrix();
  }

  void add_node(const PlacedNode& placed_node, std::vector<PlacedNode>& open) {
    if (visited_[placed_node.node]) document_.fail("a node is in the scene twice");
    visited_[placed_node.node] = true;
    const GltfJson& node = document_.root().at("nodes")[placed_node.node];
    const Eigen::Matrix4d scene_from_node = placed_node.scene_from_node * read_transform(node);
    if (!scene_from_node.allFinite()) document_.fail("a node's transform is not finite");
    const GltfJson& children = document_.list(node, "children");
    for (std::size_t i = children.size(); i-- > 0;) {
      open.push_back({document_.index_of("nodes", children[i]), scene_from_node});
    }
    const GltfJson* const mesh = GltfDocument::find(node, "mesh");
    if (mesh == nullptr) return;
    const bool is_skinned = GltfDocument::find(node, "skin") != nullptr;  // bones place its vertices, not the node
    if (is_skinned) notes_.emplace_back("its skeleton is not read: the mesh is in its rest pose");
    const GltfJson& found = document_.element("meshes", *mesh);
    if (is_skinned) return add_mesh(found, Eigen::Matrix4d::Identity());
    for (const Eigen::Matrix4d& node_from_instance : read_instances(node)) {
      add_mesh(found, scene_from_node * node_from_instance);
    }
  }

  /// Where a node's mesh is, by EXT_mesh_gpu_instancing; without it, once.
  std::vector<Eigen::Matrix4d> read_instances(const GltfJson& node) const {
    const GltfJson* const extensions = GltfDocument::find(node, "extensions");
    const GltfJson* const extension =
        extensions != nullptr ? GltfDocument::find(*extensions, "EXT_mesh_gpu_instancing") : nullptr;
    if (extension == nullptr) return {Eigen::Matrix4d::Identity()};
    const GltfJson& attributes = document_.member(*extension, "attributes");
    std::array<std::optional<GltfArray>, 3> arrays;  // translation, rotation, scale
    constexpr std::array<const char*, 3> kNames = {"TRANSLATION", "ROTATION", "SCALE"};
    std::size_t count = 0;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const GltfJson* const accessor = GltfDocument::find(attributes, kNames[i]);
      if (accessor == nullptr) continue;
      arrays[i] = document_.array(*accessor, i == 1 ? "VEC4" : "VEC3", i == 1 ? 4 : 3);
      if (count != 0 && arrays[i]->count != count) document_.fail("the numbers of its instances differ");
      count = arrays[i]->count;
    }
    constexpr std::size_t kMostInstances = 100'000;
    if (count > kMostInstances) document_.fail(fmt::format("has more than {} instances of a mesh", kMostInstances));
    std::vector<Eigen::Matrix4d> placed;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = [&](std::size_t array, std::size_t component, double otherwise) {
        return arrays[array] ? arrays[array]->at(i, component) : otherwise;
      };
      placed.push_back(transform_of_parts({value(0, 0, 0), value(0, 1, 0), value(0, 2, 0)},
                                          {value(1, 3, 1), value(1, 0, 0), value(1, 1, 0), value(1, 2, 0)},
                                          {value(2, 0, 1), value(2, 1, 1), value(2, 2, 1)}));
      if (!placed.back().allFinite()) document_.fail("an instance's transform is not finite");
    }
    return placed;
  }

  void add_all_meshes() {
    for (const GltfJson& mesh : document_.list(document_.root(), "meshes")) add_mesh(mesh, Eigen::Matrix4d::Identity());
  }

  void add_mesh(const GltfJson& mesh, const Eigen::Matrix4d& scene_from_node) {
    for (const GltfJson& primitive : document_.list(mesh, "primitives")) add_primitive(primitive, scene_from_node);
  }

  void add_primitive(const GltfJson& primitive, const Eigen::Matrix4d& scene_from_node) {
    const std::size_t mode = document_.whole_number(primitive, "mode", gltf::kTriangles);
    if (mode < gltf::kTriangles) return;  // points and lines
    if (mode > gltf::kTriangleFan) document_.fail("a primitive is of an unknown mode");
    document_.unpack(primitive);
    if (++primitives_ > most_) document_.fail("has too many meshes for a file of its size");
    const VertexBlock block = read_block(primitive, scene_from_node);
    const std::vector<std::size_t> corners = read_corners(primitive, block.count);
    const std::size_t before = triangles_.size();
    append_triangles(corners, mode, block, scene_from_node.topLeftCorner<3, 3>().determinant() < 0);
    has_varied_colours_ |= !block.colour;
    materials_.paint(primitive, std::span(triangles_).subspan(before),
                     {block.first, block.count, block.colour.value_or(kWhite)});
    shared_ = primitives_ == 1 ? shared_vertices(primitive) : std::nullopt;
  }

  VertexBlock read_block(const GltfJson& primitive, const Eigen::Matrix4d& scene_from_node) {
    const GltfJson& attributes = document_.member(primitive, "attributes");
    BlockKey key;
    std::ranges::copy(std::span(scene_from_node.data(), 16), std::get<0>(key).begin());
    constexpr std::array<const char*, 3> kNames = {"POSITION", "NORMAL", "COLOR_0"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const GltfJson* const accessor = GltfDocument::find(attributes, kNames[i]);
      std::get<1>(key)[i] =
          accessor != nullptr ? static_cast<std::int64_t>(document_.index_of("accessors", *accessor)) : -1;
    }
    if (std::get<1>(key)[0] < 0) document_.fail("has no \"POSITION\"");
    std::get<2>(key) = std::get<1>(key)[2] >= 0 ? materials_.read_factor(primitive) : kWhite;
    const auto [known, is_new] = blocks_.try_emplace(key);
    if (is_new) known->second = add_vertices(primitive, scene_from_node);
    return known->second;
  }

  VertexBlock add_vertices(const GltfJson& primitive, const Eigen::Matrix4d& scene_from_node) {
    const GltfJson& attributes = document_.member(primitive, "attributes");
    const GltfArray positions = document_.array(attributes.at("POSITION"), "VEC3", 3);
    VertexBlock block{vertices_.size(), positions.count};
    if (block.first + block.count > most_) document_.fail("has too many vertices for a file of its size");
    const bool is_identity = scene_from_node.isIdentity(0);
    for (std::size_t i = 0; i < positions.count; ++i) {
      const Eigen::Vector3d place(positions.at(i, 0), positions.at(i, 1), positions.at(i, 2));
      const Eigen::Vector3d in_scene = is_identity ? place : (scene_from_node * place.homogeneous()).head<3>().eval();
      if (!in_scene.cast<float>().allFinite()) document_.fail("a vertex is not finite");
      vertices_.push_back(in_scene);
    }
    if (const GltfJson* normals = GltfDocument::find(attributes, "NORMAL"))
      add_normals(*normals, block, scene_from_node);
    if (const GltfJson* colours = GltfDocument::find(attributes, "COLOR_0")) {
      add_colours(*colours, materials_.read_factor(primitive), block);
    } else {
      colours_.resize(vertices_.size(), nearest_srgb(materials_.read_factor(primitive)));
    }
    return block;
  }

  void add_normals(const GltfJson& accessor, const VertexBlock& block, const Eigen::Matrix4d& scene_from_node) {
    const GltfArray source = document_.array(accessor, "VEC3", 3);
    if (source.count != block.count) document_.fail("the number of normals differs from the number of vertices");
    if (normals_.size() != block.first) return;  // some have none
    const Eigen::Matrix3d linear = scene_from_node.topLeftCorner<3, 3>();
    const bool is_identity = linear.isIdentity(0);
    // The cofactors are the inverse transpose, up to a factor, and exist for flat objects, too.
    Eigen::Matrix3d cofactors;
    for (int i = 0; i < 3; ++i) cofactors.col(i) = linear.col((i + 1) % 3).cross(linear.col((i + 2) % 3));
    if (linear.determinant() < 0) cofactors = -cofactors;
    for (std::size_t i = 0; i < source.count; ++i) {
      const Eigen::Vector3d given(source.at(i, 0), source.at(i, 1), source.at(i, 2));
      Eigen::Vector3f normal = is_identity ? given.cast<float>().eval() : (cofactors * given).cast<float>().eval();
      if (!normal.allFinite()) normal.setZero();
      normal.stableNormalize();
      normals_.push_back(normal);
    }
  }

  void add_colours(const GltfJson& accessor, const LinearColour& factor, VertexBlock& block) {
    const bool has_alpha = GltfDocument::find(document_.element("accessors", accessor), "type") != nullptr &&
                           document_.element("accessors", accessor).at("type") == "VEC4";
    const GltfArray source = document_.array(accessor, has_alpha ? "VEC4" : "VEC3", has_alpha ? 4 : 3);
    if (source.count != block.count) document_.fail("the number of colours differs from the number of vertices");
    has_colours_ = true;
    constexpr double kEqual = 1e-3;
    for (std::size_t i = 0; i < source.count; ++i) {
      LinearColour colour{source.at(i, 0), source.at(i, 1), source.at(i, 2)};
      if (i == 0) block.colour = colour;
      for (std::size_t c = 0; c < colour.size(); ++c) {
        if (block.colour && !(std::abs(colour[c] - (*block.colour)[c]) < kEqual)) block.colour.reset();
        colour[c] *= factor[c];
      }
      colours_.push_back(nearest_srgb(colour));
    }
  }

  /// The vertices that the primitive's triangles name, from 0.
  std::vector<std::size_t> read_corners(const GltfJson& primitive, std::size_t vertex_count) const {
    std::vector<std::size_t> corners;
    const GltfJson* const indices = GltfDocument::find(primitive, "indices");
    const GltfArray source = indices != nullptr ? document_.array(*indices, "SCALAR", 1) : GltfArray{};
    const std::size_t count = indices != nullptr ? source.count : vertex_count;
    if (indices != nullptr && !source.is_unsigned()) document_.fail("its indices are not whole numbers");
    corners.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t vertex = indices != nullptr ? source.index_at(i) : i;
      if (vertex >= vertex_count) {
        document_.fail(fmt::format("a triangle names vertex {} of {}", vertex, vertex_count));
      }
      corners.push_back(static_cast<std::size_t>(vertex));
    }
    return corners;
  }

  void append_triangles(const std::vector<std::size_t>& corners, std::size_t mode, const VertexBlock& block,
                        bool is_mirrored) {
    if (mode == gltf::kTriangles && corners.size() % 3 != 0) document_.fail("its indices do not make triangles");
    const std::size_t count =
        mode == gltf::kTriangles ? corners.size() / 3 : std::max<std::size_t>(corners.size(), 2) - 2;
    if (triangles_.size() + count > most_) document_.fail("has too many triangles for a file of its size");
    for (std::size_t t = 0; t < count; ++t) {
      std::array<std::size_t, 3> at = {3 * t, 3 * t + 1, 3 * t + 2};
      if (mode == gltf::kTriangleStrip) at = {t, t + 1 + t % 2, t + 2 - t % 2};
      if (mode == gltf::kTriangleFan) at = {0, t + 1, t + 2};
      if (is_mirrored) std::swap(at[1], at[2]);
      Triangle triangle{};
      for (std::size_t i = 0; i < 3; ++i) triangle[i] = static_cast<std::int32_t>(block.first + corners[at[i]]);
      const bool is_bridge = triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
      if (mode == gltf::kTriangles || !is_bridge) triangles_.push_back(triangle);
    }
  }

  /// What format_glb() writes; nullopt for other files.
  std::optional<std::size_t> shared_vertices(const GltfJson& primitive) const {
    const GltfJson* const extras = GltfDocument::find(primitive, "extras");
    const GltfJson* const count = extras != nullptr ? GltfDocument::find(*extras, "shared_vertices") : nullptr;
    if (count == nullptr || !count->is_number_unsigned()) return std::nullopt;
    return static_cast<std::size_t>(std::min<std::uint64_t>(count->get<std::uint64_t>(), vertices_.size()));
  }

  TriangleMesh joined() {
    TriangleMesh mesh;
    if (normals_.size() == vertices_.size()) mesh.normals = std::move(normals_);
    if (has_colours_ && (has_varied_colours_ || !texture_.has_picture())) mesh.colours = std::move(colours_);
    PlacedPoints points = placed(vertices_);
    mesh.vertices = std::move(points.points);
    mesh.origin = points.origin;
    mesh.triangles = std::move(triangles_);
    // White is what a file without colours has.
    const std::optional<Colour> only = texture_.only_colour();
    if (only != nearest_srgb(kWhite) && only != nearest_srgb(gltf::kPlainColour)) texture_.finish(mesh);
    if (shared_) join_copies(mesh, *shared_);
    return mesh;
  }

  /// Undoes what split_at_seams() did: vertices from `shared` on are copies of those before.
  static void join_copies(TriangleMesh& mesh, std::size_t shared) {
    std::map<std::array<float, 3>, std::int32_t> first;
    const auto place = [&](std::size_t i) -> std::array<float, 3> {
      return {mesh.vertices[i].x(), mesh.vertices[i].y(), mesh.vertices[i].z()};
    };
    for (std::size_t i = 0; i < shared; ++i) first.try_emplace(place(i), static_cast<std::int32_t>(i));
    std::vector<std::int32_t> joined(mesh.vertices.size());
    for (std::size_t i = 0; i < joined.size(); ++i) {
      joined[i] = static_cast<std::int32_t>(i);
      if (i < shared) continue;
      const auto original = first.find(place(i));
      if (original == first.end()) return;  // another program has changed the file
      joined[i] = original->second;
    }
    for (Triangle& triangle : mesh.triangles) {
      for (std::int32_t& vertex : triangle) vertex = joined[static_cast<std::size_t>(vertex)];
    }
    mesh.vertices.resize(shared);
    if (!mesh.normals.empty()) mesh.normals.resize(shared);
    if (!mesh.colours.empty()) mesh.colours.resize(shared);
  }

  GltfDocument document_;
  std::vector<std::string>& notes_;
  TextureAssembly texture_;
  GltfMaterials materials_;
  std::size_t most_;  ///< vertices, and triangles: few bytes can name the same ones again and again
  std::vector<bool> visited_;
  std::map<BlockKey, VertexBlock> blocks_;
  std::vector<Eigen::Vector3d> vertices_;
  Points normals_;
  std::vector<Colour> colours_;  ///< of the vertices, times the materials'; the materials' where there are none
  std::vector<Triangle> triangles_;
  std::optional<std::size_t> shared_;
  std::size_t primitives_ = 0;
  bool has_colours_ = false, has_varied_colours_ = false;  ///< of vertices
};

}  // namespace

TriangleMesh parse_gltf(std::string_view bytes, const std::string& name, MeshReading* reading) {
  MeshReading alone;
  return GltfReader(bytes, name, reading != nullptr ? *reading : alone).read();
}

}  // namespace p2mpp
