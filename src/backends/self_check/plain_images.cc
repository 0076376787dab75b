#include "backends/self_check/plain_images.h"

#include <cmath>
#include <limits>

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

}  // namespace p2mpp::plain
