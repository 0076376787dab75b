#include "texture/photograph_sources.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "colours/mesh_colours.h"
#include "image/brightness.h"
#include "image/object_mask.h"
#include "image/srgb.h"
#include "rays/ray_scene.h"

namespace p2mpp {
namespace {

class ViewPhotographs final : public PhotographSource {
 public:
  explicit ViewPhotographs(const Sample& sample) : sample_(sample) {
    for (std::size_t i = 0; i < sample.views.size(); ++i) {
      const View& view = sample.views[i];
      const double scale = view.image.width / kImageSize;
      const Intrinsics& in = view.camera.intrinsics;
      photographs_.push_back(
          {.name = view.name.empty() ? fmt::format("view {}", i) : view.name,
           .lens = {.fx = in.fx * scale, .fy = in.fy * scale, .cx = in.cx * scale, .cy = in.cy * scale},
           .width = view.image.width,
           .height = view.image.height,
           .cam_from_world = flip_y_and_z(cam_from_world(view.camera))});
    }
  }

  [[nodiscard]] DecodedSource decode(std::size_t photograph) const override {
    const Image& image = sample_.views[photograph].image;
    return {image, object_mask(image, photographs_[photograph].name).mask, photographs_[photograph].lens};
  }

 private:
  const Sample& sample_;
};

}  // namespace

std::shared_ptr<const PhotographSource> views_as_photographs(const Sample& sample) {
  return std::make_shared<ViewPhotographs>(sample);
}

namespace {

constexpr std::uint8_t kComparedCoverage = 240;  ///< of 255

class OtherPhotographs final : public PhotographSource {
 public:
  OtherPhotographs(std::shared_ptr<const PhotographSource> source, const std::vector<std::size_t>& left_out)
      : source_(std::move(source)) {
    for (std::size_t i = 0; i < source_->photographs().size(); ++i) {
      if (std::ranges::count(left_out, i) > 0) continue;
      photographs_.push_back(source_->photographs()[i]);
      kept_.push_back(i);
    }
  }
  [[nodiscard]] DecodedSource decode(std::size_t photograph) const override {
    return source_->decode(kept_[photograph]);
  }

 private:
  std::shared_ptr<const PhotographSource> source_;
  std::vector<std::size_t> kept_;
};

/// Draws the pixels of a photograph, and knows which are to be compared.
class ComparedPicture {
 public:
  ComparedPicture(const TriangleMesh& mesh, const SourcePhotograph& photograph, const DecodedSource& decoded)
      : colours_(mesh),
        scene_({mesh.vertices, mesh.triangles}, 0),
        decoded_(decoded),
        lens_(decoded.lens),
        world_from_cam_(inverse(photograph.cam_from_world)) {}

  /// Draws a row: [width, 4]; alpha is 255 where the photograph and the mesh show the object.
  void draw_row(int row, std::uint8_t* rgba) const {
    std::vector<Ray> rays;
    std::vector<int> columns;
    for (int column = 0; column < decoded_.mask.width; ++column) {
      if (decoded_.mask.at(row, column) < kComparedCoverage) continue;
      const auto direction = lens_.direction_of({column + 0.5, row + 0.5});
      if (!direction) continue;
      rays.push_back(
          {world_from_cam_.translation.cast<float>(), (world_from_cam_.rotation * *direction).cast<float>()});
      columns.push_back(column);
    }
    std::vector<RayHit> hits(rays.size());
    scene_.intersect(rays, hits);
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (!hits[i].hit()) continue;
      const float spacing = hits[i].distance / static_cast<float>(std::sqrt(decoded_.lens.fx * decoded_.lens.fy));
      const Eigen::Vector3f colour =
          colours_.at(hits[i].primitive, {1 - hits[i].u - hits[i].v, hits[i].u, hits[i].v}, spacing);
      std::uint8_t* out = &rgba[4 * columns[i]];
      for (int c = 0; c < 3; ++c) out[c] = srgb_from_linear(colour[c]);
      out[3] = 255;
    }
  }

 private:
  MeshColours colours_;
  RayScene scene_;
  const DecodedSource& decoded_;
  LensMap lens_;
  Rigid3 world_from_cam_;
};

/// The similarity of two windows. Source: Z. Wang et al., "Image Quality Assessment", 2004.
double find_similarity(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kFirst = 6.5025, kSecond = 58.5225;  // (0.01 * 255)^2, (0.03 * 255)^2
  const auto count = static_cast<double>(a.size());
  double mean_a = 0, mean_b = 0, squares_a = 0, squares_b = 0, products = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / count;
    mean_b += b[i] / count;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares_a += (a[i] - mean_a) * (a[i] - mean_a) / count;
    squares_b += (b[i] - mean_b) * (b[i] - mean_b) / count;
    products += (a[i] - mean_a) * (b[i] - mean_b) / count;
  }
  return (2 * mean_a * mean_b + kFirst) * (2 * products + kSecond) /
         ((mean_a * mean_a + mean_b * mean_b + kFirst) * (squares_a + squares_b + kSecond));
}

/// The mean over windows that are wholly compared.
double structural_similarity(const Image& drawn, const Image& photograph) {
  constexpr int kWindow = 8, kStep = 4;
  double sum = 0, count = 0;
  std::vector<double> a, b;
  for (int top = 0; top + kWindow <= drawn.height; top += kStep) {
    for (int left = 0; left + kWindow <= drawn.width; left += kStep) {
      a.clear();
      b.clear();
      for (int k = 0; k < kWindow * kWindow; ++k) {
        const std::size_t i = 4 * (static_cast<std::size_t>(top + k / kWindow) * static_cast<std::size_t>(drawn.width) +
                                   static_cast<std::size_t>(left + k % kWindow));
        if (drawn.rgba[i + 3] == 0) break;
        a.push_back(luminance(&drawn.rgba[i]));
        b.push_back(luminance(&photograph.rgba[i]));
      }
      if (a.size() < kWindow * kWindow) continue;
      sum += find_similarity(a, b);
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

double decibels(double mean_square) { return 10 * std::log10(255.0 * 255.0 / std::max(mean_square, 1e-3)); }

/// Sums for the straight line from drawn to photographed values.
struct LineSums {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

  void add(double drawn, double photographed) {
    ++count;
    x += drawn;
    y += photographed;
    xx += drawn * drawn;
    xy += drawn * photographed;
    yy += photographed * photographed;
  }
  [[nodiscard]] double squares_before() const { return xx - 2 * xy + yy; }
  /// The sum of squares that the best line leaves.
  [[nodiscard]] double squares_after() const {
    const double across = xx - x * x / count, both = xy - x * y / count, along = yy - y * y / count;
    return across > 0 ? std::max(along - both * both / across, 0.0) : along;
  }
};

}  // namespace

std::shared_ptr<const PhotographSource> without_photographs(std::shared_ptr<const PhotographSource> source,
                                                            const std::vector<std::size_t>& left_out) {
  return std::make_shared<OtherPhotographs>(std::move(source), left_out);
}

PhotographAgreement compare_with_photograph(const TriangleMesh& mesh, const PhotographSource& source,
                                            std::size_t photograph, int threads) {
  const DecodedSource decoded = source.decode(photograph);
  const ComparedPicture picture(mesh, source.photographs()[photograph], decoded);
  Image drawn{decoded.image.width, decoded.image.height, {}};
  drawn.rgba.assign(decoded.image.rgba.size(), 0);
  for_each_task(static_cast<std::size_t>(drawn.height), threads, [&](std::size_t row) {
    picture.draw_row(static_cast<int>(row), &drawn.rgba[4 * row * static_cast<std::size_t>(drawn.width)]);
  });
  PhotographAgreement agreement{.name = source.photographs()[photograph].name};
  std::array<LineSums, 3> channels;
  for (std::size_t i = 0; i < drawn.rgba.size(); i += 4) {
    if (drawn.rgba[i + 3] == 0) continue;
    for (std::size_t c = 0; c < 3; ++c) channels[c].add(drawn.rgba[i + c], decoded.image.rgba[i + c]);
    ++agreement.pixels;
  }
  if (agreement.pixels == 0) return agreement;
  double before = 0, after = 0;
  for (const LineSums& channel : channels) {
    before += channel.squares_before() / (3 * channel.count);
    after += channel.squares_after() / (3 * channel.count);
  }
  agreement.psnr = decibels(before);
  agreement.psnr_balanced = decibels(after);
  agreement.ssim = structural_similarity(drawn, decoded.image);
  return agreement;
}

}  // namespace p2mpp
