#include "finish/printable.h"

#include <string>
#include <utility>

#include "finish/certificate.h"
#include "finish/flat_base.h"
#include "finish/solid_parts.h"
#include "finish/walls_thickened.h"
#include "p2mpp/error.h"
#include "rays/ray_scene.h"

namespace p2mpp {
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
