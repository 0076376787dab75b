#include "p2mpp/frame.h"

#include <utility>
#include <vector>

#include "geometry/foreign/placed_points.h"
#include "geometry/similarity.h"

namespace p2mpp {
namespace {

void turn_normals(TriangleMesh& mesh, const Eigen::Matrix3d& rotation) {
  for (Eigen::Vector3f& normal : mesh.normals) normal = (rotation * normal.cast<double>()).cast<float>();
}

/// `from`: the camera in whose frame the mesh is; null: it is in the world.
TriangleMesh moved(TriangleMesh mesh, const Sample& sample, Frame frame, const Camera* from) {
  const Camera& first = sample.views.front().camera;
  const Eigen::Matrix3d turn = frame == Frame::kCamera0  ? first.rotation
                               : frame == Frame::kSource ? sample.source_from_world.rotation
                                                         : Eigen::Matrix3d::Identity().eval();
  turn_normals(mesh, from == nullptr ? turn : Eigen::Matrix3d(turn * from->rotation.transpose()));
  std::vector<Eigen::Vector3d> in_source;
  for (Eigen::Vector3f& vertex : mesh.vertices) {
    Eigen::Vector3d point = vertex.cast<double>();
    if (from != nullptr) point = from->world_from_cam(point);
    if (frame == Frame::kCamera0) point = first.cam_from_world(point);
    if (frame == Frame::kSource) in_source.push_back(sample.source_from_world.transformed(point));
    vertex = point.cast<float>();
  }
  if (frame != Frame::kSource) return mesh;
  PlacedPoints around_origin = placed(in_source);
  mesh.vertices = std::move(around_origin.points);
  mesh.origin = around_origin.origin;
  return mesh;
}

}  // namespace

std::string_view to_string(Frame frame) {
  return frame == Frame::kCamera0 ? "camera0" : frame == Frame::kWorld ? "world" : "source";
}

TriangleMesh in_frame(TriangleMesh mesh, const Sample& sample, Frame frame) {
  if (frame == Frame::kCamera0 && !sample.network_frame) return mesh;
  return moved(std::move(mesh), sample, frame, &network_frame(sample));
}

TriangleMesh from_world(TriangleMesh mesh, const Sample& sample, Frame frame) {
  return frame == Frame::kWorld ? mesh : moved(std::move(mesh), sample, frame, nullptr);
}

TriangleMesh in_network_frame(TriangleMesh mesh, const Sample& sample) {
  const Camera& network = network_frame(sample);
  turn_normals(mesh, network.rotation);
  set_origin(mesh, Eigen::Vector3d::Zero());
  for (Eigen::Vector3f& vertex : mesh.vertices) {
    vertex = network.cam_from_world(vertex.cast<double>()).cast<float>();
  }
  return mesh;
}

}  // namespace p2mpp
