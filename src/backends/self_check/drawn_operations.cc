#include "backends/self_check/drawn_operations.h"

#include <Eigen/Geometry>
#include <cmath>

namespace p2mpp {
namespace {

constexpr double kDistance = 0.8;  // of the object from camera 0

constexpr double kNearest = 0.5, kFarthest = 2;  // of a camera from the world's origin

Camera drawn_camera_of_row(Draw& draw, double nearest, double farthest) {
  return camera_from_row({static_cast<float>(draw.uniform(0, 360)), static_cast<float>(draw.uniform(-80, 80)), 0,
                          static_cast<float>(draw.uniform(nearest, farthest)), 25});
}

std::vector<std::size_t> reasoning_widths(const ReasoningSizes& sizes) {
  std::size_t features = 3;
  for (const MapSizes& map : sizes.maps) features += 3 * map.channels;
  std::vector<std::size_t> widths(sizes.layers, sizes.hidden);
  widths.insert(widths.begin(), features);
  widths.back() = 1;
  return widths;
}

}  // namespace

std::vector<float> rounded(const std::vector<float>& values, Rounding rounding) {
  std::vector<float> result(values.size());
  std::ranges::transform(values, result.begin(), rounding);
  return result;
}

DrawnConvolution::DrawnConvolution(Draw& draw, const ConvolutionSizes& drawn_sizes)
    : sizes(drawn_sizes),
      pixels(draw.values(static_cast<std::size_t>(sizes.images * sizes.side * sizes.side) * sizes.in)),
      weight(draw.values(sizes.out * sizes.in * static_cast<std::size_t>(sizes.kernel * sizes.kernel))),
      bias(draw.values(sizes.out)) {}

std::vector<double> DrawnConvolution::expected(Rounding rounding) const {
  const std::vector<float> rounded_weight = rounded(weight, rounding);
  plain::Map input{sizes.side, sizes.in, {}};
  for (const float pixel : pixels) input.values.push_back(static_cast<double>(rounding(pixel)));
  return plain::convolve(input, {rounded_weight, bias, sizes.kernel, sizes.stride}).values;
}

DrawnSupport::DrawnSupport(Draw& draw, std::size_t vertices, std::size_t neighbours) {
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    for (std::size_t i = 0; i < neighbours; ++i) {
      column.push_back(static_cast<std::int32_t>(draw.whole(0, vertices - 1)));
      weight.push_back(static_cast<float>(draw.uniform(-0.4, 0.4)));
    }
    first.push_back(static_cast<std::int32_t>(column.size()));
  }
}

std::vector<float> DrawnSupport::dense() const {
  const std::size_t size = first.size() - 1;
  std::vector<float> matrix(size * size);
  for (std::size_t row = 0; row < size; ++row) {
    for (auto i = static_cast<std::size_t>(first[row]); i < static_cast<std::size_t>(first[row + 1]); ++i) {
      matrix[row * size + static_cast<std::size_t>(column[i])] += weight[i];
    }
  }
  return matrix;
}

DrawnLayers::DrawnLayers(Draw& draw, std::span<const std::size_t> widths) {
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const double range = std::sqrt(3 / static_cast<double>(widths[i]));
    const std::size_t count = widths[i] * widths[i + 1];
    std::vector<float> weight0 = draw.values(count, -range, range);
    std::vector<float> weight1 = draw.values(count, -range, range);
    values.push_back({std::move(weight0), std::move(weight1), draw.values(widths[i + 1], -0.3, 0.3)});
  }
}

std::vector<GraphConvolutionWeights> DrawnLayers::layers() const {
  std::vector<GraphConvolutionWeights> result;
  for (const Layer& each : values) result.push_back({each.weight0, each.weight1, each.bias});
  return result;
}

DrawnGraph::DrawnGraph(Draw& draw, std::size_t sample_count, std::size_t vertex_count, std::size_t channel_count,
                       std::size_t layer_count)
    : samples(sample_count),
      vertices(vertex_count),
      channels(channel_count),
      support(draw, vertices, 6),
      layers(draw, std::vector<std::size_t>(layer_count + 1, channels)),
      input(draw.values(samples * vertices * channels, 0, 1)) {}

std::vector<double> DrawnGraph::expected() const {
  std::vector<double> result;
  const auto weights = layers.layers();
  for (std::size_t sample = 0; sample < samples; ++sample) {
    plain::Matrix x =
        plain::as_matrix(std::span(input).subspan(sample * vertices * channels, vertices * channels), channels);
    plain::Matrix before;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      plain::Matrix out = plain::end_layer(plain::convolve_graph(x, weights[i], support.rows()), before,
                                           averages(i) ? plain::Shortcut::kAveraged : plain::Shortcut::kIgnored);
      before = std::move(x);
      x = std::move(out);
    }
    result.insert(result.end(), x.values.begin(), x.values.end());
  }
  return result;
}

Camera drawn_camera(Draw& draw, double nearest, double farthest) {
  Camera camera = drawn_camera_of_row(draw, nearest, farthest);
  // One draw at a time: the order in which arguments are evaluated is the compiler's.
  const double roll = draw.uniform(-3, 3), aim = draw.uniform(-0.1, 0.1), slope = draw.uniform(-1, 1);
  const Eigen::AngleAxisd rolled(roll, Eigen::Vector3d::UnitZ());
  const Eigen::AngleAxisd aimed(aim, Eigen::Vector3d(1, slope, 0).normalized());
  camera.rotation = ((rolled * aimed).toRotationMatrix() * camera.rotation).eval();
  camera.intrinsics = {.fx = draw.uniform(150, 400),
                       .fy = draw.uniform(150, 400),
                       .cx = draw.uniform(80, 144),
                       .cy = draw.uniform(80, 144)};
  return camera;
}

DrawnViews::DrawnViews(Draw& draw, std::size_t view_count, std::span<const MapSizes> sizes, Rounding rounding,
                       DrawnCameras kind) {
  const bool rows = kind == DrawnCameras::kRows;
  for (std::size_t view = 0; view < view_count; ++view) {
    cameras.views.push_back(rows ? drawn_camera_of_row(draw, kNearest, kFarthest) : drawn_camera(draw));
  }
  cameras.network = rows ? cameras.views.front() : drawn_camera(draw);
  for (const MapSizes& size : sizes) {
    plain::Map& map = maps.emplace_back(plain::Map{size.side, size.channels, {}});
    const std::size_t count = view_count * static_cast<std::size_t>(size.side * size.side) * size.channels;
    for (const float value : draw.values(count)) map.values.push_back(static_cast<double>(rounding(value)));
  }
}

std::vector<std::size_t> DrawnViews::channels() const {
  std::vector<std::size_t> result;
  for (const plain::Map& map : maps) result.push_back(map.channels);
  return result;
}

std::vector<float> drawn_points(Draw& draw, std::size_t count) {
  std::vector<float> points;
  for (std::size_t i = 0; i < count; ++i) {
    for (const double centre : {0.0, 0.0, -kDistance}) {
      points.push_back(static_cast<float>(centre + draw.uniform(-0.5, 0.5)));
    }
  }
  return points;
}

ReasoningSizes with_evidence(ReasoningSizes sizes) {
  sizes.maps.push_back({.side = static_cast<int>(kImageSize), .channels = kEvidenceChannels});
  sizes.mask_evidence = true;
  sizes.rules = {.sampling = Sampling::kBilinear, .view_index_scaled = false, .normalised_origin = false};
  return sizes;
}

DrawnReasoning::DrawnReasoning(Draw& draw, const ReasoningSizes& drawn_sizes, Rounding rounding_of_maps)
    : sizes(drawn_sizes),
      // Rows: the tolerances of reduced precision were found with these problems.
      views(draw, sizes.views, sizes.maps, rounding_of_maps, DrawnCameras::kRows),
      support(draw, sizes.hypotheses, 5),
      offsets(draw.values(3 * sizes.hypotheses, -0.02, 0.02)),
      vertices(drawn_points(draw, sizes.vertices)),
      rectified(draw.whole(0, 1) == 1),
      layers(draw, reasoning_widths(sizes)) {
  layers.values.back().bias.front() = 1;  // makes most scores positive, so that rectifying keeps them
}

std::vector<float> DrawnReasoning::points() const {
  std::vector<float> result;
  for (std::size_t vertex = 0; vertex < vertices.size(); vertex += 3) {
    for (std::size_t i = 0; i < offsets.size(); ++i) result.push_back(vertices[vertex + i % 3] + offsets[i]);
  }
  return result;
}

ProjectionLayout DrawnReasoning::layout() const {
  std::vector<std::size_t> channels = views.channels();
  if (sizes.mask_evidence) channels.pop_back();
  return ProjectionLayout(channels, sizes.mask_evidence);
}

plain::Matrix DrawnReasoning::features() const {
  return plain::look_up(sizes.rules, views.cameras, views.maps, points());
}

std::vector<double> DrawnReasoning::scores(const plain::Matrix& features,
                                           const plain::ReasoningRounding& rounding) const {
  std::vector<double> result;
  const auto weights = layers.layers();
  for (std::size_t vertex = 0; vertex < sizes.vertices; ++vertex) {
    plain::Matrix rows(sizes.hypotheses, features.columns);
    std::copy_n(features.row(vertex * sizes.hypotheses), rows.values.size(), rows.values.begin());
    const std::vector<double> of_vertex = plain::scores(std::move(rows), weights, support.rows(), rectified, rounding);
    result.insert(result.end(), of_vertex.begin(), of_vertex.end());
  }
  return result;
}

std::vector<double> DrawnReasoning::moved(std::span<const float> scores) const {
  std::vector<double> result;
  for (std::size_t vertex = 0; vertex < sizes.vertices; ++vertex) {
    const auto of_vertex = scores.subspan(vertex * sizes.hypotheses, sizes.hypotheses);
    const auto moved =
        plain::move(vertices.data() + 3 * vertex, std::vector<double>(of_vertex.begin(), of_vertex.end()), offsets);
    result.insert(result.end(), moved.begin(), moved.end());
  }
  return result;
}

}  // namespace p2mpp
