#include "refinement/refine_surface.h"

#include <Eigen/Geometry>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/numbers/median.h"
#include "base/parallel.h"
#include "fit/fit_guards.h"
#include "fit/fit_surface.h"
#include "fit/self_intersections.h"
#include "geometry/intersection/triangle_intersection.h"
#include "geometry/points.h"
#include "image/reduced_view.h"
#include "refinement/depth_agreement.h"
#include "refinement/detail_views.h"
#include "refinement/even_normals.h"
#include "refinement/photo_gradient.h"
#include "refinement/plane_search.h"
#include "refinement/verdicts.h"
#include "surface/surface_raster.h"

namespace p2mpp {
namespace {

constexpr int kStepsPerFactor = 5;
constexpr std::size_t kOthers = 2;                  ///< with which a view is compared
constexpr std::size_t kNeighbours = 6;              ///< with which its depths are looked for
constexpr std::size_t kLeftOut = 4;                 ///< one view of so many is left out
constexpr float kNearest = 0.01F;                   ///< of the mesh's diagonal: see compare_views()
constexpr float kStiffness = 0.5F;                  ///< of moves, for the median vertex
constexpr float kFairness = 0.07F, kUsualEdge = 8;  ///< of the surface, where edges have so many pixels
constexpr float kLongestStep = 1.5F;                ///< pixels
constexpr float kMostCertain = 2;                   ///< times the median vertex: an outline has the strongest contrast
constexpr float kStaying = 0.1F;  ///< weight of staying, which decides where the photographs say nothing

using StepMatrix = Eigen::SparseMatrix<float>;

/// The Laplacian of moves: of a vertex, less the mean of its neighbours'.
StepMatrix laplacian(const FitSurface& surface) {
  std::vector<Eigen::Triplet<float>> entries;
  for (std::size_t i = 0; i < surface.vertex_count(); ++i) {
    const auto row = static_cast<int>(i);
    const auto around = surface.neighbours(i);
    if (around.empty()) continue;
    entries.emplace_back(row, row, 1.0F);
    for (const std::int32_t other : around) entries.emplace_back(row, other, -1 / static_cast<float>(around.size()));
  }
  const auto count = static_cast<int>(surface.vertex_count());
  StepMatrix matrix(count, count);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// At which of kFactors depths are looked for, and how often; 0: not at all.
struct DepthSearch {
  std::size_t level, searches;
};

/// The finest level of which the views have few enough pixels of the object: a search takes 30 processor seconds for a
/// million.
DepthSearch choose_depth_search(std::span<const DetailView> views, SurfaceChoice::Detail detail) {
  const bool is_full = detail == SurfaceChoice::Detail::kFull;
  const std::size_t most = is_full ? 4'000'000 : 1'200'000;
  for (std::size_t level = kFactors.size() - 1; level > 0; --level) {
    std::size_t pixels = 0;
    for (const DetailView& view : views) {
      pixels += static_cast<std::size_t>(
          std::ranges::count_if(view[level].brightness, [](float each) { return !std::isnan(each); }));
    }
    if (pixels <= most) return {level, is_full ? 2U : 1U};
  }
  return {1, is_full ? 1U : 0U};
}

/// The surface and the views that show it.
struct ShownSurface {
  std::vector<Eigen::Vector3f> normals;  ///< of vertices
  std::vector<SurfaceRaster> rasters;
  std::vector<SeenView> views;  ///< they refer to the rasters
};

class Refinement {
 public:
  Refinement(const TriangleMesh& mesh, std::vector<DetailView> views, int threads)
      : surface_(mesh.vertices.size(), mesh.triangles),
        laplacian_(laplacian(surface_)),
        bending_(laplacian_.transpose() * laplacian_),
        views_(std::move(views)),
        vertices_(mesh.vertices),
        box_(box_of(mesh.vertices)),
        threads_(threads) {
    diagonal_ = box_.diagonal().norm();
    pairs_ = choose_pairs(views_, box_.center(), kOthers);
    edge_pixels_ = mean_edge_length(surface_, vertices_) / pixel(kFactors.size() - 1);
    fairness_ = kFairness * std::max(kUsualEdge * kUsualEdge / (edge_pixels_ * edge_pixels_), 1.0F);
    contacts_ = find_contacts(vertices_, surface_.triangles(), rounding_margin(vertices_), threads_);
  }

  Points run(const DepthSearch& search, SurfaceFigures& figures) {
    follow_photographs(figures);
    if (figures.refined == 0) return vertices_;
    if (search.searches > 0) follow_depths(search.level, search.searches > 1);
    even_out_normals();
    return vertices_;
  }

 private:
  void follow_photographs(SurfaceFigures& figures) {
    const Points start = vertices_;
    const Rules rules = {kStiffness, fairness_, kLongestStep};
    bool is_denied = false;  // a level but the last
    for (std::size_t level = 0; level < kFactors.size(); ++level) {
      std::vector<Pair> judging, used;
      for (const Pair& pair : pairs_) {
        const bool is_left_out = pair.first % kLeftOut == level || pair.second % kLeftOut == level;
        (is_left_out ? judging : used).push_back(pair);
      }
      const Points before = vertices_;
      ShownSurface now = show(level);
      const VertexAgreement was = compare(now, judging);
      for (int steps = 0; steps < kStepsPerFactor && move(level, compare(now, used), rules); ++steps) now = show(level);
      const VertexAgreement is = compare(now, judging);
      const double kept = keep(before, confirmed_shares(before, box_, was, is));
      if (level + 1 == kFactors.size() && kept == 0) {
        // The photographs' own pixels may be noise. If they deny what only some coarser levels confirmed, it was
        // chance.
        if (!is_denied) return;
        vertices_ = start;
      }
      is_denied = is_denied || kept == 0;
      figures.refined = kept;
      figures.agreement_before = was.mean();
      figures.agreement_after = kept > 0 ? is.mean() : was.mean();
    }
  }

  /// For each view, those with which it is compared.
  using Beside = std::vector<std::vector<std::size_t>>;

  /// Takes on the depths that several views confirm. They find relief that the gradient cannot reach, because each
  /// pixel searches. Views that were left out judge with their own depths; what they confirm then has theirs, too.
  void follow_depths(std::size_t level, bool twice) {
    constexpr Rules kRules = {.stiffness = 0.3F, .fairness = 0, .longest = 4.5F};
    constexpr int kRounds = 3, kLastRounds = 2;
    const auto is_left_out = [](std::size_t view) { return view % kLeftOut == kLeftOut - 1; };
    std::vector<std::size_t> used, left_out, all(views_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (const std::size_t view : all) (is_left_out(view) ? left_out : used).push_back(view);
    Beside beside(views_.size()), independent(views_.size());
    for (const Pair& pair : choose_pairs(views_, box_.center(), kNeighbours)) {
      beside[pair.first].push_back(pair.second);
      if (is_left_out(pair.first) || !is_left_out(pair.second)) independent[pair.first].push_back(pair.second);
    }
    ShownSurface now = show(level);
    std::vector<PlaneMap> maps = find_plane_maps(now, independent);
    const Points before = vertices_;
    const VertexAgreement was = confirmed_depths(now, maps, independent, left_out);
    for (int i = 0; i < kRounds && move(level, confirmed_depths(now, maps, independent, used), kRules); ++i) {
      now = show(level);
    }
    const VertexAgreement is = confirmed_depths(now, maps, independent, left_out);
    std::vector<float> shares = confirmed_shares(before, box_, was, is);
    if (twice) maps = find_plane_maps(now, beside);  // with all views, from a better start
    for (int i = 0; i < kLastRounds && move(level, confirmed_depths(now, maps, beside, all), kRules); ++i) {
      now = show(level);
    }
    keep(before, std::move(shares));
  }

  [[nodiscard]] std::vector<PlaneMap> find_plane_maps(const ShownSurface& shown, const Beside& beside) const {
    std::vector<PlaneMap> maps(views_.size());
    for_each_task(views_.size(), threads_, [&](std::size_t i) {
      std::vector<SeenView> others;
      for (const std::size_t other : beside[i]) others.push_back(shown.views[other]);
      maps[i] = find_planes({shown.normals, surface_.triangles()}, shown.views[i], others, kNearest * diagonal_);
    });
    return maps;
  }

  /// What the depths of some views say, see add_confirmed_depths().
  [[nodiscard]] VertexAgreement confirmed_depths(const ShownSurface& shown, const std::vector<PlaneMap>& maps,
                                                 const Beside& beside, const std::vector<std::size_t>& which) const {
    return sum_of_tasks(which.size(), [&](std::size_t i, VertexAgreement& found) {
      add_confirmed_depths({shown.normals, surface_.triangles()}, shown.views, maps, which[i], beside[which[i]],
                           kNearest * diagonal_, found);
    });
  }

  /// What is left of the photographs' noise is in the normals.
  void even_out_normals() {
    constexpr float kReach = 16;  // pixels; a round reaches an edge farther, and distances grow with the rounds' root
    constexpr float kFewest = 2, kMost = 24;
    constexpr int kSteps = 5;
    const float rounds = kReach * kReach / (edge_pixels_ * edge_pixels_);
    const std::vector<Eigen::Vector3f> normals =
        even_normals(surface_, vertices_, static_cast<int>(std::clamp(std::round(rounds), kFewest, kMost)));
    for (int i = 0; i < kSteps && take(moved_to_normals(surface_, vertices_, normals)); ++i) {
    }
  }

  [[nodiscard]] VertexAgreement compare(const ShownSurface& shown, const std::vector<Pair>& pairs) const {
    return sum_of_tasks(pairs.size(), [&](std::size_t i, VertexAgreement& found) {
      const auto& [one, other] = pairs[i];
      compare_views({shown.normals, surface_.triangles()}, shown.views[one], shown.views[other], kNearest * diagonal_,
                    found);
    });
  }

  /// Draws the surface as it is into all views of a level.
  [[nodiscard]] ShownSurface show(std::size_t level) const {
    ShownSurface shown{vertex_normals(surface_, vertices_), std::vector<SurfaceRaster>(views_.size()), {}};
    for_each_task(views_.size(), threads_, [&](std::size_t i) {
      const ReducedView& view = views_[i][level];
      shown.rasters[i] = rasterise(vertices_, surface_.triangles(), view.camera, view.size);
    });
    for (std::size_t i = 0; i < views_.size(); ++i) shown.views.push_back({&views_[i][level], &shown.rasters[i]});
    return shown;
  }

  /// The sum of what tasks say, in their order.
  template <typename Task>
  [[nodiscard]] VertexAgreement sum_of_tasks(std::size_t tasks, const Task& task) const {
    VertexAgreement sum(vertices_.size());
    constexpr std::size_t kAtOnce = 8;  // memory
    for (std::size_t begin = 0; begin < tasks; begin += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, tasks - begin);
      std::vector<VertexAgreement> found(count, VertexAgreement(vertices_.size()));
      for_each_task(count, threads_, [&](std::size_t i) { task(begin + i, found[i]); });
      for (const VertexAgreement& each : found) sum.add(each);
    }
    return sum;
  }

  /// The size of a pixel on the object, of the median view.
  [[nodiscard]] float pixel(std::size_t level) const {
    std::vector<float> sizes;
    for (const DetailView& view : views_) {
      const Pinhole<float>& camera = view[level].camera;
      sizes.push_back(camera.cam_from_world(box_.center()).z() / camera.focal.x());
    }
    return upper_median(std::move(sizes));
  }

  /// Of moves along the normals: their own smoothness and the surface's, for the median vertex; the longest, in pixels.
  struct Rules {
    float stiffness, fairness, longest;
  };

  /// Moves the vertices along their normals; false if they cannot.
  bool move(std::size_t level, const VertexAgreement& found, const Rules& rules) {
    const std::vector<Eigen::Vector3f> normals = vertex_normals(surface_, vertices_);
    std::vector<float> curvatures;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      if (found.curvature(i) > 0) curvatures.push_back(found.curvature(i));
    }
    if (curvatures.empty()) return false;
    const float usual = upper_median(std::move(curvatures));
    const auto count = static_cast<Eigen::Index>(vertices_.size());
    Eigen::VectorXf certainty(count), pull(count), bump(count);
    const float longest = rules.longest * pixel(level);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto vertex = static_cast<std::size_t>(i);
      certainty[i] = std::clamp(found.curvature(vertex) / usual, 0.0F, kMostCertain);
      const float way = found.curvature(vertex) > 0 ? found.slope(vertex) / found.curvature(vertex) : 0;
      pull[i] = certainty[i] * std::clamp(way, -longest, longest);
      Eigen::Vector3f around = Eigen::Vector3f::Zero();
      for (const std::int32_t other : surface_.neighbours(vertex)) around += vertices_[static_cast<std::size_t>(other)];
      const auto neighbours = static_cast<float>(surface_.neighbours(vertex).size());
      bump[i] = neighbours > 0 ? normals[vertex].dot(vertices_[vertex] - around / neighbours) : 0;
    }
    const StepMatrix system = (rules.stiffness + rules.fairness) * bending_ +
                              StepMatrix((certainty.array() + kStaying).matrix().asDiagonal());
    Eigen::ConjugateGradient<StepMatrix, Eigen::Lower | Eigen::Upper> solver(system);
    solver.setMaxIterations(100);
    solver.setTolerance(1e-3F);
    const Eigen::VectorXf right = pull - rules.fairness * (laplacian_.transpose() * bump);
    const Eigen::VectorXf way = solver.solve(right);
    Points moved = vertices_;
    for (Eigen::Index i = 0; i < count; ++i) {
      moved[static_cast<std::size_t>(i)] +=
          std::clamp(way[i], -longest, longest) * normals[static_cast<std::size_t>(i)];
    }
    return take(std::move(moved));
  }

  bool take(Points moved) {
    if (!all_finite(moved)) return false;
    std::optional<Contacts> contacts = keep_apart(surface_, vertices_, contacts_, threads_, moved);
    if (!contacts) return false;
    contacts_ = *std::move(contacts);
    vertices_ = std::move(moved);
    return true;
  }

  /// Takes back what is not confirmed. Returns the share of the vertices that keep their changes.
  double keep(const Points& before, std::vector<float> shares) {
    const double kept = std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
    if (kept == 0) {
      put_back(before);
      return 0;
    }
    constexpr int kRounds = 4;  // of smoothing, so that no step is at a block's border
    for (int round = 0; round < kRounds; ++round) {
      std::vector<float> next = shares;
      for (std::size_t i = 0; i < shares.size(); ++i) {
        float sum = shares[i];
        for (const std::int32_t other : surface_.neighbours(i)) sum += shares[static_cast<std::size_t>(other)];
        next[i] = sum / static_cast<float>(surface_.neighbours(i).size() + 1);
      }
      shares = std::move(next);
    }
    Points mixed = before;
    for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] += shares[i] * (vertices_[i] - before[i]);
    put_back(before);
    return take(std::move(mixed)) ? kept : 0;
  }

  void put_back(const Points& before) {
    vertices_ = before;
    contacts_ = find_contacts(vertices_, surface_.triangles(), contacts_.margin, threads_);
  }

  FitSurface surface_;
  StepMatrix laplacian_, bending_;
  std::vector<DetailView> views_;
  std::vector<Pair> pairs_;
  Points vertices_;
  Contacts contacts_;
  Eigen::AlignedBox3f box_;
  float diagonal_ = 0, edge_pixels_ = 0, fairness_ = 0;
  int threads_;
};

}  // namespace

TriangleMesh refine_surface(const TriangleMesh& mesh, const PhotographSource& source, SurfaceChoice::Detail detail,
                            int threads, SurfaceFigures& figures) {
  if (source.photographs().size() < kFewestRefining) return mesh;
  std::vector<DetailView> views = detail_views(source, threads);
  if (views.size() < kFewestRefining) return mesh;
  figures.photographs = views.size();
  TriangleMesh refined = mesh;
  const DepthSearch search = choose_depth_search(views, detail);
  refined.vertices = Refinement(mesh, std::move(views), threads).run(search, figures);
  return refined;
}

}  // namespace p2mpp
