#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "base/thread_scopes.h"
#include "texture/view_blending.h"

namespace p2mpp {
namespace {

constexpr double kDark = 0.02;      ///< linear; what is darker says nothing about a gain
constexpr double kPrior = 0.02;     ///< towards no change, as a share of the evidence
constexpr double kOffsetPrior = 3;  ///< the same of an offset
constexpr double kUsual = 0.08;     ///< relative differences beyond this lose weight
constexpr int kBalanceRounds = 4;
constexpr double kMostGain = 4;

/// Least squares for a number of each photograph, from differences between two of them, and a weak prior towards 0.
class DifferenceSystem {
 public:
  explicit DifferenceSystem(std::size_t count)
      : matrix_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count))),
        right_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count))) {}

  /// Adds weight * (x_i - x_j + difference)^2.
  void add(Eigen::Index i, Eigen::Index j, double weight, double difference) {
    matrix_(i, i) += weight;
    matrix_(j, j) += weight;
    matrix_(i, j) -= weight;
    matrix_(j, i) -= weight;
    right_[i] -= weight * difference;
    right_[j] += weight * difference;
  }

  /// `prior`: as a share of the evidence for each photograph. The sum is 0. The prior bounds the condition number, so
  /// the number of steps does not grow with the number of photographs.
  [[nodiscard]] Eigen::VectorXd solution(double prior) {
    constexpr double kTolerance = 1e-12;
    constexpr int kMostSteps = 500;
    const double mean = matrix_.diagonal().mean();
    if (!(mean > 0)) return Eigen::VectorXd::Zero(right_.size());
    for (Eigen::Index i = 0; i < right_.size(); ++i) matrix_(i, i) += prior * std::max(matrix_(i, i), 1e-6 * mean);
    const Eigen::SparseMatrix<double> sparse = matrix_.sparseView();
    Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper> solver(sparse);
    solver.setTolerance(kTolerance);
    solver.setMaxIterations(kMostSteps);
    Eigen::VectorXd x = solver.solve(right_);
    if (!x.allFinite()) return Eigen::VectorXd::Zero(right_.size());
    x.array() -= x.mean();
    return x;
  }

 private:
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd right_;
};

/// Calls visit(view, colour, view, colour, area) for each pair of views of each triangle, in one channel.
template <typename Visit>
void for_each_pair(const PaintedSurface& surface, const FaceViews& views, int channel, const Visit& visit) {
  for (std::size_t face = 0; face < views.size(); ++face) {
    const std::span<const FaceView> seen = views.of(face);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      for (std::size_t j = i + 1; j < seen.size(); ++j) {
        visit(Eigen::Index{seen[i].view}, double{seen[i].mean()[channel]}, Eigen::Index{seen[j].view},
              double{seen[j].mean()[channel]}, double{surface.areas[face]});
      }
    }
  }
}

double robust_weight(double relative_difference) {
  return std::min(1.0, kUsual / std::max(std::abs(relative_difference), 1e-9));
}

/// Logarithms of the gains. In logarithms, noise does not make all gains smaller.
Eigen::VectorXd log_gains(const PaintedSurface& surface, const FaceViews& views, int channel, std::size_t count) {
  Eigen::VectorXd gains = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count));
  for (int round = 0; round < kBalanceRounds; ++round) {
    end_if_stopped();
    DifferenceSystem system(count);
    for_each_pair(surface, views, channel, [&](Eigen::Index i, double a, Eigen::Index j, double b, double area) {
      if (a < kDark || b < kDark) return;
      const double difference = std::log(a / b);
      const double weight = round == 0 ? 1 : robust_weight(gains[i] - gains[j] + difference);
      system.add(i, j, area * weight, difference);
    });
    gains = system.solution(kPrior);
  }
  return gains;
}

/// Offsets after the gains, relative to the colours.
Eigen::VectorXd offsets_after(const Eigen::VectorXd& gains, const PaintedSurface& surface, const FaceViews& views,
                              int channel) {
  DifferenceSystem system(static_cast<std::size_t>(gains.size()));
  for_each_pair(surface, views, channel, [&](Eigen::Index i, double a, Eigen::Index j, double b, double area) {
    const double left = gains[i] * a, right = gains[j] * b, scale = std::max((left + right) / 2, kDark);
    const double weight = area * robust_weight((left - right) / scale) / (scale * scale);
    system.add(i, j, weight, left - right);
  });
  return system.solution(kOffsetPrior);
}

/// What the eye sees as equal steps, roughly.
Eigen::Array3f perceived(const Eigen::Vector3f& linear) { return linear.array().max(0).min(4).sqrt(); }

Eigen::Array3f median_of(const std::vector<Eigen::Array3f>& colours) {
  Eigen::Array3f median;
  std::vector<float> values(colours.size());
  for (int channel = 0; channel < 3; ++channel) {
    for (std::size_t i = 0; i < colours.size(); ++i) values[i] = colours[i][channel];
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    median[channel] = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
  return median;
}

/// The places of the views that differ from the others.
std::vector<std::size_t> find_outliers(std::span<const FaceView> seen, const std::vector<ColourBalance>& balances) {
  constexpr float kUsualDistance = 0.03F;  // of noise and errors of the cameras
  constexpr float kFarthest = 3;           // times the usual
  constexpr std::size_t kFewest = 3;
  if (seen.size() < kFewest) return {};
  std::vector<Eigen::Array3f> colours;
  for (const FaceView& view : seen) colours.push_back(perceived(balances[view.view].applied(view.mean())));
  const Eigen::Array3f median = median_of(colours);
  std::vector<float> distances;
  for (const Eigen::Array3f& colour : colours) distances.push_back((colour - median).abs().maxCoeff());
  std::vector<float> sorted = distances;
  std::ranges::sort(sorted);
  const float usual = std::max(sorted[(sorted.size() - 1) / 2], kUsualDistance);
  std::vector<std::size_t> outliers;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (distances[i] > kFarthest * usual) outliers.push_back(i);
  }
  return outliers;
}

}  // namespace

std::vector<ColourBalance> balance_colours(const PaintedSurface& surface, const FaceViews& views, std::size_t count) {
  std::vector<ColourBalance> balances(count);
  if (count < 2) return balances;
  for (int channel = 0; channel < 3; ++channel) {
    const Eigen::VectorXd gains =
        log_gains(surface, views, channel, count).array().exp().min(kMostGain).max(1 / kMostGain);
    const Eigen::VectorXd offsets = offsets_after(gains, surface, views, channel);
    for (std::size_t i = 0; i < count; ++i) {
      balances[i].gain[channel] = static_cast<float>(gains[static_cast<Eigen::Index>(i)]);
      balances[i].offset[channel] = static_cast<float>(offsets[static_cast<Eigen::Index>(i)]);
    }
  }
  return balances;
}

void drop_outliers(const PaintedSurface& surface, const std::vector<ColourBalance>& balances, FaceViews& views) {
  std::vector<std::pair<std::int32_t, std::uint16_t>> dropped;  // vertex and view, each pair once
  std::unordered_set<std::uint64_t> known;
  for (std::size_t face = 0; face < views.size(); ++face) {
    const std::span<FaceView> seen = views.of(face);
    for (const std::size_t i : find_outliers(seen, balances)) {
      seen[i].quality = 0;
      for (const std::int32_t vertex : surface.triangles[face]) {
        const std::uint64_t pair = static_cast<std::uint64_t>(vertex) << 16 | seen[i].view;
        if (known.insert(pair).second) dropped.emplace_back(vertex, seen[i].view);
      }
    }
  }
  constexpr std::ptrdiff_t kOthers = 2;
  for (const auto& [vertex, view] : dropped) {
    for (const std::uint32_t face : surface.faces_of.of(static_cast<std::size_t>(vertex))) {
      const std::span<FaceView> seen = views.of(face);
      if (std::ranges::count_if(seen, [](const FaceView& each) { return each.quality > 0; }) <= kOthers) continue;
      for (FaceView& each : seen) {
        if (each.view == view) each.quality = 0;
      }
    }
  }
}

}  // namespace p2mpp
