#include "texture/chart_layout.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/thread_scopes.h"
#include "p2mpp/error.h"
#include "texture/chart_packing.h"

namespace p2mpp {
namespace {

constexpr float kLeastFacing = 0.35F;    ///< of the angle between a triangle and its chart's direction
constexpr float kLayoutBoundary = 0.2F;  ///< see smooth_labels()
constexpr int kLayoutRounds = 4;
constexpr double kMostRows = 1 << 24;  ///< of texels that all triangles together may cross, however long and thin

/// The axes, and the diagonals of a cube: no direction is farther than 36 degrees from one of them.
std::array<Eigen::Vector3f, 14> chart_directions() {
  std::array<Eigen::Vector3f, 14> directions;
  std::size_t count = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (const float sign : {1.0F, -1.0F}) directions[count++] = sign * Eigen::Vector3f::Unit(axis);
  }
  for (const float x : {1.0F, -1.0F}) {
    for (const float y : {1.0F, -1.0F}) {
      for (const float z : {1.0F, -1.0F}) directions[count++] = Eigen::Vector3f(x, y, z).normalized();
    }
  }
  return directions;
}

/// Where a direction sees points: right, down, and towards the viewer. y is up in the picture.
Eigen::Matrix3f picture_axes(const Eigen::Vector3f& direction) {
  const Eigen::Vector3f up = std::abs(direction.y()) < 0.9F ? Eigen::Vector3f::UnitY() : Eigen::Vector3f::UnitZ();
  Eigen::Matrix3f axes;
  axes.row(0) = up.cross(direction).normalized();
  axes.row(1) = -direction.cross(axes.row(0).transpose());
  axes.row(2) = direction;
  return axes;
}

/// A direction for each triangle, the same for neighbours where that costs little.
std::vector<std::int32_t> choose_directions(const PaintedSurface& surface) {
  static const auto kDirections = chart_directions();
  LabelCosts costs;
  costs.begin.push_back(0);
  for (const Eigen::Vector3f& normal : surface.normals) {
    const bool has_normal = normal.squaredNorm() > 0;
    for (std::uint32_t i = 0; i < kDirections.size(); ++i) {
      const float cosine = has_normal ? normal.dot(kDirections[i]) : 1;
      if (cosine >= kLeastFacing) costs.items.push_back({i, 1 - cosine});
    }
    costs.begin.push_back(static_cast<std::uint32_t>(costs.items.size()));
  }
  return smooth_labels(surface, costs, kLayoutBoundary, kLayoutRounds);
}

/// The texels that a chart covers while it grows, each with the depth of the surface in it, in texels.
class ChartRaster {
 public:
  /// Covers the texels of a triangle, or returns false if another part of the chart is in one of them.
  bool add(const std::array<Eigen::Vector3f, 3>& corners) {
    std::vector<std::pair<std::uint64_t, float>> covered;
    const Eigen::Vector3f middle = (corners[0] + corners[1] + corners[2]) / 3;
    const auto meets_other = [&](int x, int y, float depth) {
      covered.emplace_back(key(x, y), depth);
      const auto found = find(key(x, y));
      return found && std::abs(*found - depth) > kSameDepth + slope_;
    };
    slope_ = std::max({corners[0].z(), corners[1].z(), corners[2].z()}) -
             std::min({corners[0].z(), corners[1].z(), corners[2].z()});
    if (meets_other(static_cast<int>(std::floor(middle.x())), static_cast<int>(std::floor(middle.y())), middle.z())) {
      return false;
    }
    bool is_free = true;
    for_each_texel({corners[0].head<2>(), corners[1].head<2>(), corners[2].head<2>()},
                   [&](int x, int y, const Eigen::Vector3f& weights) {
                     const float depth =
                         weights[0] * corners[0].z() + weights[1] * corners[1].z() + weights[2] * corners[2].z();
                     is_free = is_free && !meets_other(x, y, depth);
                   });
    if (!is_free) return false;
    for (const auto& [place, depth] : covered) insert(place, depth);
    return true;
  }

  /// Few slots again: to empty those of a large chart for each of many small ones takes too long.
  void clear() {
    slots_.assign(kFewestSlots, {});
    count_ = 0;
  }

 private:
  static constexpr float kSameDepth = 4;
  static constexpr std::size_t kFewestSlots = 1024;
  struct ChartSlot {
    std::uint64_t key = 0;
    float depth = 0;
  };

  static std::uint64_t key(int x, int y) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32 | static_cast<std::uint32_t>(y)) ^
           (1ULL << 63);
  }
  [[nodiscard]] std::size_t find_slot(std::uint64_t key) const {
    std::size_t slot = (key * 0x9E3779B97F4A7C15ULL) >> 20 & (slots_.size() - 1);
    while (slots_[slot].key != 0 && slots_[slot].key != key) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  [[nodiscard]] std::optional<float> find(std::uint64_t key) const {
    const ChartSlot& slot = slots_[find_slot(key)];
    return slot.key == 0 ? std::nullopt : std::optional(slot.depth);
  }
  void insert(std::uint64_t key, float depth) {
    if (2 * (count_ + 1) > slots_.size()) {
      std::vector<ChartSlot> old(2 * slots_.size());
      old.swap(slots_);
      for (const ChartSlot& slot : old) {
        if (slot.key != 0) slots_[find_slot(slot.key)] = slot;
      }
    }
    ChartSlot& slot = slots_[find_slot(key)];
    if (slot.key == 0) {
      slot = {key, depth};
      ++count_;
    }
  }

  std::vector<ChartSlot> slots_ = std::vector<ChartSlot>(kFewestSlots);
  std::size_t count_ = 0;
  float slope_ = 0;
};

/// Connected triangles of one direction, and where they are seen, in the surface's unit.
struct SurfaceChart {
  std::vector<std::uint32_t> faces;
  Eigen::Matrix3f axes;
};

class ChartGrowing {
 public:
  ChartGrowing(const PaintedSurface& surface, float texels_per_unit)
      : surface_(surface), scale_(texels_per_unit), labels_(choose_directions(surface)) {}

  std::vector<SurfaceChart> run() {
    std::vector<SurfaceChart> charts;
    taken_.assign(labels_.size(), false);
    rejected_by_.assign(labels_.size(), 0);
    for (std::size_t face = 0; face < labels_.size(); ++face) {
      if (taken_[face]) continue;
      end_if_stopped();
      charts.push_back(grow(face, charts.size() + 1));
    }
    return charts;
  }

 private:
  SurfaceChart grow(std::size_t seed, std::size_t number) {
    static const auto kDirections = chart_directions();
    SurfaceChart chart{{}, picture_axes(kDirections[static_cast<std::size_t>(std::max(labels_[seed], 0))])};
    raster_.clear();
    origin_ = surface_.corner(seed, 0);
    take(seed, chart);
    for (std::size_t next = 0; next < chart.faces.size(); ++next) {
      if (next % kFacesAQuestion == kFacesAQuestion - 1) end_if_stopped();
      for (const int neighbour : surface_.neighbours[chart.faces[next]]) {
        if (neighbour < 0) continue;
        const auto face = static_cast<std::size_t>(neighbour);
        if (taken_[face] || labels_[face] != labels_[seed] || rejected_by_[face] == number) continue;
        if (raster_.add(seen(face, chart.axes))) {
          taken_[face] = true;
          chart.faces.push_back(static_cast<std::uint32_t>(face));
        } else {
          rejected_by_[face] = number;
        }
      }
    }
    return chart;
  }

  void take(std::size_t face, SurfaceChart& chart) {
    raster_.add(seen(face, chart.axes));
    taken_[face] = true;
    chart.faces.push_back(static_cast<std::uint32_t>(face));
  }

  [[nodiscard]] std::array<Eigen::Vector3f, 3> seen(std::size_t face, const Eigen::Matrix3f& axes) const {
    std::array<Eigen::Vector3f, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) corners[i] = scale_ * (axes * (surface_.corner(face, i) - origin_));
    return corners;
  }

  static constexpr std::size_t kFacesAQuestion = 256;

  const PaintedSurface& surface_;
  const float scale_;
  const std::vector<std::int32_t> labels_;
  Eigen::Vector3f origin_ = Eigen::Vector3f::Zero();  // of the chart's texels
  std::vector<bool> taken_;
  std::vector<std::size_t> rejected_by_;
  ChartRaster raster_;
};

/// Of what the charts show, in the surface's unit.
double projected_area(const PaintedSurface& surface, const std::vector<SurfaceChart>& charts) {
  double area = 0;
  for (const SurfaceChart& chart : charts) {
    for (const std::uint32_t face : chart.faces) {
      area += surface.areas[face] * std::abs(surface.normals[face].dot(chart.axes.row(2).transpose()));
    }
  }
  return area;
}

/// The sum over the triangles of how far each reaches along an axis.
double sum_of_extents(const PaintedSurface& surface) {
  double sum = 0;
  for (std::size_t face = 0; face < surface.triangles.size(); ++face) {
    Eigen::AlignedBox3f box;
    for (std::size_t i = 0; i < 3; ++i) box.extend(surface.corner(face, i));
    sum += static_cast<double>(box.sizes().maxCoeff());
  }
  return sum;
}

/// Of all charts, the greatest width or height, in the surface's unit.
double longest_side(const PaintedSurface& surface, const std::vector<SurfaceChart>& charts) {
  double longest = 0;
  for (const SurfaceChart& chart : charts) {
    Eigen::AlignedBox2d box;
    for (const std::uint32_t face : chart.faces) {
      for (std::size_t i = 0; i < 3; ++i) {
        box.extend((chart.axes.topRows<2>().cast<double>() * surface.corner(face, i).cast<double>()).eval());
      }
    }
    longest = std::max(longest, box.sizes().maxCoeff());
  }
  return longest;
}

std::vector<std::vector<Texels>> scaled(const PaintedSurface& surface, const std::vector<SurfaceChart>& charts,
                                        double scale) {
  std::vector<std::vector<Texels>> result;
  for (const SurfaceChart& chart : charts) {
    Eigen::Vector2d least = Eigen::Vector2d::Constant(std::numeric_limits<double>::infinity());
    std::vector<std::array<Eigen::Vector2d, 3>> places;
    for (const std::uint32_t face : chart.faces) {
      auto& at = places.emplace_back();
      for (std::size_t i = 0; i < 3; ++i) {
        at[i] = scale * (chart.axes.topRows<2>().cast<double>() * surface.corner(face, i).cast<double>());
        least = least.cwiseMin(at[i]);
      }
    }
    auto& texels = result.emplace_back();
    for (const auto& at : places) {
      texels.push_back({(at[0] - least).cast<float>(), (at[1] - least).cast<float>(), (at[2] - least).cast<float>()});
    }
  }
  return result;
}

}  // namespace

int chart_gap(int size) { return std::clamp(size / 64, 2, 16); }

ChartLayout lay_out(const PaintedSurface& surface, int size) {
  constexpr double kUsualFill = 0.75;  ///< the share of the texture, to begin with
  constexpr double kSmaller = 0.94;
  constexpr int kMostTries = 80;
  const double side = size, area = surface.area();
  const auto scale_for = [&, most = kMostRows / sum_of_extents(surface)](double covered) {
    return std::min(covered > 0 ? std::sqrt(kUsualFill * side * side / covered) : 1, most);
  };
  const std::vector<SurfaceChart> charts = ChartGrowing(surface, static_cast<float>(scale_for(area))).run();
  double scale = scale_for(projected_area(surface, charts));
  // Needles have next to no area: what counts is that the longest one fits.
  for (const double longest = longest_side(surface, charts); scale * longest > side;) scale *= kSmaller;
  for (int attempt = 0; attempt < kMostTries; ++attempt, scale *= kSmaller) {
    end_if_stopped();
    // Where the gaps take most of the texture, they become narrower.
    const int gap = std::max(2, chart_gap(size) >> std::max(0, attempt - 12) / 6);
    std::vector<std::vector<Texels>> parts = scaled(surface, charts, scale);
    const std::optional<std::vector<Eigen::Vector2f>> places = pack_charts(parts, size, gap);
    if (!places) continue;
    ChartLayout layout{std::vector<Texels>(surface.triangles.size()), charts.size(), scale};
    for (std::size_t c = 0; c < charts.size(); ++c) {
      for (std::size_t i = 0; i < charts[c].faces.size(); ++i) {
        Texels& at = layout.texels[charts[c].faces[i]];
        for (std::size_t k = 0; k < 3; ++k) at[k] = parts[c][i][k] + (*places)[c];
      }
    }
    return layout;
  }
  throw InputError(fmt::format(
      "the surface falls into {} pieces, which do not fit into a texture of {} texels a side; expected a connected "
      "surface, or colours of vertices",
      charts.size(), size));
}

std::vector<std::array<Eigen::Vector2f, 3>> layout_for_all_sizes(const TriangleMesh& mesh) {
  constexpr int kSide = 1024;  // texels; larger textures have more between charts, smaller ones less
  std::vector<Texels> corners = lay_out(find_painted_surface(mesh).surface, kSide).texels;
  for (Texels& at : corners) {
    for (Eigen::Vector2f& corner : at) corner /= kSide;
  }
  return corners;
}

}  // namespace p2mpp
