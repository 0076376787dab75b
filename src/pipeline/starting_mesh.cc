#include "pipeline/starting_mesh.h"

#include <fmt/format.h>

#include <utility>

#include "base/input_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "capture/hull/hull_mesh.h"
#include "engine/computable_sample.h"
#include "geometry/similarity.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

Eigen::Vector3d in_world(const Eigen::Vector3d& point, Frame frame, const Sample& sample) {
  if (frame == Frame::kCamera0) return sample.views.front().camera.world_from_cam(point);
  if (frame == Frame::kSource) return inverse(sample.source_from_world).transformed(point);
  return point;
}

/// In the world, the object's box is 0.57 across, with its middle at the origin.
void check_place(const TriangleMesh& mesh, const std::filesystem::path& file, Frame frame) {
  constexpr double kLeast = 0.05, kMost = 5, kFarthest = 1;
  Eigen::Vector3f lower = mesh.vertices.front(), upper = lower;
  for (const Eigen::Vector3f& vertex : mesh.vertices) {
    lower = lower.cwiseMin(vertex);
    upper = upper.cwiseMax(vertex);
  }
  const double size = (upper - lower).cast<double>().norm(), off = ((upper + lower) / 2).cast<double>().norm();
  if (size > kLeast && size < kMost && off < kFarthest) return;
  throw InputError(
      fmt::format("{}: is {:.3g} across and {:.3g} from the object's middle, where the object is 0.57 across; expected "
                  "coordinates of {}, as --frame says",
                  display(file), size, off, to_string(frame)));
}

void keep_masks(const FitViews& fit, Sample& sample) {
  using Kind = FitViews::Kind;
  const bool has_others = sample.fit_masks.size() > sample.views.size();
  if (fit.kind == Kind::kNone || (fit.kind == Kind::kAutomatic && !has_others)) sample.fit_masks.clear();
}

}  // namespace

StartingMesh read_starting_mesh(const RunOptions& options) {
  const InitialShape& initial = options.initial;
  if (initial.kind == InitialShape::Kind::kEllipsoid && !initial.with_stage2) {
    throw UsageError("without stage 2, expected an initial mesh: --initial hull or a file");
  }
  StartingMesh start;
  if (initial.kind != InitialShape::Kind::kFile) return start;
  // Opened once: what is hashed is what is parsed.
  const std::string bytes = read_file(initial.file);
  TriangleMesh mesh = parse_mesh(bytes, initial.file);
  with_prefix(display(initial.file) + ": ", [&] { check_initial_mesh(mesh); });
  mesh.normals.clear();
  start.mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  start.sha256 = sha256_hex(bytes);
  start.frame = frame_of(options.meshes, format_of(initial.file).value_or(MeshFormat::kObj));
  return start;
}

FitViews fit_views_for(const FitViews& asked, const ModelInfo& model) {
  const bool is_open = asked.kind == FitViews::Kind::kAutomatic;
  return is_open && model.semantics != Semantics::kClean ? FitViews{} : asked;
}

FitViews views_read_for(const RunOptions& options) {
  using Kind = FitViews::Kind;
  if (options.surface.kind == SurfaceChoice::Kind::kVolume && options.fit.kind == Kind::kAutomatic) return {Kind::kAll};
  const bool is_open = options.fit.kind == Kind::kNone || options.fit.kind == Kind::kAutomatic;
  return options.initial.kind == InitialShape::Kind::kHull && is_open ? FitViews{Kind::kAll} : options.fit;
}

std::string set_initial_mesh(const RunOptions& options, const StartingMesh& start, int threads, Sample& sample) {
  switch (options.initial.kind) {
    case InitialShape::Kind::kEllipsoid:
      return {};
    case InitialShape::Kind::kFile: {
      TriangleMesh mesh = *start.mesh;
      for (Eigen::Vector3f& vertex : mesh.vertices) {
        vertex = in_world(vertex.cast<double>(), start.frame, sample).cast<float>();
      }
      check_place(mesh, options.initial.file, start.frame);
      sample.initial_mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
      return {};
    }
    case InitialShape::Kind::kHull:
      break;
  }
  HullMesh hull = hull_mesh(sample.fit_masks, {.target_vertices = options.initial.target_vertices, .threads = threads});
  sample.initial_mesh = std::make_shared<const TriangleMesh>(std::move(hull.mesh));
  keep_masks(options.fit, sample);
  return hull.note.empty() ? std::string() : "hull: " + hull.note;
}

}  // namespace p2mpp
