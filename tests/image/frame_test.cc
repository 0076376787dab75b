#include "p2mpp/frame.h"

#include <gtest/gtest.h>

namespace p2mpp {
namespace {

Sample sample_from_rows() {
  Sample sample;
  for (const float azimuth : {30.0F, 120.0F}) {
    sample.views.push_back(view_from_row({8, 8, std::vector<std::uint8_t>(256)}, {azimuth, 20, 0, 0.75F, 0}));
  }
  return sample;
}

const TriangleMesh kMesh{{{0.1F, 0.2F, -0.7F}, {-0.3F, 0.1F, -0.9F}, {0.05F, -0.2F, -0.8F}}, {{0, 1, 2}}};

TEST(InFrame, TheNetworksFrameIsTheFirstCamerasUnlessTheSampleNamesAnother) {
  Sample sample = sample_from_rows();
  EXPECT_EQ(in_frame(kMesh, sample, Frame::kCamera0).vertices, kMesh.vertices) << "bit for bit";
  sample.network_frame = sample.views[0].camera;
  sample.network_frame->origin *= 2;
  const TriangleMesh moved = in_frame(kMesh, sample, Frame::kCamera0);
  EXPECT_EQ(moved.triangles, kMesh.triangles);
  for (std::size_t i = 0; i < kMesh.vertices.size(); ++i) {
    EXPECT_LT((moved.vertices[i] - kMesh.vertices[i] - Eigen::Vector3f(0, 0, 0.75F)).norm(), 1e-6F);
  }
}

TEST(InFrame, TheSourceIsASimilarityOfTheWorld) {
  Sample sample = sample_from_rows();
  sample.source_from_world.scale = 30;
  sample.source_from_world.translation = {5, -4, 3};
  const TriangleMesh world = in_frame(kMesh, sample, Frame::kWorld), source = in_frame(kMesh, sample, Frame::kSource);
  for (std::size_t i = 0; i < kMesh.vertices.size(); ++i) {
    const Eigen::Vector3d expected = sample.source_from_world.transformed(world.vertices[i].cast<double>());
    EXPECT_LT((source.vertices[i].cast<double>() - expected).norm(), 1e-5);
  }
}

// Map coordinates are millions of metres from zero, where a float's step is half a metre.
TEST(InFrame, ASourceFarFromZeroHasAnOrigin) {
  Sample sample = sample_from_rows();
  sample.source_from_world.scale = 3;
  sample.source_from_world.translation = {500'000.25, 4'500'000.125, 140};
  TriangleMesh mesh = kMesh;
  mesh.normals = Points(3, Eigen::Vector3f::UnitX());
  const TriangleMesh world = in_frame(mesh, sample, Frame::kWorld), source = in_frame(mesh, sample, Frame::kSource);
  EXPECT_TRUE(world.origin.isZero(0));
  for (std::size_t i = 0; i < kMesh.vertices.size(); ++i) {
    const Eigen::Vector3d expected = sample.source_from_world.transformed(world.vertices[i].cast<double>());
    EXPECT_LT((source.origin + source.vertices[i].cast<double>() - expected).norm(), 1e-6);
  }
  const Eigen::Vector3d axis = sample.views[0].camera.rotation.row(0);
  EXPECT_LT((source.normals[1].cast<double>() - axis).norm(), 1e-6);
  EXPECT_EQ(in_network_frame(world, sample).normals.size(), 3U);
}

TEST(InNetworkFrame, ComesBackFromTheWorld) {
  Sample sample = sample_from_rows();
  sample.network_frame = sample.views[1].camera;
  const TriangleMesh world = in_frame(kMesh, sample, Frame::kWorld);
  const TriangleMesh again = in_network_frame(world, sample);
  EXPECT_EQ(again.triangles, kMesh.triangles);
  for (std::size_t i = 0; i < kMesh.vertices.size(); ++i) {
    const Eigen::Vector3d seen = sample.network_frame->cam_from_world(world.vertices[i].cast<double>());
    EXPECT_LT((seen - kMesh.vertices[i].cast<double>()).norm(), 1e-6);
    EXPECT_LT((again.vertices[i] - kMesh.vertices[i]).norm(), 1e-6F);
  }
}

}  // namespace
}  // namespace p2mpp
