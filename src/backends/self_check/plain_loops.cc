#include "backends/self_check/plain_loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/network_layout.h"

namespace p2mpp::plain {
namespace {

constexpr int kNetworkSide = 224;

double colour_on_white(const Image& image, AlphaRule rule, int y, int x, std::size_t channel) {
  const int row = std::clamp(y, 0, image.height - 1);
  const int column = std::clamp(x, 0, image.width - 1);
  const std::uint8_t* pixel = image.rgba.data() + 4 * static_cast<std::size_t>(row * image.width + column);
  const double colour = pixel[channel];
  const double alpha = pixel[3] / 255.0;
  if (rule == AlphaRule::kTransparentToWhite) return pixel[3] == 0 ? 255 : colour;
  return std::round(colour * alpha + 255 * (1 - alpha));
}

double share_of_object(const Image& image, bool opaque, int y, int x) {
  const int row = std::clamp(y, 0, image.height - 1);
  const int column = std::clamp(x, 0, image.width - 1);
  const std::uint8_t* pixel = image.rgba.data() + 4 * static_cast<std::size_t>(row * image.width + column);
  if (!opaque) return pixel[3];
  return std::min({pixel[0], pixel[1], pixel[2]}) < 250 ? 255 : 0;
}

/// value(y, x) between its four pixels.
template <class Value>
double resized(const Image& image, int y, int x, const Value& value) {
  const double row = (y + 0.5) * image.height / kNetworkSide - 0.5;
  const double column = (x + 0.5) * image.width / kNetworkSide - 0.5;
  const auto top = static_cast<int>(std::floor(row));
  const auto left = static_cast<int>(std::floor(column));
  double sum = 0;
  for (const int dy : {0, 1}) {
    for (const int dx : {0, 1}) {
      const double weight = (dy == 0 ? top + 1 - row : row - top) * (dx == 0 ? left + 1 - column : column - left);
      sum += weight * value(top + dy, left + dx);
    }
  }
  return sum;
}

double squared_distance(const Eigen::Vector3f& a, const Eigen::Vector3f& b) {
  return (a.cast<double>() - b.cast<double>()).squaredNorm();
}

}  // namespace

std::vector<double> preprocess(const Image& image, const ImageRules& rules) {
  std::vector<double> planes;
  const auto add_plane = [&](const auto& value) {
    for (int y = 0; y < kNetworkSide; ++y) {
      for (int x = 0; x < kNetworkSide; ++x) planes.push_back(resized(image, y, x, value) / 255);
    }
  };
  for (const std::size_t channel : {2U, 1U, 0U}) {  // blue first
    add_plane([&](int y, int x) { return colour_on_white(image, rules.alpha, y, x, channel); });
  }
  if (rules.channels == 4) {
    const bool opaque = is_opaque(image);
    add_plane([&](int y, int x) { return share_of_object(image, opaque, y, x); });
  }
  return planes;
}

double squared_distance_difference(const Neighbours& found, const Points& queries, const Points& targets) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    double nearest = kInfinity;
    for (const Eigen::Vector3f& target : targets) nearest = std::min(nearest, squared_distance(queries[i], target));
    if (found.indices[i] >= targets.size()) return kInfinity;
    for (const double distance :
         {found.squared_distances[i], squared_distance(queries[i], targets[found.indices[i]])}) {
      const double difference = std::abs(distance - nearest) / std::max(nearest, 1e-12);
      largest = std::max(largest, std::isnan(difference) ? kInfinity : difference);
    }
  }
  return largest;
}

Image drawn_image(Draw& draw, int width, int height) {
  Image image{width, height, {}};
  for (int i = 0; i < 4 * width * height; ++i) {
    image.rgba.push_back(static_cast<std::uint8_t>(i % 4 == 3 && i % 5 == 0 ? 0 : draw.whole(0, 255)));
  }
  return image;
}

Image drawn_opaque_image(Draw& draw, int width, int height) {
  Image image{width, height, {}};
  for (int pixel = 0; pixel < width * height; ++pixel) {
    const std::size_t grey = draw.whole(246, 255);
    for (int channel = 0; channel < 3; ++channel) {
      const std::size_t colour = draw.whole(0, 3) == 0 ? draw.whole(0, 255) : grey;
      image.rgba.push_back(static_cast<std::uint8_t>(colour));
    }
    image.rgba.push_back(255);
  }
  return image;
}

Points drawn_cloud(Draw& draw, std::size_t count) {
  Points cloud(count);
  for (Eigen::Vector3f& point : cloud) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) point[axis] = static_cast<float>(draw.uniform(-0.5, 0.5));
  }
  return cloud;
}

namespace {

// The weights as [kernel, kernel, in, out], so that the inner loop reads memory sequentially.
std::vector<double> channels_last(const ConvolutionWeights& weights, std::size_t in, std::size_t out) {
  const auto area = static_cast<std::size_t>(weights.kernel * weights.kernel);
  std::vector<double> result(weights.weight.size());
  for (std::size_t channel = 0; channel < out; ++channel) {
    for (std::size_t from = 0; from < in; ++from) {
      for (std::size_t at = 0; at < area; ++at) {
        result[(at * in + from) * out + channel] =
            static_cast<double>(weights.weight[(channel * in + from) * area + at]);
      }
    }
  }
  return result;
}

struct Position {
  double row, column;
};

Position pixel(const ProjectionRules& rules, const Camera& camera, const Camera& network, const float* point) {
  const Eigen::Vector3d p(point[0], point[1], point[2]);
  Eigen::Vector3d q = rules.normalised_origin ? Eigen::Vector3d(camera.rotation * (p - camera.origin.normalized()))
                                              : camera.cam_from_world(network.world_from_cam(p));
  if (rules.normalised_origin) q.z() = std::min(q.z(), -0.1);
  const auto defined = [](double value) { return std::isnan(value) ? 0.0 : value; };
  // Rounded to float like the kernels, because the choice of pixels depends on the rounded position.
  return {static_cast<float>(defined(camera.intrinsics.fy * (-q.y() / -q.z()) + camera.intrinsics.cy)),
          static_cast<float>(defined(camera.intrinsics.fx * (q.x() / -q.z()) + camera.intrinsics.cx))};
}

double bilinear(const Map& map, int view, double y, double x, std::size_t channel) {
  const int top = static_cast<int>(y);
  const int left = static_cast<int>(x);
  const int bottom = std::min(top + 1, map.side - 1);
  const int right = std::min(left + 1, map.side - 1);
  const double upper =
      map.at(view, top, left, channel) * (1 - (x - left)) + map.at(view, top, right, channel) * (x - left);
  const double lower =
      map.at(view, bottom, left, channel) * (1 - (x - left)) + map.at(view, bottom, right, channel) * (x - left);
  return upper * (1 - (y - top)) + lower * (y - top);
}

double floor_ceil(const Map& map, int view, double y, double x, std::size_t channel) {
  double sum = 0;
  for (const double corner_y : {std::floor(y), std::ceil(y)}) {
    for (const double corner_x : {std::floor(x), std::ceil(x)}) {
      if (corner_y >= map.side || corner_x >= map.side) continue;
      const double weight_y = corner_y == std::floor(y) ? std::ceil(y) - y : y - std::floor(y);
      const double weight_x = corner_x == std::floor(x) ? std::ceil(x) - x : x - std::floor(x);
      sum += weight_y * weight_x * map.at(view, static_cast<int>(corner_y), static_cast<int>(corner_x), channel);
    }
  }
  return sum;
}

double sample(const ProjectionRules& rules, const Map& map, std::size_t view, const Position& at, std::size_t channel) {
  const double cell = kImageSize / map.side;
  const double most = map.side - 1.0;
  const auto view_read =
      static_cast<int>(rules.view_index_scaled ? static_cast<double>(view) / cell : static_cast<double>(view));
  const double y = std::clamp(at.row, 0.0, kImageSize - 1) / cell;
  const double x = std::clamp(at.column, 0.0, kImageSize - 1) / cell;
  if (rules.sampling == Sampling::kNearest) return map.at(view_read, static_cast<int>(y), static_cast<int>(x), channel);
  if (rules.sampling == Sampling::kFloorCeil) return floor_ceil(map, view_read, y, x, channel);
  return bilinear(map, view_read, std::clamp(at.row / cell, 0.0, most), std::clamp(at.column / cell, 0.0, most),
                  channel);
}

// Maximum, mean and standard deviation over the views.
std::array<double, 3> pooled(std::span<const double> values) {
  double largest = -INFINITY;
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    largest = std::max(largest, value);
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(values.size());
  const double variance = squares / count - (sum / count) * (sum / count);
  return {largest, sum / count, std::sqrt(std::max(0.0, variance) + 1e-6)};
}

}  // namespace

Matrix as_matrix(std::span<const float> values, std::size_t columns) {
  Matrix matrix(values.size() / columns, columns);
  std::ranges::copy(values, matrix.values.begin());
  return matrix;
}

Map convolve(const Map& input, const ConvolutionWeights& weights) {
  const std::size_t in = input.channels;
  const std::size_t area = static_cast<std::size_t>(weights.kernel * weights.kernel);
  const std::size_t out = weights.weight.size() / (in * area);
  const std::vector<double> by_place = channels_last(weights, in, out);
  Map result{(input.side + weights.stride - 1) / weights.stride, out, {}};
  const auto images = static_cast<int>(input.values.size() / (in * static_cast<std::size_t>(input.side * input.side)));
  result.values.resize(static_cast<std::size_t>(images * result.side * result.side) * out);
  const int before = std::max((result.side - 1) * weights.stride + weights.kernel - input.side, 0) / 2;
  double* sums = result.values.data();
  for (int pixel = 0; pixel < images * result.side * result.side; ++pixel, sums += out) {
    const int top = pixel / result.side % result.side * weights.stride - before;
    const int left = pixel % result.side * weights.stride - before;
    const int image = pixel / (result.side * result.side);
    if (!weights.bias.empty()) std::ranges::copy(weights.bias, sums);
    for (int ky = std::max(0, -top); ky < std::min(weights.kernel, input.side - top); ++ky) {
      for (int kx = std::max(0, -left); kx < std::min(weights.kernel, input.side - left); ++kx) {
        const auto from = static_cast<std::size_t>((image * input.side + top + ky) * input.side + left + kx);
        const double* weight = by_place.data() + static_cast<std::size_t>(ky * weights.kernel + kx) * in * out;
        for (std::size_t i = 0; i < in; ++i, weight += out) {
          const double value = input.values[from * in + i];
          for (std::size_t channel = 0; channel < out; ++channel) sums[channel] += value * weight[channel];
        }
      }
    }
    if (!weights.bias.empty()) std::transform(sums, sums + out, sums, [](double sum) { return std::max(sum, 0.0); });
  }
  return result;
}

Matrix multiply(const Matrix& x, std::span<const float> weight) {
  Matrix result(x.rows, weight.size() / x.columns);
  const std::vector<double> factors(weight.begin(), weight.end());
  for (std::size_t row = 0; row < x.rows; ++row) {
    double* sums = result.row(row);
    for (std::size_t k = 0; k < x.columns; ++k) {
      const double value = x.row(row)[k];
      const double* factor = factors.data() + k * result.columns;
      for (std::size_t column = 0; column < result.columns; ++column) sums[column] += value * factor[column];
    }
  }
  return result;
}

Matrix sum_neighbours(const SupportRows& support, const Matrix& x) {
  Matrix result(x.rows, x.columns);
  for (std::size_t row = 0; row < x.rows; ++row) {
    for (auto i = support.first[row]; i < support.first[row + 1]; ++i) {
      const auto weight = static_cast<double>(support.weight[i]);
      const double* other = x.row(static_cast<std::size_t>(support.column[i]));
      for (std::size_t column = 0; column < x.columns; ++column) result.row(row)[column] += weight * other[column];
    }
  }
  return result;
}

Matrix unpool(Matrix x, std::span<const std::int32_t> edges) {
  for (std::size_t edge = 0; 2 * edge < edges.size(); ++edge) {
    for (std::size_t column = 0; column < x.columns; ++column) {
      const double first = x.row(static_cast<std::size_t>(edges[2 * edge]))[column];
      const double second = x.row(static_cast<std::size_t>(edges[2 * edge + 1]))[column];
      x.values.push_back((first + second) / 2);
    }
  }
  x.rows += edges.size() / 2;
  return x;
}

Matrix convolve_graph(const Matrix& x, const GraphConvolutionWeights& weights, const SupportRows& support) {
  Matrix result = multiply(x, weights.weight0);
  const Matrix others = sum_neighbours(support, multiply(x, weights.weight1));
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] += others.values[i] + static_cast<double>(weights.bias[i % result.columns]);
  }
  return result;
}

Matrix end_layer(Matrix products, const Matrix& before, Shortcut residual) {
  for (std::size_t i = 0; i < products.values.size(); ++i) {
    double& value = products.values[i];
    value = std::max(value, 0.0);
    if (residual != Shortcut::kIgnored) value += before.values[i];
    if (residual == Shortcut::kAveraged) value /= 2;
  }
  return products;
}

Matrix look_up(const ProjectionRules& rules, const SampleCameras& cameras, std::span<const Map> maps,
               std::span<const float> points) {
  std::size_t channels = 0;
  for (const Map& map : maps) channels += map.channels;
  Matrix result(points.size() / 3, 3 + 3 * channels);
  const std::size_t views = cameras.views.size();
  std::vector<Position> positions(views);
  std::vector<double> values(views);
  for (std::size_t point = 0; point < result.rows; ++point) {
    double* row = result.row(point);
    std::copy_n(points.data() + 3 * point, 3, row);
    for (std::size_t view = 0; view < views; ++view) {
      positions[view] = pixel(rules, cameras.views[view], cameras.network, points.data() + 3 * point);
    }
    std::size_t column = 3;
    for (const Map& map : maps) {
      for (std::size_t channel = 0; channel < map.channels; ++channel, ++column) {
        for (std::size_t view = 0; view < views; ++view) {
          values[view] = sample(rules, map, view, positions[view], channel);
        }
        const std::array<double, 3> statistics = pooled(values);
        for (std::size_t i = 0; i < 3; ++i) row[column + i * channels] = statistics[i];
      }
    }
  }
  return result;
}

std::vector<double> scores(Matrix rows, std::span<const GraphConvolutionWeights> layers, const SupportRows& support,
                           bool rectified, const ReasoningRounding& rounding) {
  const auto round_inputs = [&rounding](std::size_t layer, Matrix& x) {
    for (std::size_t i = 0; rounding.input && i < x.values.size(); ++i) {
      x.values[i] = rounding.input(layer, i % x.columns, x.values[i]);
    }
  };
  round_inputs(0, rows);
  Matrix before;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Matrix own = multiply(rows, layers[i].weight0);
    Matrix others = multiply(rows, layers[i].weight1);
    const bool last = i + 1 == layers.size();
    for (std::size_t j = 0; rounding.products && !last && j < others.values.size(); ++j) {
      others.values[j] = rounding.products(i, j % others.columns, others.values[j]);
    }
    others = sum_neighbours(last ? support : rounding.support.value_or(support), others);
    for (std::size_t j = 0; j < own.values.size(); ++j) {
      own.values[j] += others.values[j] + static_cast<double>(layers[i].bias[j % own.columns]);
    }
    if (!last) {
      own = end_layer(std::move(own), before, has_residual(i) ? Shortcut::kAdded : Shortcut::kIgnored);
      round_inputs(i + 1, own);
    }
    before = std::move(rows);
    rows = std::move(own);
  }
  if (rectified) std::ranges::transform(rows.values, rows.values.begin(), [](double v) { return std::max(v, 0.0); });
  return rows.values;
}

std::array<double, 3> move(const float* vertex, std::span<const double> scores, std::span<const float> offsets) {
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  std::array<double, 3> moved{};
  for (std::size_t node = 0; node < scores.size(); ++node) {
    const double weight = std::exp(scores[node] - largest);
    sum += weight;
    for (std::size_t axis = 0; axis < 3; ++axis) moved[axis] += weight * static_cast<double>(offsets[3 * node + axis]);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) moved[axis] = static_cast<double>(vertex[axis]) + moved[axis] / sum;
  return moved;
}

}  // namespace p2mpp::plain
