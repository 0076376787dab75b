#include "results/make_meshes.h"

#include <fmt/format.h>

#include <chrono>

#include "base/text.h"
#include "colours/mesh_colours.h"
#include "geometry/foreign/welding.h"
#include "image/mask_resampling.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "refinement/refine_surface.h"
#include "surface/reconstruct_surface.h"
#include "texture/chart_layout.h"
#include "texture/photograph_sources.h"

namespace p2mpp {
std::string fit_summary(const FitFigures& figures) {
  return fmt::format("{} masks, IoU {:.2f} -> {:.2f}, {} steps, {:.0f} ms", figures.used, figures.iou_before,
                     figures.iou_after, figures.steps, figures.milliseconds);
}

const MaskFitter& MaskFitters::of(const TriangleMesh& mesh) {
  const std::lock_guard lock(mutex_);
  for (const auto& [triangles, fitter] : fitters_) {
    if (fitter.vertex_count() == mesh.vertices.size() && triangles == mesh.triangles) return fitter;
  }
  return fitters_.emplace_back(mesh.triangles, MaskFitter(mesh.vertices.size(), mesh.triangles)).second;
}

FittedMesh fit_sample(const Sample& sample, const TriangleMesh& mesh, FitOptions options, MaskFitters& fitters) {
  // A mesh from elsewhere, or a hull, has no usual gap to exact masks.
  options.correct_masks = sample.initial_mesh == nullptr;
  // Triangles that are one sample's alone are not worth keeping a fitter for.
  FitResult result = sample.initial_mesh ? fit_to_masks(mesh, sample.fit_masks, options)
                                         : fitters.of(mesh).fit(mesh.vertices, sample.fit_masks, options);
  FittedMesh fitted{mesh, static_cast<FitFigures>(result)};
  if (result.steps > 0) fitted.mesh = moved(mesh, result.vertices);
  return fitted;
}

namespace {

using Kind = SurfaceChoice::Kind;

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// The mean IoU of the silhouettes of the sample's initial mesh with the masks.
double initial_iou(const Sample& sample, const FitOptions& options) {
  return fit_to_masks(*sample.initial_mesh, sample.fit_masks, {.steps = 0, .threads = options.threads}).iou_before;
}

/// Leaves stage 2 out if the masks agree better with the fit of the file's mesh alone. Stage 2 crumples a mesh that is
/// far from the object, and guards then allow no step. The second fit is made only if the first is poor, or if the
/// file's mesh was better than its result. Returns whether it is left out.
bool prefer_initial_mesh(const Sample& sample, const FitOptions& options, MaskFitters& fitters, FittedMesh& fitted,
                         MadeMeshes& made) {
  constexpr double kClearly = 0.001, kGood = 0.95;
  const double reached = fitted.figures.iou_after;
  if (reached >= kGood && initial_iou(sample, options) <= reached + kClearly) return false;
  FittedMesh without = fit_sample(sample, *sample.initial_mesh, options, fitters);
  if (without.figures.iou_after <= reached + kClearly) return false;
  fitted = std::move(without);
  made.warnings.push_back({"stage_2",
                           {},
                           fmt::format("stage 2 is left out: with its mesh, the masks' IoU is {:.3f} after the fit; "
                                       "without it, it is {:.3f}",
                                       reached, fitted.figures.iou_after)});
  return true;
}

void add_fit(const Sample& sample, const RunOptions& options, const MeshSteps& steps, MadeMeshes& made) {
  const auto begin = std::chrono::steady_clock::now();
  const bool is_from_file = options.initial.kind == InitialShape::Kind::kFile;
  const FitOptions fit{.steps = options.fit_steps,
                       .guarded = is_from_file,  // may be better than the masks
                       .allowance = is_from_file ? mask_allowance(sample.fit_masks, steps.threads) : 0,
                       .photo_consistency = options.photo_consistency,
                       .threads = steps.threads};
  FittedMesh fitted = fit_sample(sample, made.meshes.back().in(Frame::kWorld, sample), fit, steps.fitters);
  const bool is_replaced =
      is_from_file && options.initial.with_stage2 && prefer_initial_mesh(sample, fit, steps.fitters, fitted, made);
  fitted.figures.milliseconds = milliseconds_since(begin);
  // Without a step, the network's own bytes stay.
  made.meshes.push_back(fitted.figures.steps > 0 || is_replaced
                            ? NamedMesh{"fitted", std::move(fitted.mesh)}
                            : NamedMesh{"fitted", made.meshes.back().mesh, made.meshes.back().in_world});
  if (!fitted.figures.note.empty()) made.warnings.push_back({"fit", {}, "fit: " + fitted.figures.note});
  made.fit = std::move(fitted.figures);
}

/// A mesh that hardly overlaps its masks says nothing about the object.
bool is_lost(const Sample& sample, const MadeMeshes& made) {
  return made.fit && made.fit->used > 0 && made.fit->iou_before < kHopelessIou && !sample.initial_mesh;
}

std::vector<FitMask> masks_of_views(const Sample& sample) {
  std::vector<FitMask> masks;
  for (const View& view : sample.views) masks.push_back(make_fit_mask(view));
  return masks;
}

SurfaceResult choose_surface(const Sample& sample, const RunOptions& run, const MeshSteps& steps,
                             const MadeMeshes& made) {
  const auto begin = std::chrono::steady_clock::now();
  const SurfaceOptions options{.resolution = run.surface.resolution,
                               .target_vertices = vertices_of(run.surface),
                               .fit_steps = run.fit_steps,
                               .photo_consistency = run.photo_consistency,
                               .threads = steps.threads};
  const std::vector<FitMask> of_views = sample.fit_masks.empty() ? masks_of_views(sample) : std::vector<FitMask>();
  const std::vector<FitMask>& masks = sample.fit_masks.empty() ? of_views : sample.fit_masks;
  SurfaceResult result;
  const TriangleMesh network = made.meshes.front().in(Frame::kWorld, sample);
  const std::shared_ptr<const DistanceField> learned = steps.distances ? steps.distances(network) : nullptr;
  if (learned || is_lost(sample, made)) {
    result = reconstruct_surface(masks, {.learned = learned.get()}, options);
  } else {
    const TriangleMesh last = made.meshes.back().in(Frame::kWorld, sample);
    result = reconstruct_surface(masks, {.network = &network, .fitted = made.fit ? &last : nullptr}, options);
  }
  if (steps.photographs != nullptr && run.photo_consistency && run.surface.detail != SurfaceChoice::Detail::kCoarse) {
    result.mesh = refine_surface(result.mesh, *steps.photographs, run.surface.detail, steps.threads, result);
  }
  result.milliseconds = milliseconds_since(begin);
  return result;
}

void add_surface(const Sample& sample, const RunOptions& options, const MeshSteps& steps, MadeMeshes& made) {
  const auto warn = [&made](const std::string& line) { made.warnings.push_back({"surface", {}, "surface: " + line}); };
  SurfaceResult surface;
  try {
    surface = choose_surface(sample, options, steps, made);
  } catch (const InputError& error) {
    const std::string reason = fmt::format("no volume: {}", error.what());
    if (options.surface.kind != Kind::kVolume) return warn(reason);
    throw InputError(fmt::format("{}: {}", printable(sample.id), reason));
  }
  if (is_lost(sample, made)) {
    warn(fmt::format("the mesh hardly overlaps its masks (mean IoU {:.2f}): the masks' hull takes its place",
                     made.fit->iou_before));
  }
  if (!surface.note.empty()) warn(surface.note);
  made.meshes.push_back({"surface", std::move(surface.mesh)});
  made.surface = static_cast<SurfaceFigures&&>(surface);
}

/// All meshes of the template have one layout in their textures. Null if the last mesh is another's.
std::shared_ptr<const MeshTexture> layout_of_template(const Sample& sample, const MeshSteps& steps,
                                                      const MadeMeshes& made) {
  const bool is_template = steps.undeformed != nullptr && !sample.initial_mesh && !made.surface;
  if (!is_template) return nullptr;
  TriangleMesh undeformed = *steps.undeformed;
  undeformed.texture = std::make_shared<MeshTexture>(MeshTexture{layout_for_all_sizes(undeformed), {}});
  return std::make_shared<MeshTexture>(
      MeshTexture{texture_corners(undeformed, made.meshes.back().mesh.triangles), {}});  // may be turned inside out
}

void add_colours(const Sample& sample, const RunOptions& options, const MeshSteps& steps, MadeMeshes& made) {
  TriangleMesh& mesh = made.meshes.back().mesh;
  try {
    const auto of_views = steps.photographs == nullptr ? views_as_photographs(sample) : nullptr;
    TextureOptions making = texture_options(options.texture, made.fit ? &*made.fit : nullptr, steps.threads);
    TriangleMesh in_world = made.meshes.back().in(Frame::kWorld, sample);
    if (auto layout = layout_of_template(sample, steps, made)) {
      in_world.texture = std::move(layout);
      making.keep_uv = true;
    }
    TexturedMesh textured =
        texture_mesh(std::move(in_world), steps.photographs == nullptr ? *of_views : *steps.photographs, making);
    mesh.texture = std::move(textured.mesh.texture);
    mesh.colours = std::move(textured.mesh.colours);
    made.texture = static_cast<const TextureFigures&>(textured);
  } catch (const InputError& error) {
    const std::string reason = fmt::format("no texture: {}", error.what());
    if (options.texture.kind != TextureChoice::Kind::kAutomatic) {
      throw InputError(fmt::format("{}: {}", printable(sample.id), reason));
    }
    made.warnings.push_back({"texture", {}, reason});
  }
}

/// Why the last mesh gets no colours from photographs; empty: do not warn.
std::optional<std::string> obstacle_to_colours(const RunOptions& options, const MeshSteps& steps) {
  const bool is_automatic = options.texture.kind == TextureChoice::Kind::kAutomatic;
  if (options.texture.kind == TextureChoice::Kind::kNone || (is_automatic && steps.photographs == nullptr)) return "";
  if (is_automatic && !can_texture()) return "no texture: this build has no Embree, which textures need";
  return std::nullopt;
}

void add_fit_and_surface(const Sample& sample, const RunOptions& options, const MeshSteps& steps, MadeMeshes& made) {
  const bool has_distances = steps.distances != nullptr;
  const std::string obstacle = obstacle_to_volume(sample, options.initial, has_distances);
  // The distance network corrects the mesh of stage 2, not the fitted one.
  const bool needs_fit = options.surface.kind == Kind::kTemplate || !has_distances || !obstacle.empty();
  if (needs_fit && is_fitted(options, sample)) steps.during("fit", [&] { add_fit(sample, options, steps, made); });
  if (options.surface.kind == Kind::kTemplate) return;
  if (options.surface.kind == Kind::kAutomatic && !is_lost(sample, made)) {
    if (made.fit && sample.network_frame) made.no_volume = obstacle;
    if (!obstacle.empty()) return;
  }
  steps.during("surface", [&] { add_surface(sample, options, steps, made); });
}

}  // namespace

DistancesOf predict_distances(const Reconstructor& reconstructor, const Sample& sample) {
  if (!reconstructor.has_distances() || !expects_distances(sample)) return nullptr;
  return [&](const TriangleMesh& refined) { return reconstructor.distances(sample, refined); };
}

bool is_fitted(const RunOptions& options, const Sample& sample) {
  using Fit = FitViews::Kind;
  if (sample.fit_masks.empty() || options.fit.kind == Fit::kNone) return false;
  const bool is_for_hull = options.initial.kind == InitialShape::Kind::kHull && options.fit.kind == Fit::kAutomatic;
  return !is_for_hull || sample.fit_masks.size() > sample.views.size();
}

MadeMeshes make_meshes(const Sample& sample, TriangleMesh refined, const RunOptions& options, const MeshSteps& steps) {
  MadeMeshes made{.meshes = {{"refined", std::move(refined), false}}};
  add_fit_and_surface(sample, options, steps, made);
  if (const std::optional<std::string> obstacle = obstacle_to_colours(options, steps)) {
    if (!obstacle->empty()) made.warnings.push_back({"texture", {}, *obstacle});
  } else {
    steps.during("texture", [&] { add_colours(sample, options, steps, made); });
  }
  return made;
}

}  // namespace p2mpp
