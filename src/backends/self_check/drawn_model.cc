#include "backends/self_check/drawn_model.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <span>

#include "backends/self_check/draw.h"
#include "model/network_layout.h"

namespace p2mpp {
namespace {

constexpr std::size_t kHypotheses = 43;
constexpr int kLevels = 3;
constexpr double kObjectDistance = 0.8;  // from camera 0
constexpr double kObjectRadius = 0.2;
constexpr double kSpread = 5;         // scale of the weights of layers that output coordinates
constexpr double kSharpness = 4;      // scale of the weights of layers that output scores
constexpr float kDifference = 0.01F;  // relative difference between W0 and W1 of the former

using Parameters = std::map<std::string, GivenParameter>;

NetworkSizes sizes_of_drawn(std::size_t image_channels, bool mask_evidence) {
  NetworkSizes sizes;
  sizes.stage2_mask_evidence = mask_evidence;
  sizes.image_channels = static_cast<std::int64_t>(image_channels);
  sizes.stage1_cnn.channels = {4, 4, 6, 6, 6, 8, 8, 8, 12, 12, 12, 16, 16, 16, 20, 20, 20, 20};
  sizes.stage1_cnn.kernels = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 3, 3, 5, 3, 3, 3};
  sizes.stage2_cnn.channels.assign(sizes.stage1_cnn.channels.begin(),
                                   sizes.stage1_cnn.channels.begin() + kStage2Convolutions);
  sizes.stage2_cnn.kernels.assign(kStage2Convolutions, 3);
  sizes.hidden = 40;
  sizes.gcn_layers = {6, 7, 6};
  sizes.drb_hidden = 40;
  sizes.drb_blocks = 2;
  sizes.drb_layers = 6;
  sizes.hypotheses = static_cast<std::int64_t>(kHypotheses);
  return sizes;
}

// The range of the weights keeps values from growing or vanishing from layer to layer.
void add_cnn(Draw& draw, const CnnSizes& cnn, std::int64_t image_channels, Parameters& parameters) {
  std::int64_t in = image_channels;
  for (std::size_t i = 0; i < cnn.channels.size(); ++i) {
    const std::int64_t out = cnn.channels[i];
    const std::int64_t kernel = cnn.kernels[i];
    const std::int64_t fan_in = in * kernel * kernel;
    const double range = std::sqrt(6 / static_cast<double>(fan_in));
    const std::string name = "cnn." + std::to_string(i);
    parameters[name + ".weight"] = {{out, in, kernel, kernel},
                                    draw.values(static_cast<std::size_t>(out * fan_in), -range, range)};
    parameters[name + ".bias"] = {{out}, draw.values(static_cast<std::size_t>(out), -0.05, 0.1)};
    in = out;
  }
}

void add_graph_convolution(Draw& draw, const std::string& name, std::int64_t in, std::int64_t out, double scale,
                           Parameters& parameters) {
  const double range = scale * std::sqrt(3 / static_cast<double>(in));
  for (const char* weight : {".weight0", ".weight1"}) {
    parameters[name + weight] = {{in, out}, draw.values(static_cast<std::size_t>(in * out), -range, range)};
  }
  parameters[name + ".bias"] = {{out}, draw.values(static_cast<std::size_t>(out), -0.1, 0.1)};
}

void add_block(Draw& draw, const std::string& name, std::int64_t in, std::int64_t hidden, std::int64_t layers,
               std::int64_t out, double last_scale, Parameters& parameters) {
  for (std::int64_t i = 0; i < layers; ++i) {
    const bool last = i + 1 == layers;
    add_graph_convolution(draw, name + "." + std::to_string(i), in, last ? out : hidden, last ? last_scale : 1,
                          parameters);
    in = hidden;
  }
}

// With random layers, all vertices end up at nearly the same place. T1 maps a constant to nearly its negative, so W1
// close to W0 cancels the common part and spreads the vertices around the object's centre.
void spread_out(const std::string& last_layer, Parameters& parameters) {
  const std::vector<float>& weight0 = parameters[last_layer + ".weight0"].values;
  std::vector<float>& weight1 = parameters[last_layer + ".weight1"].values;
  for (std::size_t i = 0; i < weight1.size(); ++i) weight1[i] = weight0[i] + kDifference * weight1[i];
  parameters[last_layer + ".bias"].values = {0, 0, -static_cast<float>(kObjectDistance)};
}

Parameters draw_stage1(Draw& draw, const NetworkSizes& sizes) {
  Parameters parameters;
  add_cnn(draw, sizes.stage1_cnn, sizes.image_channels, parameters);
  const std::int64_t width = projected_width(sizes.stage1_cnn.channels, kStage1Maps);
  for (std::size_t block = 0; block < sizes.gcn_layers.size(); ++block) {
    const std::string name = "gcn." + std::to_string(block);
    add_block(draw, name, width + (block > 0 ? sizes.hidden : 0), sizes.hidden, sizes.gcn_layers[block], 3, kSpread,
              parameters);
    spread_out(name + "." + std::to_string(sizes.gcn_layers[block] - 1), parameters);
  }
  return parameters;
}

Parameters draw_stage2(Draw& draw, const NetworkSizes& sizes) {
  Parameters parameters;
  add_cnn(draw, sizes.stage2_cnn, sizes.image_channels, parameters);
  const std::int64_t width = projected_width(sizes.stage2_cnn.channels, kStage2Maps, sizes.stage2_mask_evidence);
  for (std::int64_t block = 0; block < sizes.drb_blocks; ++block) {
    add_block(draw, "drb." + std::to_string(block), width, sizes.drb_hidden, sizes.drb_layers, 1, kSharpness,
              parameters);
  }
  return parameters;
}

// An icosahedron around the object's centre.
TriangleMesh icosahedron() {
  const auto golden = static_cast<float>(std::numbers::phi);
  TriangleMesh mesh;
  for (const float a : {-1.0F, 1.0F}) {
    for (const float b : {-golden, golden}) {
      mesh.vertices.emplace_back(0, a, b);
      mesh.vertices.emplace_back(a, b, 0);
      mesh.vertices.emplace_back(b, 0, a);
    }
  }
  constexpr float kEdge = 2;
  const auto& v = mesh.vertices;
  const auto are_neighbours = [&v](std::size_t a, std::size_t b) { return (v[a] - v[b]).norm() < kEdge + 0.1F; };
  const auto index = [](std::size_t i) { return static_cast<Triangle::value_type>(i); };
  for (std::size_t a = 0; a < v.size(); ++a) {
    for (std::size_t b = a + 1; b < v.size(); ++b) {
      for (std::size_t c = b + 1; c < v.size(); ++c) {
        if (!are_neighbours(a, b) || !are_neighbours(b, c) || !are_neighbours(a, c)) continue;
        const bool outward = v[a].dot(v[b].cross(v[c])) > 0;
        mesh.triangles.push_back(outward ? Triangle{index(a), index(b), index(c)}
                                         : Triangle{index(a), index(c), index(b)});
      }
    }
  }
  const auto scale = static_cast<float>(kObjectRadius) / v.front().norm();
  const Eigen::Vector3f centre(0, 0, -static_cast<float>(kObjectDistance));
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = vertex * scale + centre;
  return mesh;
}

// A random local graph with four neighbours for each hypothesis.
void draw_hypotheses(Draw& draw, Model& model) {
  const auto count = static_cast<Eigen::Index>(kHypotheses);
  model.hypotheses.resize(kHypotheses);
  for (Eigen::Vector3f& hypothesis : model.hypotheses) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) hypothesis[axis] = static_cast<float>(draw.uniform(-0.02, 0.02));
  }
  model.local_support.setZero(count, count);
  for (Eigen::Index row = 0; row < count; ++row) {
    for (int i = 0; i < 4; ++i) {
      model.local_support(row, static_cast<Eigen::Index>(draw.whole(0, kHypotheses - 1))) =
          static_cast<float>(draw.uniform(-0.5, 0.5));
    }
  }
}

}  // namespace

Model drawn_model(Semantics semantics, std::size_t image_channels, bool mask_evidence) {
  Draw draw(1);
  Model model;
  model.info.name = "drawn";
  model.info.semantics = semantics;
  model.info.weights_from = "drawn by p2mpp selftest";
  model.info.view_indices = {0, 1, 2};
  model.info.sizes = sizes_of_drawn(image_channels, mask_evidence);
  model.mesh_template = build_template(icosahedron(), kLevels);
  for (const TemplateLevel& level : model.mesh_template.levels) model.info.sizes.vertices.push_back(level.vertex_count);
  draw_hypotheses(draw, model);
  model.given_parameters = {draw_stage1(draw, model.info.sizes), draw_stage2(draw, model.info.sizes)};
  return model;
}

}  // namespace p2mpp
