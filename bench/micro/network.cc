#include "micro/network.h"

#include <numbers>

#include "backends/cpu/coarse_deformation.h"
#include "geometry/mesh_template.h"
#include "io/mesh/mesh_file.h"

namespace p2mpp::micro {
namespace {

constexpr float kHypothesisRadius = 0.02F;

TriangleMesh icosahedron() {
  constexpr auto kGolden = std::numbers::phi_v<float>;
  return {.vertices = {{-1, kGolden, 0},
                       {1, kGolden, 0},
                       {-1, -kGolden, 0},
                       {1, -kGolden, 0},
                       {0, -1, kGolden},
                       {0, 1, kGolden},
                       {0, -1, -kGolden},
                       {0, 1, -kGolden},
                       {kGolden, 0, -1},
                       {kGolden, 0, 1},
                       {-kGolden, 0, -1},
                       {-kGolden, 0, 1}},
          .triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
}

LocalGraphOfHypotheses make_local_graph() {
  const TriangleMesh corners = icosahedron();
  const MeshTemplate subdivided = build_template(corners, 2);
  LocalGraphOfHypotheses graph;
  for (const Eigen::Vector3f& vertex : unpool(corners.vertices, subdivided.levels[0].unpool_edges)) {
    const Eigen::Vector3f offset = vertex.normalized() * kHypothesisRadius;
    graph.offsets.insert(graph.offsets.end(), offset.begin(), offset.end());
  }
  graph.offsets.insert(graph.offsets.end(), {0, 0, 0});
  std::vector<Edge> edges = unique_edges(subdivided.levels[1].triangles);
  const auto centre = static_cast<std::int32_t>(subdivided.levels[1].vertex_count);
  for (std::size_t corner = 0; corner < corners.vertices.size(); ++corner) {
    edges.push_back({static_cast<std::int32_t>(corner), centre});
  }
  graph.support = Support(chebyshev_support(centre + 1, edges, largest_laplacian_eigenvalue(centre + 1, edges)));
  return graph;
}

std::vector<std::size_t> channels_of(std::span<const MapSize> sizes) {
  std::vector<std::size_t> channels;
  for (const MapSize& size : sizes) channels.push_back(size.channels);
  return channels;
}

}  // namespace

SampleCameras cameras() {
  const std::vector<Camera> views = {camera_from_row({.azimuth_deg = 250, .elevation_deg = 29, .distance = 0.65F}),
                                     camera_from_row({.azimuth_deg = 8, .elevation_deg = 26, .distance = 0.71F}),
                                     camera_from_row({.azimuth_deg = 59, .elevation_deg = 28, .distance = 0.8F})};
  return {views, views.front()};
}

const MeshTemplate& mesh_template() {
  static const MeshTemplate derived = build_template(read_mesh(P2MPP_TEMPLATE));
  return derived;
}

const Points& vertices_of_level1() {
  static const Points vertices = unpool(mesh_template().vertices, mesh_template().levels[0].unpool_edges);
  return vertices;
}

const LocalGraphOfHypotheses& local_graph() {
  static const LocalGraphOfHypotheses graph = make_local_graph();
  return graph;
}

std::vector<float> hypotheses_of_a_panel() {
  std::vector<float> points;
  for (std::size_t vertex = 0; vertex < kVerticesOfPanel; ++vertex) {
    const Eigen::Vector3f& centre = vertices_of_level1()[vertex];
    for (std::size_t i = 0; i < local_graph().offsets.size(); ++i) {
      points.push_back(centre[static_cast<Eigen::Index>(i % 3)] + local_graph().offsets[i]);
    }
  }
  return points;
}

std::size_t entry_count(const Support& support) {
  return static_cast<std::size_t>(support.rows().first[support.size()]);
}

ProjectionScene::ProjectionScene(const Kernels<float>& kernels, std::span<const MapSize> sizes)
    : projection_(kernels, {}, channels_of(sizes)) {
  for (const MapSize& size : sizes) {
    maps_.push_back(random_maps<float>(kViews, size.side, size.channels, size.channels, 0, 0));
  }
  std::vector<const FeatureMaps<float>*> read;
  for (const FeatureMaps<float>& map : maps_) read.push_back(&map);
  projection_.set_sample(cameras(), read);
}

}  // namespace p2mpp::micro
