#include "results/initial_mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/input_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "engine/computation.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/foreign/welding.h"
#include "geometry/points.h"
#include "geometry/similarity.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "surface/reconstruct_surface.h"

namespace p2mpp {
namespace {

Eigen::Vector3d in_world(const Eigen::Vector3d& point, Frame frame, const Sample& sample) {
  if (frame == Frame::kCamera0) return sample.views.front().camera.world_from_cam(point);
  if (frame == Frame::kSource) return inverse(sample.source_from_world).transformed(point);
  return point;
}

void turn_into_world(Points& normals, Frame frame, const Sample& sample) {
  Eigen::Matrix3d world_from_file = Eigen::Matrix3d::Identity();
  if (frame == Frame::kCamera0) world_from_file = sample.views.front().camera.rotation.transpose();
  if (frame == Frame::kSource) world_from_file = sample.source_from_world.rotation.transpose();
  for (Eigen::Vector3f& normal : normals) normal = (world_from_file * normal.cast<double>()).cast<float>();
}

/// In the world, the object's box is 0.57 across, with its middle at the origin.
void check_place(const TriangleMesh& mesh, Frame frame) {
  constexpr double kLeast = 0.05, kMost = 5, kFarthest = 1;
  const Eigen::AlignedBox3f box = box_of(mesh.vertices);
  const double size = box.diagonal().cast<double>().norm(), off = box.center().cast<double>().norm();
  if (size > kLeast && size < kMost && off < kFarthest) return;
  throw InputError(
      fmt::format("is {:.3g} across and {:.3g} from the object's middle, where the object is 0.57 across; expected "
                  "coordinates of {}, as --frame says",
                  size, off, to_string(frame)));
}

}  // namespace

InitialMesh read_initial_mesh(const RunOptions& options) {
  const InitialShape& initial = options.initial;
  if (initial.kind == InitialShape::Kind::kEllipsoid && !initial.with_stage2) {
    throw UsageError("without stage 2, expected an initial mesh: --initial hull or a file");
  }
  InitialMesh start;
  if (initial.kind != InitialShape::Kind::kFile) return start;
  // Opened once: what is hashed is what is parsed.
  const std::string bytes = read_file(initial.file);
  NotedMesh read = parse_noted_mesh(bytes, initial.file);
  TriangleMesh& mesh = read.mesh;
  with_prefix(display(initial.file) + ": ", [&] { check_initial_mesh(mesh); });
  if (!has_smooth_seams(mesh)) mesh.normals.clear();  // others are made anew
  start.mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  start.sha256 = sha256_hex(bytes);
  start.frame = frame_of(options.meshes, format_of(initial.file).value_or(MeshFormat::kObj));
  if (!read.notes.empty()) start.note = fmt::format("{}: {}", display(initial.file), fmt::join(read.notes, "; "));
  return start;
}

TriangleMesh mesh_in_world(TriangleMesh mesh, Frame frame, const Sample& sample) {
  if (mesh.vertices.empty()) throw InputError("has no vertex; expected a mesh");
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    mesh.vertices[i] = in_world(placed_vertex(mesh, i), frame, sample).cast<float>();
  }
  mesh.origin.setZero();
  turn_into_world(mesh.normals, frame, sample);
  check_place(mesh, frame);
  return mesh;
}

FitViews fit_views_for(const FitViews& asked, const ModelInfo& model) {
  const bool is_open = asked.kind == FitViews::Kind::kAutomatic;
  return is_open && model.semantics != Semantics::kClean ? FitViews{} : asked;
}

FitViews views_read_for(const RunOptions& options) {
  using Kind = FitViews::Kind;
  const bool is_open = options.fit.kind == Kind::kNone || options.fit.kind == Kind::kAutomatic;
  const bool needs_all =
      options.initial.kind == InitialShape::Kind::kHull || options.surface.kind == SurfaceChoice::Kind::kVolume;
  return is_open && needs_all ? FitViews{Kind::kAll} : options.fit;
}

std::string set_initial_mesh(const RunOptions& options, const InitialMesh& start, int threads, Sample& sample) {
  if (options.initial.kind == InitialShape::Kind::kEllipsoid) return {};
  if (options.initial.kind == InitialShape::Kind::kFile) {
    with_prefix(display(options.initial.file) + ": ", [&] {
      sample.initial_mesh = std::make_shared<const TriangleMesh>(mesh_in_world(*start.mesh, start.frame, sample));
    });
    return start.note;
  }
  SurfaceResult hull = with_prefix(printable(sample.id) + ": ", [&] {
    return reconstruct_surface(sample.fit_masks, {},
                               {.target_vertices = options.initial.target_vertices,
                                .fit_steps = 0,
                                .photo_consistency = false,
                                .threads = threads});
  });
  sample.initial_mesh = std::make_shared<const TriangleMesh>(std::move(hull.mesh));
  return hull.note.empty() ? std::string() : "hull: " + hull.note;
}

}  // namespace p2mpp
