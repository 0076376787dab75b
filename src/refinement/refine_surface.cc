#include "refinement/refine_surface.h"

#include <Eigen/Geometry>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/numbers/median.h"
#include "base/parallel.h"
#include "fit/fit_guards.h"
#include "fit/fit_surface.h"
#include "fit/self_intersections.h"
#include "geometry/intersection/triangle_intersection.h"
#include "geometry/points.h"
#include "image/mask_resampling.h"
#include "image/reduced_view.h"
#include "refinement/even_normals.h"
#include "refinement/photo_gradient.h"
#include "surface/surface_raster.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMostViews = 32;
constexpr int kMostSide = 1024, kLeastSide = 64;    ///< pixels of a view's side
constexpr std::array<int, 3> kFactors = {4, 2, 1};  ///< pixels of a view for one that is compared, coarse to fine
constexpr int kStepsPerFactor = 5;
constexpr std::size_t kOthers = 2;                  ///< with which a view is compared
constexpr std::size_t kLeftOut = 4;                 ///< one view of so many is left out
constexpr float kNearest = 0.01F;                   ///< of the mesh's diagonal: see compare_views()
constexpr float kStiffness = 0.5F;                  ///< of moves, for the median vertex
constexpr float kFairness = 0.07F, kUsualEdge = 8;  ///< of the surface, where edges have so many pixels
constexpr float kLongestStep = 1.5F;                ///< pixels
constexpr float kMostCertain = 2;                   ///< times the median vertex: an outline has the strongest contrast
constexpr float kStaying = 0.1F;       ///< weight of staying, which decides where the photographs say nothing
constexpr double kLeastBetter = 0.55;  ///< share of parts that photographs left out must confirm
constexpr int kBlocks = 16;            ///< along the mesh's longest side, that are judged one by one

using Sparse = Eigen::SparseMatrix<float>;

/// A photograph at several sizes, as kFactors.
using DetailView = std::vector<ReducedView>;

/// A view at about the photograph's own pixels; nothing if it does not show the object.
std::optional<DetailView> detail_view(const PhotographSource& source, std::size_t which) {
  const DecodedSource decoded = source.decode(which);
  const MaskFacts facts = mask_facts(decoded.mask);
  if (!shows_object(facts)) return {};
  const int side = std::clamp(native_view_size(facts), kLeastSide, kMostSide);
  MaskView view = resampled_mask(decoded.lens, {decoded.image.width, decoded.image.height}, decoded.mask, facts, side,
                                 &decoded.image);
  view.set_photograph_pose(source.photographs()[which].cam_from_world);
  DetailView detail;
  for (const int factor : kFactors) detail.push_back(reduced(view, factor));
  return detail;
}

std::vector<DetailView> detail_views(const PhotographSource& source, int threads) {
  const std::size_t all = source.photographs().size(), count = std::min(all, kMostViews);
  std::vector<std::optional<DetailView>> found(count);
  for_each_task(count, threads, [&](std::size_t i) { found[i] = detail_view(source, i * all / count); });
  std::vector<DetailView> views;
  for (std::optional<DetailView>& view : found) {
    if (view) views.push_back(*std::move(view));
  }
  return views;
}

/// Pairs of views: the first is compared with the second, which is drawn into it.
using Pair = std::pair<std::size_t, std::size_t>;

std::vector<Pair> choose_pairs(const std::vector<DetailView>& views, const Eigen::Vector3f& middle) {
  std::vector<Eigen::Vector3f> centres;
  for (const DetailView& view : views) centres.push_back(view.front().camera.centre);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < views.size(); ++i) {
    for (const std::size_t other : views_beside(centres, i, middle, kOthers)) pairs.emplace_back(i, other);
  }
  return pairs;
}

/// The Laplacian of moves: of a vertex, less the mean of its neighbours'.
Sparse laplacian(const FitSurface& surface) {
  std::vector<Eigen::Triplet<float>> entries;
  for (std::size_t i = 0; i < surface.vertex_count(); ++i) {
    const auto row = static_cast<int>(i);
    const auto around = surface.neighbours(i);
    if (around.empty()) continue;
    entries.emplace_back(row, row, 1.0F);
    for (const std::int32_t other : around) entries.emplace_back(row, other, -1 / static_cast<float>(around.size()));
  }
  const auto count = static_cast<int>(surface.vertex_count());
  Sparse matrix(count, count);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

class Refinement {
 public:
  Refinement(const TriangleMesh& mesh, std::vector<DetailView> views, int threads)
      : surface_(mesh.vertices.size(), mesh.triangles),
        laplacian_(laplacian(surface_)),
        bending_(laplacian_.transpose() * laplacian_),
        views_(std::move(views)),
        vertices_(mesh.vertices),
        threads_(threads) {
    const Eigen::AlignedBox3f box = box_of(vertices_);
    lower_ = box.min();
    diagonal_ = box.diagonal().norm();
    block_ = box.diagonal().maxCoeff() / kBlocks;
    pairs_ = choose_pairs(views_, box.center());
    edge_pixels_ = mean_edge_length(surface_, vertices_) / pixel(kFactors.size() - 1);
    fairness_ = kFairness * std::max(kUsualEdge * kUsualEdge / (edge_pixels_ * edge_pixels_), 1.0F);
    contacts_ = find_contacts(vertices_, surface_.triangles(), rounding_margin(vertices_), threads_);
  }

  Points run(SurfaceFigures& figures) {
    follow_photographs(figures);
    if (figures.refined > 0) even_out_normals();
    return vertices_;
  }

 private:
  void follow_photographs(SurfaceFigures& figures) {
    const Points start = vertices_;
    bool is_denied = false;  // a level but the last
    for (std::size_t level = 0; level < kFactors.size(); ++level) {
      std::vector<Pair> judging, used;
      for (const Pair& pair : pairs_) {
        const bool is_left_out = pair.first % kLeftOut == level || pair.second % kLeftOut == level;
        (is_left_out ? judging : used).push_back(pair);
      }
      const Points before = vertices_;
      const VertexAgreement was = compare(level, judging);
      for (int steps = 0; steps < kStepsPerFactor && step(level, used); ++steps) {
      }
      const VertexAgreement is = compare(level, judging);
      const double kept = keep_confirmed(before, was, is);
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

  [[nodiscard]] VertexAgreement compare(std::size_t level, const std::vector<Pair>& pairs) const {
    const std::vector<Eigen::Vector3f> normals = vertex_normals(surface_, vertices_);
    const SeenSurface seen{normals, surface_.triangles()};
    std::vector<SurfaceRaster> rasters(views_.size());
    for_each_task(views_.size(), threads_, [&](std::size_t i) {
      const ReducedView& view = views_[i][level];
      rasters[i] = rasterise(vertices_, surface_.triangles(), view.camera, view.size);
    });
    VertexAgreement sum(vertices_.size());
    constexpr std::size_t kAtOnce = 8;  // memory
    for (std::size_t begin = 0; begin < pairs.size(); begin += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, pairs.size() - begin);
      std::vector<VertexAgreement> found(count, VertexAgreement(vertices_.size()));
      for_each_task(count, threads_, [&](std::size_t i) {
        const auto& [one, other] = pairs[begin + i];
        compare_views(seen, views_[one][level], rasters[one], views_[other][level], rasters[other],
                      kNearest * diagonal_, found[i]);
      });
      for (const VertexAgreement& each : found) sum.add(each);
    }
    return sum;
  }

  /// The size of a pixel on the object, of the median view.
  [[nodiscard]] float pixel(std::size_t level) const {
    std::vector<float> sizes;
    const Eigen::Vector3f middle = lower_ + Eigen::Vector3f::Constant(block_ * kBlocks / 2);
    for (const DetailView& view : views_) {
      const Pinhole<float>& camera = view[level].camera;
      sizes.push_back(camera.cam_from_world(middle).z() / camera.focal.x());
    }
    return upper_median(std::move(sizes));
  }

  /// Moves the vertices along their normals; false if they cannot.
  bool step(std::size_t level, const std::vector<Pair>& pairs) {
    const VertexAgreement found = compare(level, pairs);
    const std::vector<Eigen::Vector3f> normals = vertex_normals(surface_, vertices_);
    std::vector<float> curvatures;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      if (found.curvature(i) > 0) curvatures.push_back(found.curvature(i));
    }
    if (curvatures.empty()) return false;
    const float usual = upper_median(std::move(curvatures));
    const auto count = static_cast<Eigen::Index>(vertices_.size());
    Eigen::VectorXf certainty(count), pull(count), bump(count);
    const float longest = kLongestStep * pixel(level);
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
    const Sparse system =
        (kStiffness + fairness_) * bending_ + Sparse((certainty.array() + kStaying).matrix().asDiagonal());
    Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper> solver(system);
    solver.setMaxIterations(100);
    solver.setTolerance(1e-3F);
    const Eigen::VectorXf right = pull - fairness_ * (laplacian_.transpose() * bump);
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

  using Block = std::array<int, 3>;
  [[nodiscard]] Block block_index(const Eigen::Vector3f& place) const {
    const Eigen::Vector3i block = ((place - lower_) / block_).array().floor().cast<int>();
    return {block.x(), block.y(), block.z()};
  }

  /// What photographs that were left out say about a part of the surface: sums over its pixels before and after.
  struct Verdict {
    double before = 0, pixels_before = 0, after = 0, pixels_after = 0;

    void add(const Verdict& other) {
      before += other.before;
      pixels_before += other.pixels_before;
      after += other.after;
      pixels_after += other.pixels_after;
    }
    [[nodiscard]] bool is_judged() const {
      constexpr double kFewest = 30;
      return pixels_before > kFewest && pixels_after > kFewest;
    }
    [[nodiscard]] double gain() const { return after / pixels_after - before / pixels_before; }
  };

  /// The verdict on each block and those around it, so that chance decides less.
  [[nodiscard]] std::map<Block, Verdict> verdicts(const Points& before, const VertexAgreement& was,
                                                  const VertexAgreement& is) const {
    std::map<Block, Verdict> blocks, wide;
    for (std::size_t i = 0; i < before.size(); ++i) {
      blocks[block_index(before[i])].add({static_cast<double>(was.agreement(i)), static_cast<double>(was.pixels(i)),
                                          static_cast<double>(is.agreement(i)), static_cast<double>(is.pixels(i))});
    }
    for (const auto& [block, verdict] : blocks) {
      Verdict& sum = wide[block];
      for (int k = 0; k < 27; ++k) {
        const auto found = blocks.find({block[0] + k % 3 - 1, block[1] + k / 3 % 3 - 1, block[2] + k / 9 - 1});
        if (found != blocks.end()) sum.add(found->second);
      }
    }
    return wide;
  }

  /// Takes back the changes of parts in which the photographs that were left out do not agree better, and all if that
  /// is so in many parts, as on a shiny object. Returns the share of the vertices that keep theirs.
  double keep_confirmed(const Points& before, const VertexAgreement& was, const VertexAgreement& is) {
    const std::map<Block, Verdict> blocks = verdicts(before, was, is);
    std::size_t judged = 0, better = 0;
    for (const auto& [block, verdict] : blocks) {
      judged += verdict.is_judged() ? 1 : 0;
      better += verdict.is_judged() && verdict.gain() > 0 ? 1 : 0;
    }
    if (static_cast<double>(better) < kLeastBetter * static_cast<double>(judged)) {
      put_back(before);
      return 0;
    }
    std::vector<float> shares(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Verdict& verdict = blocks.at(block_index(before[i]));
      shares[i] = !verdict.is_judged() || verdict.gain() > 0 ? 1.0F : 0.0F;
    }
    const double kept = std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
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
  Sparse laplacian_, bending_;
  std::vector<DetailView> views_;
  std::vector<Pair> pairs_;
  Points vertices_;
  Contacts contacts_;
  Eigen::Vector3f lower_;
  float diagonal_ = 0, block_ = 0, edge_pixels_ = 0, fairness_ = 0;
  int threads_;
};

}  // namespace

TriangleMesh refine_surface(const TriangleMesh& mesh, const PhotographSource& source, int threads,
                            SurfaceFigures& figures) {
  if (source.photographs().size() < kFewestRefining) return mesh;
  std::vector<DetailView> views = detail_views(source, threads);
  if (views.size() < kFewestRefining) return mesh;
  figures.photographs = views.size();
  TriangleMesh refined = mesh;
  refined.vertices = Refinement(mesh, std::move(views), threads).run(figures);
  return refined;
}

}  // namespace p2mpp
