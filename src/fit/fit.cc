#include "p2mpp/fit.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/parallel.h"
#include "fit/view_fitter.h"
#include "geometry/foreign/welding.h"
#include "geometry/points.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr double kPoorIou = 0.85;  ///< below, a fit without a step needs a word

std::string describe_unused_masks(const FitResult& result, std::span<const FitMask> masks, int most_steps) {
  std::size_t left_out = 0;
  std::string first;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (result.views[i].problem.empty()) continue;
    if (left_out++ == 0) first = fmt::format("{}: {}", mask_label(masks[i], i), result.views[i].problem);
  }
  if (left_out == masks.size()) {
    return masks.empty() ? "no mask: the mesh stays as it is"
                         : fmt::format("no mask can be used: the mesh stays as it is; {}", first);
  }
  std::string note = left_out > 0 ? fmt::format("{} of {} masks are not used: {}", left_out, masks.size(), first) : "";
  if (result.iou_before < kHopelessIou) {
    note += fmt::format("{}the mesh hardly overlaps its masks (mean IoU {:.2f}): the fit cannot be trusted",
                        note.empty() ? "" : "; ", result.iou_before);
  } else if (result.steps == 0 && most_steps > 0 && result.iou_before < kPoorIou) {
    note += fmt::format("{}no step made the mesh agree better with its masks (mean IoU {:.2f}): it stays as it is",
                        note.empty() ? "" : "; ", result.iou_before);
  }
  return note;
}

}  // namespace

struct MaskFitter::Impl {
  Impl(std::size_t vertex_count, std::vector<Triangle> triangles) : fitter(vertex_count, std::move(triangles)) {}
  ViewFitter fitter;
};

MaskFitter::MaskFitter(std::size_t vertex_count, std::vector<Triangle> triangles)
    : impl_(std::make_unique<Impl>(vertex_count, std::move(triangles))) {}
MaskFitter::~MaskFitter() = default;
MaskFitter::MaskFitter(MaskFitter&&) noexcept = default;
MaskFitter& MaskFitter::operator=(MaskFitter&&) noexcept = default;

std::size_t MaskFitter::vertex_count() const { return impl_->fitter.vertex_count(); }

FitResult MaskFitter::fit(const Points& vertices, std::span<const FitMask> masks, const FitOptions& options) const {
  if (vertices.size() != vertex_count()) {
    throw InputError(fmt::format("{} vertices; expected {}", vertices.size(), vertex_count()));
  }
  if (!all_finite(vertices)) throw InputError("the mesh has a vertex that is not finite; expected numbers");
  if (options.steps < 0 || options.steps > kMaxFitSteps) {
    throw InputError(fmt::format("{} steps of the fit; expected 0 to {}", options.steps, kMaxFitSteps));
  }
  std::vector<std::optional<MaskView>> views(masks.size());
  std::vector<std::string> problems(masks.size());
  for (std::size_t i = 0; i < masks.size(); ++i) {
    check_mask(masks[i], i);
    try {
      check_shows_object(masks[i]);
    } catch (const InputError& error) {
      problems[i] = error.what();
    }
  }
  for_each_task(masks.size(), options.threads, [&](std::size_t i) {
    if (!problems[i].empty()) return;
    views[i].emplace(masks[i]);
    if (sees_whole(*views[i], vertices)) return;
    views[i].reset();
    problems[i] = "a part of the mesh is behind the camera";
  });
  std::vector<const MaskView*> used;
  for (const std::optional<MaskView>& view : views) used.push_back(view ? &*view : nullptr);
  FitResult result = impl_->fitter.fit(vertices, used, options);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (!problems[i].empty()) result.views[i] = {.weight = 0, .problem = std::move(problems[i])};
  }
  result.note = describe_unused_masks(result, masks, options.steps);
  return result;
}

FitResult fit_to_masks(const TriangleMesh& mesh, std::span<const FitMask> masks, const FitOptions& options) {
  check_triangle_indices(mesh.vertices.size(), mesh.triangles);
  if (!all_finite(mesh.vertices)) throw InputError("the mesh has a vertex that is not finite; expected numbers");
  const Welding welding = weld(mesh);
  FitResult result =
      MaskFitter(welding.mesh.vertices.size(), welding.mesh.triangles).fit(welding.mesh.vertices, masks, options);
  result.vertices = welding.restored(result.vertices, mesh.vertices);
  return result;
}

}  // namespace p2mpp
