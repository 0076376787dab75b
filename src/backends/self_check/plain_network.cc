#include "backends/self_check/plain_network.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "backends/common/mask_evidence.h"
#include "backends/common/preprocess.h"
#include "backends/common/projection.h"
#include "backends/common/support.h"
#include "backends/self_check/drawn_operations.h"
#include "backends/self_check/plain_loops.h"
#include "model/network_weights.h"

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

namespace p2mpp::plain {
namespace {

constexpr int kSide = static_cast<int>(kImageSize);
constexpr std::size_t kPlane = std::size_t{kSide} * kSide;

// The distance from each pixel's centre to the mask's border, see mask_evidence.h. Squares of growing size around the
// pixel are searched until none can hold a nearer pixel of the other kind.
double distance_to_border(std::span<const float> mask, int x, int y) {
  const auto is_object = [mask](int column, int row) {
    return mask[static_cast<std::size_t>(row * kSide + column)] > 0.5F;
  };
  double nearest = kEvidenceReach;
  for (int half = 1; half < nearest; ++half) {
    for (int row = std::max(y - half, 0); row <= std::min(y + half, kSide - 1); ++row) {
      const bool whole_row = std::abs(row - y) == half;
      for (int column = x - half; column <= x + half; column += whole_row ? 1 : 2 * half) {
        if (column < 0 || column >= kSide || is_object(column, row) == is_object(x, y)) continue;
        nearest = std::min(nearest, std::hypot(column - x, row - y));
      }
    }
  }
  return (nearest - 0.5) * (is_object(x, y) ? -1 : 1);
}

// The map of the masks' evidence.
Map stage_evidence(const Sample& sample, const ImageRules& rules) {
  Map evidence{kSide, kEvidenceChannels, {}};
  std::vector<float> planes(rules.channels * kPlane);
  for (std::size_t view = 0; view < views_read(sample, 2); ++view) {
    preprocess(sample.views[view].image, rules, planes);
    const std::span<const float> mask = std::span(planes).last(kPlane);
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const double distance = distance_to_border(mask, x, y);
        evidence.values.push_back(distance / kEvidenceReach);
        evidence.values.push_back(std::clamp(distance / static_cast<double>(kNearEvidence), -1.0, 1.0));
      }
    }
  }
  return evidence;
}

Map stage_images(const Sample& sample, int stage, const ImageRules& rules) {
  Map images{kSide, rules.channels, {}};
  std::vector<float> planes(rules.channels * kPlane);
  for (std::size_t view = 0; view < views_read(sample, stage); ++view) {
    preprocess(sample.views[view].image, rules, planes);
    for (std::size_t pixel = 0; pixel < kPlane; ++pixel) {
      for (std::size_t channel = 0; channel < rules.channels; ++channel) {
        images.values.push_back(static_cast<double>(planes[channel * kPlane + pixel]));
      }
    }
  }
  return images;
}

std::vector<Map> compute_features(const StageWeights& weights, Map map, std::span<const std::size_t> layers_read) {
  std::vector<Map> maps;
  const std::vector<ConvolutionWeights> convolutions = weights.convolutions();
  for (std::size_t i = 0; i <= layers_read.back(); ++i) {
    map = convolve(map, convolutions[i]);
    if (std::ranges::find(layers_read, i) != layers_read.end()) maps.push_back(map);
  }
  return maps;
}

// Concatenates the columns of two matrices.
Matrix joined(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, a.columns + b.columns);
  for (std::size_t row = 0; row < a.rows; ++row) {
    std::copy_n(a.row(row), a.columns, result.row(row));
    std::copy_n(b.row(row), b.columns, result.row(row) + a.columns);
  }
  return result;
}

std::vector<float> as_floats(const Matrix& matrix) { return {matrix.values.begin(), matrix.values.end()}; }

std::vector<std::int32_t> edge_ends(std::span<const Edge> edges) {
  std::vector<std::int32_t> ends;
  for (const Edge& edge : edges) ends.insert(ends.end(), edge.begin(), edge.end());
  return ends;
}

// Stage 1's graph convolutions, one block per level.
class CoarseNetwork {
 public:
  CoarseNetwork(const Model& model, const StageWeights& weights, const SampleCameras& cameras,
                std::span<const Map> maps)
      : model_(model), blocks_(weights.blocks("gcn")), cameras_(cameras), maps_(maps) {}

  [[nodiscard]] std::vector<std::vector<double>> run() {
    const Points& first = model_.mesh_template.vertices;
    Matrix vertices = as_matrix({first.front().data(), 3 * first.size()}, 3);
    Matrix hidden;
    std::vector<std::vector<double>> levels;
    for (std::size_t level = 0; level < blocks_.size(); ++level) {
      vertices = run_block(level, level_input(level, vertices, hidden), hidden);
      levels.push_back(vertices.values);
    }
    return levels;
  }

 private:
  [[nodiscard]] Matrix project(const Matrix& vertices) const {
    return look_up(stage1_rules(model_.info.semantics), cameras_, maps_, as_floats(vertices));
  }

  // The input of a level's first layer: the projection, then the coarser level's hidden state.
  [[nodiscard]] Matrix level_input(std::size_t level, const Matrix& vertices, const Matrix& hidden) const {
    if (level == 0) return project(vertices);
    const std::vector<std::int32_t> edges = edge_ends(model_.mesh_template.levels[level - 1].unpool_edges);
    if (unpools_features(model_.info.semantics)) return unpool(joined(project(vertices), hidden), edges);
    return joined(project(unpool(vertices, edges)), unpool(hidden, edges));
  }

  // Returns the vertices and sets `hidden` to the last layer's input.
  [[nodiscard]] Matrix run_block(std::size_t level, Matrix x, Matrix& hidden) const {
    const Support support(model_.mesh_template.levels[level].support);
    const auto& layers = blocks_[level];
    Matrix before;
    for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
      Matrix out = end_layer(convolve_graph(x, layers[i], support.rows()), before,
                             has_residual(i) ? Shortcut::kAveraged : Shortcut::kIgnored);
      before = std::move(x);
      x = std::move(out);
    }
    hidden = std::move(x);
    return convolve_graph(hidden, layers.back(), support.rows());
  }

  const Model& model_;
  std::vector<std::vector<GraphConvolutionWeights>> blocks_;
  const SampleCameras& cameras_;
  std::span<const Map> maps_;
};

// Runs a deformation reasoning block. Sets `largest` to the largest magnitude of each layer's input.
std::vector<float> reason(const Model& model, std::span<const GraphConvolutionWeights> layers,
                          const SampleCameras& cameras, std::span<const Map> maps, const std::vector<float>& vertices,
                          std::vector<float>& largest) {
  const std::size_t hypotheses = model.hypotheses.size();
  const std::vector<float> offsets(model.hypotheses.front().data(), model.hypotheses.front().data() + 3 * hypotheses);
  const Support support(model.local_support.sparseView());
  largest.assign(layers.size(), 0);
  const ReasoningRounding watched{.input = [&largest](std::size_t layer, std::size_t column, double value) {
    if (layer > 0 || column > 2) largest[layer] = std::max(largest[layer], std::abs(static_cast<float>(value)));
    return value;
  }};
  std::vector<float> moved;
  for (std::size_t vertex = 0; vertex < vertices.size(); vertex += 3) {
    std::vector<float> points;
    for (std::size_t i = 0; i < offsets.size(); ++i) points.push_back(vertices[vertex + i % 3] + offsets[i]);
    const std::vector<double> found = scores(look_up(stage2_rules(model.info.semantics), cameras, maps, points), layers,
                                             support.rows(), rectifies_scores(model.info.semantics), watched);
    const auto position = move(vertices.data() + vertex, found, offsets);
    moved.insert(moved.end(), position.begin(), position.end());
  }
  return moved;
}

}  // namespace

Vertices run_network(const Model& model, const Sample& sample) {
  const StageWeights weights1(model, 1);
  const StageWeights weights2(model, 2);
  const ImageRules rules = image_rules(model.info);
  const SampleCameras cameras1 = cameras_of(sample, 1);
  const SampleCameras cameras2 = cameras_of(sample, 2);
  std::vector<Map> maps2 = compute_features(weights2, stage_images(sample, 2, rules), kStage2Maps);
  if (model.info.sizes.stage2_mask_evidence) maps2.push_back(stage_evidence(sample, rules));
  Vertices result;
  std::vector<float> vertices;
  if (sample.initial_mesh) {
    for (const Eigen::Vector3f& vertex : initial_vertices(sample)) {
      vertices.insert(vertices.end(), vertex.data(), vertex.data() + 3);
    }
  } else {
    const std::vector<Map> maps1 = compute_features(weights1, stage_images(sample, 1, rules), kStage1Maps);
    result.coarse = CoarseNetwork(model, weights1, cameras1, maps1).run();
    vertices.assign(result.coarse.back().begin(), result.coarse.back().end());
  }
  for (const auto& layers : weights2.blocks("drb")) {
    vertices = reason(model, layers, cameras2, maps2, vertices, result.largest_inputs.emplace_back());
    result.refined.emplace_back(vertices.begin(), vertices.end());
  }
  return result;
}

}  // namespace p2mpp::plain
