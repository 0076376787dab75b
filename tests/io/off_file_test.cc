#include <gtest/gtest.h>

#include "io/mesh/mesh_formats.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

const std::string kOffBody = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 2 3\n";

TriangleMesh parsed_off(const std::string& text) { return parse_off(text, "file.off"); }

/// ModelNet has counts on the first line, without a blank before them; others have comments or no OFF at all.
TEST(ParseOff, ReadsAllHeads) {
  for (const char* head : {"OFF\n4 2 0\n", "OFF 4 2 0\n", "OFF4 2 0\n", "# a\nOFF # b\n\n4 2\n", "4 2 0\n",
                           "\xef\xbb\xbfOFF\r\n4 2 0\r\n"}) {
    const TriangleMesh mesh = parsed_off(head + kOffBody);
    EXPECT_EQ(mesh.vertices, (Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})) << head;
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}})) << head;
    EXPECT_TRUE(mesh.colours.empty() && !mesh.texture);
  }
}

TEST(ParseOff, ReadsColoursAndNormalsOfVertices) {
  const std::vector<Colour> expected{{255, 0, 51}, {0, 255, 0}, {0, 0, 255}};
  const std::string face = "3 0 1 2\n";
  EXPECT_EQ(parsed_off("COFF\n3 1 0\n0 0 0 255 0 51 255\n1 0 0 0 255 0 255\n0 1 0 0 0 255 255\n" + face).colours,
            expected);
  const TriangleMesh mesh =
      parsed_off("CNOFF\n3 1 0\n0 0 0 0 0 2 1 0 0.2\n1 0 0 0 0 1 0 1 0\n0 1 0 0 1 0 0 0 1\n" + face);
  EXPECT_EQ(mesh.colours, expected);
  EXPECT_EQ(mesh.normals, (Points{{0, 0, 1}, {0, 0, 1}, {0, 1, 0}}));
}

TEST(ParseOff, CutsPolygonsAndLeavesOutFacesOfTwoCorners) {
  MeshReading reading;
  const TriangleMesh mesh =
      parse_off("OFF\n4 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n2 0 1\n3 0 2 3\n", "a.off", &reading);
  EXPECT_EQ(mesh.triangles.size(), 3U);
  EXPECT_EQ(reading.notes, (std::vector<std::string>{"1 face with more than 3 corners is cut into triangles",
                                                     "1 face with fewer than 3 corners is left out"}));
}

TEST(ParseOff, RefusesWhatItCannotRead) {
  EXPECT_REFUSED(parsed_off(""), "file.off:0: is cut off; expected an OFF mesh");
  EXPECT_REFUSED(parsed_off("solid\n"), "file.off:1: does not begin with OFF");
  EXPECT_REFUSED(parsed_off("OFF BINARY\n"), "is binary, which p2mpp does not read");
  EXPECT_REFUSED(parsed_off("4OFF\n1 0 0\n"), "is of the kind '4OFF', which p2mpp does not read");
  EXPECT_REFUSED(parsed_off("OFF\n4 -2 0\n"), "file.off:2: '-2' is not a number of elements");
  EXPECT_REFUSED(parsed_off("OFF\n1 0 0\n0 0 x\n"), "file.off:3: 'x' is not a number");
  EXPECT_REFUSED(parsed_off("OFF\n1 0 0\n0 0 nan\n"), "file.off:3: a vertex is not finite");
  EXPECT_REFUSED(parsed_off("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"), "file.off:6: a face names vertex 3 of 3");
  EXPECT_REFUSED(parsed_off("OFF\n4 2 0\n0 0 0\n"), "is cut off");
  EXPECT_REFUSED(parsed_off("OFF\n0 0 0\n"), "has no vertex");
}

TEST(ParseOff, SurvivesMutations) {
  const std::string text = "COFF\n3 2 0\n0 0 0 1 0 0\n1 0 0 0 1 0\n0 1 0 0 0 1\n3 0 1 2 0.5 0.5 0.5\n3 2 1 0 7\n";
  const auto read = [](const std::string& bytes) { testing::expect_whole(parsed_off(bytes)); };
  EXPECT_GT(survive_mutations(text, 5'000, 3, read), 100);
}

}  // namespace
}  // namespace p2mpp
