#include "results/initial_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/foreign/placed_points.h"
#include "geometry/similarity.h"
#include "p2mpp/error.h"
#include "support/drawn_masks.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

TriangleMesh small_sphere() {
  TriangleMesh mesh = testing::icosphere(3);
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = 0.2F * vertex + Eigen::Vector3f(0.05F, 0, 0);
  return mesh;
}

class InitialMeshTest : public ::testing::Test {
 protected:
  InitialMeshTest() {
    sample_.views = {view_from_row({8, 8, std::vector<std::uint8_t>(256)}, {30, 20, 0, 0.75F, 0}),
                     view_from_row({8, 8, std::vector<std::uint8_t>(256)}, {120, 20, 0, 0.75F, 0})};
    sample_.source_from_world.scale = 30;
    sample_.source_from_world.translation = {5, -4, 3};
    sample_.fit_masks = testing::box_masks({0.14, 0.10, 0.12}, 5);
  }
  [[nodiscard]] InitialShape file(const std::string& name, const TriangleMesh& mesh) const {
    const MeshFormat format = mesh_format(name.substr(name.rfind('.') + 1));
    return {.kind = InitialShape::Kind::kFile, .file = folder_.write(name, encode_mesh(mesh, format, {}))};
  }
  [[nodiscard]] static RunOptions with(const InitialShape& initial, const FitViews& fit = {}) {
    return {.fit = fit, .initial = initial};
  }
  void start_from(const RunOptions& options) {
    note_ = set_initial_mesh(options, read_initial_mesh(options), 1, sample_);
  }

  TemporaryFolder folder_;
  Sample sample_;
  std::string note_;
};

TEST_F(InitialMeshTest, AFilesVerticesComeToTheWorldFromEveryFrame) {
  const TriangleMesh world = small_sphere();
  for (const Frame frame : {Frame::kWorld, Frame::kCamera0, Frame::kSource}) {
    TriangleMesh mesh = world;
    for (Eigen::Vector3f& vertex : mesh.vertices) {
      const Eigen::Vector3d point = vertex.cast<double>();
      if (frame == Frame::kCamera0) vertex = sample_.views[0].camera.cam_from_world(point).cast<float>();
      if (frame == Frame::kSource) vertex = sample_.source_from_world.transformed(point).cast<float>();
    }
    RunOptions options = with(file("mesh.ply", mesh));
    options.meshes.frame = frame;
    start_from(options);
    ASSERT_TRUE(sample_.initial_mesh);
    EXPECT_EQ(sample_.initial_mesh->triangles, world.triangles);
    for (std::size_t i = 0; i < world.vertices.size(); ++i) {
      EXPECT_LT((sample_.initial_mesh->vertices[i] - world.vertices[i]).norm(), 1e-5) << to_string(frame);
    }
    EXPECT_EQ(sample_.fit_masks.size(), 5U);
  }
  EXPECT_EQ(read_initial_mesh(with(file("mesh.obj", world))).frame, Frame::kCamera0) << "as predict writes it";
  EXPECT_EQ(read_initial_mesh(with(file("mesh.glb", world))).frame, Frame::kWorld);
  EXPECT_EQ(read_initial_mesh(with(file("mesh.stl", world))).sha256.size(), 64U);
}

TEST_F(InitialMeshTest, ASourceFarFromZeroKeepsItsDigits) {
  sample_.source_from_world.translation = {500'000.5, 4'500'000.25, 140};
  const TriangleMesh world = small_sphere();
  std::vector<Eigen::Vector3d> points;
  for (const Eigen::Vector3f& vertex : world.vertices) {
    points.push_back(sample_.source_from_world.transformed(vertex.cast<double>()));
  }
  const PlacedPoints placed_points = placed(points);
  const TriangleMesh mesh{
      .vertices = placed_points.points, .triangles = world.triangles, .origin = placed_points.origin};
  for (const char* name : {"a.obj", "a.ply", "a.glb"}) {
    RunOptions options = with(file(name, mesh));
    options.meshes.frame = Frame::kSource;
    start_from(options);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_LT((sample_.initial_mesh->vertices[i] - world.vertices[i]).norm(), 1e-6F) << name;
    }
  }
}

TEST_F(InitialMeshTest, PolygonsAreANote) {
  std::string text = encode_mesh(small_sphere(), MeshFormat::kObj, {});
  text += "f 1 2 3 4\n";
  start_from(with({.kind = InitialShape::Kind::kFile, .file = folder_.write("a.obj", text)}));
  EXPECT_HOLDS(note_, "a.obj: 1 face with more than 3 corners is cut into triangles");
}

TEST_F(InitialMeshTest, BadFilesAreALine) {
  const TriangleMesh good = small_sphere();
  const auto name = [&](const char* file) { return (folder_.path() / file).string(); };
  EXPECT_REFUSED(start_from(with({.kind = InitialShape::Kind::kFile, .file = "nowhere.ply"})),
                 "nowhere.ply: cannot be opened");
  EXPECT_REFUSED(start_from(with(file("a.obj", {good.vertices, {}}))),
                 name("a.obj") + ": has no triangle; expected a mesh");
  EXPECT_REFUSED(start_from(with(file("b.obj", testing::icosphere(1)))),
                 name("b.obj") + ": has 42 vertices; expected 100 to 200000");
  EXPECT_REFUSED(start_from(with(file("d.ply", testing::scaled(good, 40)))),
                 name("d.ply") +
                     ": is 27.7 across and 2 from the object's middle, where the object is 0.57 across; "
                     "expected coordinates of world, as --frame says");
  EXPECT_FALSE(sample_.initial_mesh);
}

TEST_F(InitialMeshTest, AHullIsOfAllMasks) {
  const InitialShape hull{.kind = InitialShape::Kind::kHull, .target_vertices = 600};
  EXPECT_EQ(views_read_for(with(hull)).kind, FitViews::Kind::kAll);
  EXPECT_EQ(views_read_for(with(hull, {FitViews::Kind::kAutomatic})).kind, FitViews::Kind::kAll);
  EXPECT_EQ(views_read_for(with(hull, {FitViews::Kind::kSame})).kind, FitViews::Kind::kSame);
  EXPECT_EQ(views_read_for({}).kind, FitViews::Kind::kNone);
  EXPECT_EQ(views_read_for({.surface = {.kind = SurfaceChoice::Kind::kVolume}}).kind, FitViews::Kind::kAll);
  EXPECT_EQ(views_read_for({.surface = {.kind = SurfaceChoice::Kind::kAutomatic}}).kind, FitViews::Kind::kNone);
  start_from(with(hull));
  EXPECT_NEAR(static_cast<double>(sample_.initial_mesh->vertices.size()), 600, 40);
  EXPECT_EQ(note_, "");
  std::ranges::fill(sample_.fit_masks[3].coverage, std::uint8_t{0});
  start_from(with(hull));
  EXPECT_EQ(note_, "hull: 1 of 5 masks are not used: mask 4: the mask is empty");
  sample_.fit_masks.clear();
  EXPECT_REFUSED(start_from(with(hull)), "0 of 0 masks show the object");
}

TEST_F(InitialMeshTest, AnEllipsoidIsStage1s) {
  start_from({});
  EXPECT_FALSE(sample_.initial_mesh);
  EXPECT_EQ(sample_.fit_masks.size(), 5U);
}

}  // namespace
}  // namespace p2mpp
