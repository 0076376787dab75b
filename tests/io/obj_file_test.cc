#include <gtest/gtest.h>

#include "io/mesh/mesh_formats.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

const std::string kVertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

TriangleMesh parsed_obj(const std::string& text) { return parse_obj(text, "file.obj"); }

TEST(ParseObj, ReadsVerticesAndTriangles) {
  const TriangleMesh mesh = parsed_obj("# comment\r\n" + kVertices + "f 1 2 3\n  f\t1 3 4 # side\r\n");
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[3], Eigen::Vector3f(0, 0, 1));
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(ParseObj, ReadsEveryWayToNameACorner) {
  const std::string text =
      kVertices + "vt 0 0\nvn 0 0 1\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 3/1/1\nf -4 -3 -2\n";
  EXPECT_EQ(parsed_obj(text).triangles, std::vector<Triangle>(4, Triangle{0, 1, 2}));
  EXPECT_EQ(parsed_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 9 9 9\n").triangles,
            (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(ParseObj, IgnoresEverythingElse) {
  const TriangleMesh mesh = parsed_obj(
      "mtllib /etc/passwd\no name\nv 1e-3 +2. -.5 0.1 0.2 0.3\nv 1 2 3 1\nv 4 5 6\nvw 0 -1 2\n"
      "t crease 1/1/1 9\nusemtl a\ng\nl 1 2\np 9 0\ns off\nf 1 2 3\ng more\nf 3 2 1\nvertex f\n");
  EXPECT_EQ(mesh.vertices.at(0), Eigen::Vector3f(1e-3F, 2, -0.5F));
  EXPECT_EQ(mesh.vertices.size(), 3u);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {2, 1, 0}}));
}

TEST(ParseObj, CutsPolygonsIntoTriangles) {
  MeshReading reading;
  const TriangleMesh mesh = parse_obj(kVertices + "f 1 2 3\nf 1 2 4 3\nf 1/1 2/1 3/1 4/1 2/1\n", "a.obj", &reading);
  EXPECT_EQ(mesh.triangles.size(), 6U);
  EXPECT_EQ(mesh.triangles[0], (Triangle{0, 1, 2}));
  EXPECT_EQ(reading.notes, std::vector<std::string>{"2 faces with more than 3 corners are cut into triangles"});
}

TEST(ParseObj, LeavesOutFacesOfTwoCorners) {
  MeshReading reading;
  EXPECT_EQ(parse_obj(kVertices + "f 1 2 3\nf 1 2\nf\nf 2 3 4\n", "a.obj", &reading).triangles,
            (std::vector<Triangle>{{0, 1, 2}, {1, 2, 3}}));
  EXPECT_EQ(reading.notes, std::vector<std::string>{"2 faces with fewer than 3 corners are left out"});
}

TEST(ParseObj, JoinsContinuedLines) {
  const TriangleMesh mesh = parsed_obj("v 0 0 \\\n0\nv 1 0 0 \\  \r\nv 9 9 9\nv 0 1 0\nf 1 \\\n2 \\\n3\n\\\n");
  EXPECT_EQ(mesh.vertices, (Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
  EXPECT_REFUSED(parsed_obj("v 0 0 0\nv \\\n1 x 0\n"), "file.obj:2: a vertex with 'x'");
  EXPECT_EQ(parsed_obj("\xef\xbb\xbfv 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r").triangles.size(), 1U);
}

TEST(ParseObj, ReadsColoursAfterTheCoordinates) {
  EXPECT_EQ(parsed_obj("v 0 0 0 1 0.5 0\nv 1 0 0 0 0 0.2\n").colours, (std::vector<Colour>{{255, 128, 0}, {0, 0, 51}}));
  EXPECT_EQ(parsed_obj("v 0 0 0 255 128 0\nv 1 0 0 0 1 51\n").colours,
            (std::vector<Colour>{{255, 128, 0}, {0, 1, 51}}));
  EXPECT_EQ(parsed_obj("v 0 0 0 1 0.5 0 1\nv 1 0 0 0 0 0.2 0.5\n").colours,
            (std::vector<Colour>{{255, 128, 0}, {0, 0, 51}}));
  MeshReading reading;
  EXPECT_EQ(parse_obj("v 0 0 0 1 0.5 0\nv 1 0 0\nv 1 1 0 0.5\n", "a.obj", &reading).colours,
            (std::vector<Colour>{{255, 128, 0}, {200, 200, 200}, {200, 200, 200}}));
  EXPECT_EQ(reading.notes, std::vector<std::string>{"2 of 3 vertices have no colour, and become grey"});
  EXPECT_TRUE(parsed_obj(kVertices).triangles.empty());
}

TEST(ParseObj, RefusesWhatIsNoMeshOfTriangles) {
  for (const auto& refused : std::initializer_list<std::pair<std::string, const char*>>{
           {"", "file.obj: has no vertex; expected an OBJ mesh"},
           {"f 1 2 3\n", "has no vertex"},
           {"\x89PNG\r\n", "has no vertex"},
           {"v 1 2\r3\nv 0 0 x", ":2: a vertex with 'x'"},
           {kVertices + "f 1 2 3\nf 1 2 5\n", "file.obj: face 2 names vertex 5; expected 1 to 4"},
           {kVertices + "f 1 2 -5\n", "face 1 names vertex 0"},
           {kVertices + "f 2147483647 -2147483648 1\n", "file.obj: "}}) {
    EXPECT_REFUSED(parsed_obj(refused.first), refused.second);
  }
  for (const char* line : {"v 1 2", "v", "v nan 0 0", "v 0 inf 0", "v 1e39 0 0", "v 1,5 0 0", "v 0x1 0 0", "v 1 2 a"}) {
    EXPECT_REFUSED(parsed_obj(kVertices + line), "file.obj:5: a vertex with '");
  }
  for (const char* corner :
       {"0/1", "a/1", "+1/1", "/1", "1x/1", "1/x/1", "1.0/1", "4294967297/1", "-4294967295/1", "18446744073709551617/1",
        "1/4294967297", "1//18446744073709551617", "1/0", "1/2/3/x", "1/--2"}) {
    EXPECT_REFUSED(parsed_obj(kVertices + "f " + corner + " 2 3\n"), std::string("file.obj:5: a corner '") + corner);
  }
  EXPECT_EQ(parsed_obj(kVertices + "f 1/7/8 2//8 3/-1\nf 1/ 2 3//\n").triangles.size(), 2U);
}

TEST(ParseObj, SurvivesMutations) {
  const std::string text =
      "# x\n" + kVertices + "vt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3//1\nf -4 -3 -1\nvw 0 1 2\nt a 1/1/1 1 1 b\n";
  const auto read = [](const std::string& bytes) { testing::expect_whole(parsed_obj(bytes)); };
  EXPECT_GT(survive_mutations(text, 20'000, 1, read), 1000);
}

}  // namespace
}  // namespace p2mpp
