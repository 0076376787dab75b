#include "finish/printable.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "finish/certificate.h"
#include "finish/plane_cut.h"
#include "finish/solid_parts.h"
#include "finish/wall_thickness.h"
#include "geometry/points.h"
#include "p2mpp/error.h"
#include "rays/ray_scene.h"

namespace p2mpp {
namespace {

constexpr float kSnap = 1e-5F;  ///< of the height

/// Areas of sections at heights from 0 to a share of the mesh's. Precondition: the mesh stands on z = 0.
class Sections {
 public:
  Sections(const TriangleMesh& mesh, float height, float most) : height_(height), most_(most) {
    for (std::size_t i = 0; i <= kSteps; ++i) areas_[i] = section_area(mesh, depth(i));
  }
  [[nodiscard]] double largest() const { return *std::ranges::max_element(areas_); }
  /// The least height with at least an area; 0 if that is the lowest. Precondition: one has it.
  [[nodiscard]] float first_with(double area) const {
    const auto step = static_cast<std::size_t>(std::ranges::find_if(areas_, [&](double each) { return each >= area; }) -
                                               areas_.begin());
    return step == 0 ? 0 : depth(step);
  }

 private:
  static constexpr std::size_t kSteps = 32;
  [[nodiscard]] float depth(std::size_t step) const {
    return std::max(kSnap, most_ * static_cast<float>(step) / static_cast<float>(kSteps)) * height_;
  }
  float height_, most_;
  std::array<double, kSteps + 1> areas_{};
};

/// Precondition: the mesh stands on z = 0.
float best_depth(const TriangleMesh& mesh, float height) {
  constexpr float kUsual = 0.04F, kRough = 0.12F;  // of the height: the most that is cut
  constexpr double kFlat = 0.6;                    // of the footprint: an underside that is flat but for its roughness
  constexpr double kEnough = 0.8;                  // of the largest area
  const Sections rough(mesh, height, kRough);
  const double footprint = Sections(mesh, height, 0.5F).largest();
  const Sections sections = rough.largest() >= kFlat * footprint ? rough : Sections(mesh, height, kUsual);
  return sections.first_with(kEnough * sections.largest());
}

void move_by(TriangleMesh& mesh, const Eigen::Vector3f& way) {
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex += way;
}

}  // namespace

FlatBase with_flat_base(TriangleMesh mesh, std::optional<double> depth, int threads) {
  const Eigen::AlignedBox3f box = box_of(mesh.vertices);
  const float height = box.sizes().z();
  move_by(mesh, {-box.center().x(), -box.center().y(), -box.min().z()});
  mesh.origin.setZero();
  if (depth == 0) return {std::move(mesh), 0, section_area(mesh, kSnap * height)};
  if (depth && *depth >= static_cast<double>(height)) {
    throw InputError(
        fmt::format("is {:.4g} high; expected more than the {:.4g} that the base cuts off", height, *depth));
  }
  const float chosen = depth ? static_cast<float>(*depth) : best_depth(mesh, height);
  constexpr int kTrials = 8;
  constexpr float kStep = 0.0007F;  // of the height
  for (int trial = 0; trial < kTrials; ++trial) {
    const float cut = chosen + kStep * static_cast<float>(trial) * height;
    TriangleMesh lowered = mesh;
    move_by(lowered, {0, 0, -cut});
    std::optional<TriangleMesh> part = cut_at_ground(lowered, kSnap * height);
    if (part && !part->triangles.empty() && certify(*part, threads).sound()) {
      const double area = section_area(*part, kSnap * height);
      return {std::move(*part), static_cast<double>(cut), area};
    }
  }
  throw InputError("no cut near the ground leaves a sound surface; expected another depth of the base, or none");
}

namespace {

template <typename Turned>
void turn(TriangleMesh& mesh, const Turned& turned) {
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = turned(vertex);
  for (Eigen::Vector3f& normal : mesh.normals) normal = turned(normal);
  mesh.origin = turned(mesh.origin);
}

}  // namespace

double usual_wall() { return RayScene::tracer().empty() ? 0 : 1.2; }

void turn_z_up(TriangleMesh& mesh) {
  turn(mesh, []<typename Vector>(const Vector& v) { return Vector(v.x(), -v.z(), v.y()); });
}

void turn_y_up(TriangleMesh& mesh) {
  turn(mesh, []<typename Vector>(const Vector& v) { return Vector(v.x(), v.z(), -v.y()); });
}

PrintableMesh make_printable(const TriangleMesh& mesh, const PrintOptions& options) {
  TriangleMesh solid = joined_at_places(mesh);
  const MeshCertificate given = certify(solid, options.threads);
  if (const std::string problem = given.problem(); !problem.empty()) throw InputError(problem);
  PrintableMesh result;
  if (!options.keep_voids && given.voids + given.buried > 0) {
    solid = without_inside(std::move(solid));
    result.filled_voids = given.voids;
  }
  FlatBase base = with_flat_base(std::move(solid), options.base, options.threads);
  result.base_cut = base.cut;
  result.base_area = base.area;
  result.mesh =
      options.wall > 0 ? with_thick_walls(std::move(base.mesh), options.wall, options.threads) : std::move(base.mesh);
  return result;
}

}  // namespace p2mpp
