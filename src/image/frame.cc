#include "p2mpp/frame.h"

#include "geometry/similarity.h"

namespace p2mpp {

std::string_view to_string(Frame frame) {
  switch (frame) {
    case Frame::kWorld:
      return "world";
    case Frame::kSource:
      return "source";
    case Frame::kCamera0:
      break;
  }
  return "camera0";
}

TriangleMesh in_frame(TriangleMesh mesh, const Sample& sample, Frame frame) {
  if (frame == Frame::kCamera0 && !sample.network_frame) return mesh;
  const Camera& network = network_frame(sample);
  const Camera& first = sample.views.front().camera;
  for (Eigen::Vector3f& vertex : mesh.vertices) {
    Eigen::Vector3d point = network.world_from_cam(vertex.cast<double>());
    if (frame == Frame::kCamera0) point = first.cam_from_world(point);
    if (frame == Frame::kSource) point = sample.source_from_world.transformed(point);
    vertex = point.cast<float>();
  }
  return mesh;
}

TriangleMesh in_network_frame(TriangleMesh mesh, const Sample& sample) {
  const Camera& network = network_frame(sample);
  for (Eigen::Vector3f& vertex : mesh.vertices) {
    vertex = network.cam_from_world(vertex.cast<double>()).cast<float>();
  }
  return mesh;
}

}  // namespace p2mpp
