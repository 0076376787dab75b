#include <gtest/gtest.h>

#include <cctype>
#include <limits>
#include <sstream>

#include "base/little_endian.h"
#include "io/mesh/mesh_formats.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

TriangleMesh parsed_stl(const std::string& bytes) { return parse_stl(bytes, "file.stl"); }

TEST(ParseStl, JoinsCornersInOnePlace) {
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0F, 0, 0}, {9, 9, 9}}, {{2, 1, 0}, {1, 2, 3}}};
  const TriangleMesh back = parsed_stl(format_stl(mesh));
  EXPECT_EQ(back.vertices, (Points{{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(back.triangles, (std::vector<Triangle>{{0, 1, 2}, {1, 0, 2}}));
}

TEST(ParseStl, ReadsWhatOtherProgramsPutIntoTheFile) {
  std::string bytes = format_stl(testing::icosphere(1));
  bytes.replace(0, 5, "solid");
  EXPECT_EQ(parsed_stl(bytes).triangles.size(), 80U);
  EXPECT_EQ(parsed_stl(format_stl(testing::icosphere(1)) + "made by a CAD program").triangles.size(), 80U);
}

TEST(FormatStl, NamesTheFrame) {
  const std::string bytes = format_stl(testing::icosphere(0), "p2mpp 1.0, model a, frame b (clean), frame world");
  EXPECT_EQ(bytes.substr(0, 80), std::string("binary STL by p2mpp, frame world") + std::string(48, ' '));
  EXPECT_EQ(bytes.substr(80), format_stl(testing::icosphere(0)).substr(80));
  EXPECT_EQ(parsed_stl(format_stl(testing::icosphere(0), ", frame " + std::string(200, 'x'))).triangles.size(), 20U);
}

std::string text_stl(const TriangleMesh& mesh) {
  std::ostringstream text;
  text.precision(17);
  text << "solid vertex facet\n";
  for (const Triangle& triangle : mesh.triangles) {
    text << "  facet normal nan 0 1\n    outer loop\n";
    for (const std::int32_t vertex : triangle) {
      text << "      vertex " << mesh.vertices[static_cast<std::size_t>(vertex)].transpose() << "\n";
    }
    text << "    endloop\n  endfacet\n";
  }
  text << "endsolid vertex facet\n";
  return text.str();
}

TEST(ParseStl, ReadsText) {
  const TriangleMesh mesh = testing::icosphere(1), binary = parsed_stl(format_stl(mesh));
  const std::string text = text_stl(mesh);
  EXPECT_EQ(parsed_stl(text).vertices, binary.vertices);
  EXPECT_EQ(parsed_stl(text).triangles, binary.triangles);
  EXPECT_REFUSED(parsed_stl(text.substr(0, text.rfind("endloop"))), "is cut off; expected an STL with triangles");
  EXPECT_REFUSED(parsed_stl("solid\nfacet\nvertex 1 2 x\n"), "file.stl:3: a vertex with 'x'");
  EXPECT_REFUSED(parsed_stl("solid no facet\nendsolid\n"), "has no triangle");
  EXPECT_GT(survive_mutations(text_stl(testing::icosphere(0)), 5'000, 13, parsed_stl), 100);
}

TEST(ParseStl, ReadsTextInCapitalsAndAfterEmptyLines) {
  const std::string text = text_stl(testing::icosphere(1)), name = "solid vertex facet\n";
  std::string capitals = text;
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const TriangleMesh plain = parsed_stl(text);
  for (const std::string& other : {capitals, "\r\n \n\t Solid ball\n" + text.substr(name.size())}) {
    EXPECT_EQ(parsed_stl(other).vertices, plain.vertices);
    EXPECT_EQ(parsed_stl(other).triangles, plain.triangles);
  }
  MeshReading reading;
  const std::string narrow = "solid\nfacet\nvertex 1 2 3\nendfacet\n" + text.substr(name.size());
  EXPECT_EQ(parse_stl(narrow, "a.stl", &reading).triangles, plain.triangles);
  EXPECT_EQ(reading.notes, std::vector<std::string>{"1 face with fewer than 3 corners is left out"});
}

TEST(ParseStl, RefusesWhatIsNoStl) {
  const std::string good = format_stl(testing::icosphere(0));
  EXPECT_REFUSED(parsed_stl(""), "file.stl: is cut off; expected an STL with triangles");
  EXPECT_REFUSED(parsed_stl(good.substr(0, good.size() - 1)), "has 1083 bytes where 20 triangles take 1084");
  EXPECT_REFUSED(parsed_stl(format_stl({})), "has no triangle");
  std::string bad = good.substr(0, 96);
  append_little_endian(bad, std::numeric_limits<float>::quiet_NaN());
  EXPECT_REFUSED(parsed_stl(bad + good.substr(100)), "file.stl: triangle 0 is not finite");
  const std::string bytes = format_stl(testing::icosphere(0));
  EXPECT_GT(survive_mutations(bytes, 20'000, 11, parsed_stl), 100);
}

}  // namespace
}  // namespace p2mpp
