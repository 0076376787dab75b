#include "io/mesh/mesh_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tiny_obj_loader.h>

#include <Eigen/Geometry>
#include <bit>
#include <cmath>
#include <random>
#include <sstream>

#include "base/little_endian.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"
#include "support/comma_locale.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

/// Every float is as likely as any other: all exponents, subnormal numbers too.
Points random_points(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Points points(count);
  for (Eigen::Vector3f& point : points) {
    for (float& coordinate : point) {
      do coordinate = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      while (!std::isfinite(coordinate));
    }
  }
  return points;
}

/// Points as meshes have them.
Points usual_points(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> coordinate(-1, 1);
  Points points(count);
  for (Eigen::Vector3f& point : points) point = {coordinate(random), coordinate(random), coordinate(random)};
  return points;
}

void expect_same_bits(const Points& found, const Points& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(found[i][axis]), std::bit_cast<std::uint32_t>(expected[i][axis]))
          << found[i][axis] << ' ' << expected[i][axis];
    }
  }
}

Points to_points(const fs::path& path) { return read_mesh(path).vertices; }

TEST(FormatObj, AreTheTextsThatUsersAndNumpyExpect) {
  const TriangleMesh mesh{{{0, -0.5F, 1e-10F}, {1.0F / 3, 100, -8e8F}}, {{0, 1, 1}}};
  EXPECT_EQ(format_obj(mesh, "made by p2mpp\nframe: camera 0"),
            "# made by p2mpp\n# frame: camera 0\nv 0 -0.5 1.00000001e-10\nv 0.333333343 100 "
            "-800000000\nf 1 2 2\n");
  EXPECT_EQ(format_obj({}, ""), "");
  EXPECT_EQ(format_xyz({{{0, -0.5F, 1e-10F}, {1, 2, 3}}, {}}), "0 -0.5 1.00000001e-10\n1 2 3\n");
}

TEST(FormatObj, GivesTheSameFloatsBack) {
  const TemporaryFolder folder;
  for (const Points& points : {random_points(3000, 1), usual_points(30000, 2)}) {
    const TriangleMesh mesh{points, {{0, 1, 2999}}};
    const TriangleMesh read = read_mesh(folder.write("mesh.obj", format_obj(mesh, "")));
    expect_same_bits(read.vertices, points);
    EXPECT_EQ(read.triangles, mesh.triangles);
    expect_same_bits(to_points(folder.write("points.xyz", format_xyz({points, {}}))), points);
  }
}

TEST(FormatObj, IgnoresTheLocale) {
  const CommaLocale locale;
  EXPECT_EQ(format_xyz({{{0.5F, 1234567, 0}}, {}}), "0.5 1234567 0\n");
  EXPECT_EQ(format_obj({{}, {{1233, 0, 1}}}, ""), "f 1234 1 2\n");
  const TemporaryFolder folder;
  EXPECT_EQ(read_mesh(folder.write("mesh.obj", "v 0.5 1234567 0\n")).vertices.at(0), Eigen::Vector3f(0.5F, 1234567, 0));
  EXPECT_EQ(to_points(folder.write("points.xyz", "0.5 1234567 0\n")).at(0), Eigen::Vector3f(0.5F, 1234567, 0));
}

TEST(ReadMesh, TakesTheFirstThreeColumnsOfXyz) {
  const TemporaryFolder folder;
  const Points points =
      to_points(folder.write("A.XYZ", "\xef\xbb\xbf# x y z\r\n//X Y Z\r\n1 2 3 0.1 0.2 0.3\r\n\n+4 5e0 -6"));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1], Eigen::Vector3f(4, 5, -6));
}

TEST(ReadMesh, RefusesXyzWithoutThreeNumbersALine) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return to_points(folder.write("a.xyz", text)); };
  EXPECT_REFUSED(read("1 2 3\n1 2\n"), "a.xyz:2: '' where a coordinate should be");
  EXPECT_REFUSED(read("1 2 nan\n"), "a.xyz:1: 'nan' where a coordinate should be");
  EXPECT_REFUSED(read("1 2 1e39\n"), "'1e39'");
  EXPECT_REFUSED(read("1,2,3\n"), "'1,2,3'");
  EXPECT_REFUSED(read("# nothing\n"), "a.xyz: has no point");
}

TEST(ReadMesh, ReadsPicklesOfPoints) {
  const fs::path pickles = fs::path(P2MPP_TEST_DATA) / "io" / "pickles";
  for (const char* name : {"python2_points_protocol2.dat", "python2_pair_protocol2.dat", "python3_points_protocol5.dat",
                           "python3_pair_protocol4.dat"}) {
    const Points points = to_points(pickles / name);
    ASSERT_EQ(points.size(), 5u) << name;
    EXPECT_EQ(points[0], Eigen::Vector3f(-1.5F, -1, -0.5F)) << name;
    EXPECT_EQ(points[4], Eigen::Vector3f(10.5F, 11, 11.5F)) << name;
  }
}

TEST(ReadMesh, RefusesOtherPickles) {
  const fs::path pickles = fs::path(P2MPP_TEST_DATA) / "io" / "pickles";
  EXPECT_REFUSED(to_points(pickles / "python3_everything_protocol4.dat"), "arrays; expected the points or a pair");
  const TemporaryFolder folder;
  EXPECT_REFUSED(to_points(folder.write("a.dat", "cos\nsystem\n(S'true'\ntR.")),
                 "a.dat: names os.system, which is refused");
  const std::string flat =
      "(cnumpy\ndtype\n(S'f4'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntbp0\n0"
      "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I1\ntg0\nI00\nS'"
      "\\x00\\x00\\x80?'\ntbl.";
  EXPECT_REFUSED(to_points(folder.write("b.dat", flat)), "b.dat: holds an array of shape [1]; expected [N,3]");
}

TEST(ReadMesh, TakesNormalsWhereTheyAreUnitVectors) {
  const TemporaryFolder folder;
  const auto normals = [&](const std::string& text) { return read_mesh(folder.write("a.xyz", text)).normals; };
  const Points expected{{0, 0, 1}, {0.6F, -0.8F, 0}};
  EXPECT_EQ(normals("1 2 3 0 0 1\n4 5 6 0.6 -0.8 0 7\n"), expected);
  EXPECT_TRUE(normals("1 2 3 0 0 0.999\n").at(0).isApprox(Eigen::Vector3f(0, 0, 1)));
  EXPECT_TRUE(normals("1 2 3\n4 5 6\n").empty());
  EXPECT_TRUE(normals("1 2 3 0 0 1\n4 5 6\n").empty());          // not of every point
  EXPECT_TRUE(normals("1 2 3 255 0 0\n4 5 6 0 1 0\n").empty());  // colours
  EXPECT_TRUE(normals("1 2 3 0 0 1\n4 5 6 0 0 0\n").empty());    // no direction
  EXPECT_TRUE(normals("1 2 3 0 0 nan\n").empty());
}

TEST(ReadMesh, RefusesOtherExtensions) {
  const TemporaryFolder folder;
  EXPECT_REFUSED(read_mesh(folder.write("a.fbx", "")),
                 "a.fbx: '.fbx' is not a known format; expected .obj, .ply, .glb, .gltf, .stl, .off, .xyz or .dat");
  EXPECT_REFUSED(to_points(folder.write("none", "")), "none: '' is not a known format");
  EXPECT_REFUSED(to_points(folder.path() / "missing.obj"), "missing.obj: cannot be opened: no such file");
}

const MeshEncoding kWithNormals{.comment = "a comment", .normals = true};

TriangleMesh sphere() {
  TriangleMesh mesh = testing::icosphere(2);
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = vertex * 0.3F + Eigen::Vector3f(0.1F, -0.2F, -0.8F);
  return mesh;
}

/// Of the sphere's vertices.
Eigen::Vector3f outward(const Eigen::Vector3f& vertex) {
  return (vertex - Eigen::Vector3f(0.1F, -0.2F, -0.8F)).normalized();
}

TEST(MeshFile, NamesAreTheExtensions) {
  for (const MeshFormat format : kMeshFormats) EXPECT_EQ(mesh_format(to_string(format)), format);
  EXPECT_THROW(static_cast<void>(mesh_format("fbx")), UsageError);
  const TriangleMesh cloud{{{1, 2, 3}}, {}};
  EXPECT_REFUSED(encode_mesh(cloud, MeshFormat::kGlb, {}), "without triangles; expected some to be written as glb");
  EXPECT_REFUSED(encode_mesh(cloud, MeshFormat::kStl, {}), "without triangles; expected some to be written as stl");
  EXPECT_FALSE(encode_mesh(cloud, MeshFormat::kPly, kWithNormals).empty());
}

TEST(MeshFile, ObjWithNormalsIsWhatTinyobjloaderReads) {
  std::istringstream text(encode_mesh(sphere(), MeshFormat::kObj, kWithNormals));
  tinyobj::attrib_t attributes;
  std::vector<tinyobj::shape_t> shapes;
  std::vector<tinyobj::material_t> materials;
  std::string warning, error;
  ASSERT_TRUE(tinyobj::LoadObj(&attributes, &shapes, &materials, &warning, &error, &text)) << error;
  EXPECT_EQ(warning + error, "");
  ASSERT_EQ(attributes.normals.size(), attributes.vertices.size());
  for (std::size_t i = 0; i < attributes.vertices.size(); i += 3) {
    const Eigen::Vector3f vertex(attributes.vertices[i], attributes.vertices[i + 1], attributes.vertices[i + 2]);
    const Eigen::Vector3f normal(attributes.normals[i], attributes.normals[i + 1], attributes.normals[i + 2]);
    EXPECT_GT(normal.dot(outward(vertex)), 0.99F);
  }
  for (const tinyobj::index_t& index : shapes.at(0).mesh.indices) EXPECT_EQ(index.vertex_index, index.normal_index);
}

TEST(MeshFile, ObjAndPlyComeBackTheSame) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = sphere();
  for (const MeshFormat format : {MeshFormat::kObj, MeshFormat::kPly}) {
    for (const MeshEncoding& encoding : {MeshEncoding{}, kWithNormals}) {
      const std::string name = "mesh." + std::string(to_string(format));
      const TriangleMesh back = read_mesh(folder.write(name, encode_mesh(mesh, format, encoding)));
      EXPECT_EQ(back.vertices, mesh.vertices) << name;
      EXPECT_EQ(back.triangles, mesh.triangles) << name;
      if (format == MeshFormat::kPly) {
        ASSERT_EQ(back.normals.size(), encoding.normals ? mesh.vertices.size() : 0);
        for (std::size_t i = 0; i < back.normals.size(); ++i) {
          EXPECT_GT(back.normals[i].dot(outward(mesh.vertices[i])), 0.99F);
        }
      }
    }
  }
}

// Map coordinates: millions of metres from zero, where a float's step is half a metre.
TEST(MeshFile, CoordinatesFarFromZeroKeepTheirDigits) {
  const TemporaryFolder folder;
  TriangleMesh mesh = sphere();
  mesh.origin = {500'000.25, 4'500'000.5, 140};
  for (const MeshFormat format : {MeshFormat::kObj, MeshFormat::kXyz, MeshFormat::kPly, MeshFormat::kGlb}) {
    const std::string name = fmt::format("a.{}", to_string(format));
    const TriangleMesh back = read_mesh(folder.write(name, encode_mesh(mesh, format, {})));
    EXPECT_FALSE(back.origin.isZero()) << name;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
      const Eigen::Vector3d expected = mesh.origin + mesh.vertices[i].cast<double>(),
                            found = back.origin + back.vertices[i].cast<double>();
      ASSERT_LT((found - expected).norm(), 5e-7) << name;
    }
  }
  EXPECT_HOLDS(encode_mesh(mesh, MeshFormat::kXyz, {}), "500000.");
  const TriangleMesh stl = read_mesh(folder.write("a.stl", encode_mesh(mesh, MeshFormat::kStl, {})));
  EXPECT_LT((stl.vertices[0].cast<double>() - mesh.origin).norm(), 2) << "floats alone";
}

float float_at(std::string_view bytes, std::size_t place) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(bytes.substr(place, 4))));
}

Eigen::Vector3f vector_at(std::string_view bytes, std::size_t place) {
  return {float_at(bytes, place), float_at(bytes, place + 4), float_at(bytes, place + 8)};
}

TEST(MeshFile, StlHoldsEachTrianglesCornersAndNormal) {
  const TriangleMesh mesh = sphere();
  const std::string bytes = encode_mesh(mesh, MeshFormat::kStl, {});
  ASSERT_EQ(bytes.size(), 84 + 50 * mesh.triangles.size());
  EXPECT_FALSE(bytes.starts_with("solid"));
  EXPECT_EQ(little_endian(std::string_view(bytes).substr(80, 4)), mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const std::size_t place = 84 + 50 * t;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      EXPECT_EQ(vector_at(bytes, place + 12 + 12 * corner),
                mesh.vertices[static_cast<std::size_t>(mesh.triangles[t][corner])]);
    }
    const Eigen::Vector3f normal = vector_at(bytes, place), middle = vector_at(bytes, place + 12);
    EXPECT_NEAR(normal.norm(), 1, 1e-5);
    EXPECT_GT(normal.dot(outward(middle)), 0.9F);
  }
}

TEST(MeshFile, StlOfATriangleWithoutAreaHasNoNormal) {
  const std::string bytes = encode_mesh({{{1, 1, 1}, {1, 1, 1}, {2, 2, 2}}, {{0, 1, 2}}}, MeshFormat::kStl, {});
  EXPECT_EQ(vector_at(bytes, 84), Eigen::Vector3f::Zero());
}

}  // namespace

}  // namespace p2mpp
