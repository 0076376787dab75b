#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "io/mesh/mesh_formats.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

/// Appends a number's bytes in a byte order.
template <typename T>
void put(std::string& bytes, T value, std::endian order) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
  bytes.append(raw, sizeof(T));
}

std::string header(const std::string& format, const std::string& rest) {
  return "ply\nformat " + format + " 1.0\ncomment made by hand\n" + rest + "end_header\n";
}

/// Two points with extra properties between the coordinates, an element in between, one triangle.
std::string binary(std::endian order) {
  std::string bytes =
      header(order == std::endian::big ? "binary_big_endian" : "binary_little_endian",
             "element camera 1\nproperty list uint8 int16 history\nproperty float64 angle\n"
             "element vertex 3\nproperty double x\nproperty uchar red\nproperty list int float weights\n"
             "property float y\nproperty short z\n"
             "element face 1\nproperty uchar flags\nproperty list uchar uint vertex_indices\n");
  put<std::uint8_t>(bytes, 2, order);
  put<std::int16_t>(bytes, -7, order);
  put<std::int16_t>(bytes, 8, order);
  put(bytes, 0.25, order);
  for (int i = 0; i < 3; ++i) {
    put(bytes, i + 0.5, order);
    put<std::uint8_t>(bytes, 200, order);
    put<std::int32_t>(bytes, i, order);
    for (int weight = 0; weight < i; ++weight) put(bytes, 9.0F, order);
    put(bytes, -1.5F * static_cast<float>(i), order);
    put<std::int16_t>(bytes, static_cast<std::int16_t>(-i), order);
  }
  put<std::uint8_t>(bytes, 1, order);
  put<std::uint8_t>(bytes, 3, order);
  for (const std::uint32_t vertex : {2u, 0u, 1u}) put(bytes, vertex, order);
  return bytes;
}

const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";
const std::string kTriangleHeader =
    header("ascii", "element vertex 3\n" + kXyz + "element face 1\nproperty list uchar int vertex_index\n");

TriangleMesh parsed_ply(const std::string& bytes) { return parse_ply(bytes, "file.ply"); }

TEST(ParsePly, ReadsBothByteOrders) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const TriangleMesh mesh = parsed_ply(binary(order));
    ASSERT_EQ(mesh.vertices.size(), 3u);
    EXPECT_EQ(mesh.vertices[2], Eigen::Vector3f(2.5F, -3, -2));
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{2, 0, 1}}));
  }
}

TEST(ParsePly, ReadsAscii) {
  const TriangleMesh mesh = parsed_ply(kTriangleHeader + "0 0 0\n1 0 0\r\n0 1e-3 0\n3 0 1 2");
  EXPECT_EQ(mesh.vertices.at(2), Eigen::Vector3f(0, 1e-3F, 0));
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
  std::string text = kTriangleHeader;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, 1, '\r');
  EXPECT_EQ(parsed_ply(text + "0 0 0 1 0 0 0 1 0 3 0 1 2").triangles.size(), 1u);
}

TEST(ParsePly, CutsPolygonsIntoTriangles) {
  MeshReading reading;
  const std::string polygon = kTriangleHeader + "0 0 0\n1 0 0\n0 1 0\n4 0 1 2 0\n";
  EXPECT_EQ(parse_ply(polygon, "file.ply", &reading).triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 0}}));
  EXPECT_EQ(reading.notes, std::vector<std::string>{"1 face with more than 3 corners is cut into triangles"});
  EXPECT_EQ(parse_ply_points(polygon, "file.ply").size(), 3u);
}

TEST(ParsePly, LeavesOutFacesOfTwoCorners) {
  MeshReading reading;
  const std::string narrow =
      header("ascii", "element vertex 3\n" + kXyz + "element face 3\nproperty list uchar int vertex_indices\n");
  EXPECT_EQ(parse_ply(narrow + "0 0 0\n1 0 0\n0 1 0\n2 0 1\n3 0 1 2\n0\n", "file.ply", &reading).triangles,
            (std::vector<Triangle>{{0, 1, 2}}));
  EXPECT_EQ(reading.notes, std::vector<std::string>{"2 faces with fewer than 3 corners are left out"});
}

TEST(ParsePly, ReadsColours) {
  const auto colours = [](const std::string& type, const std::string& rows) {
    const std::string property = "property " + type, rgb = property + " red\n" + property + " green\n" + property;
    const std::string text = header("ascii", "element vertex 2\n" + kXyz + rgb + " blue\n");
    return parsed_ply(text + rows).colours;
  };
  const std::vector<Colour> expected{{255, 0, 128}, {1, 2, 3}};
  EXPECT_EQ(colours("uchar", "0 0 0 255 0 128\n0 0 0 1 2 3\n"), expected);
  EXPECT_EQ(colours("float", "0 0 0 1 0 0.502\n0 0 0 0.004 0.008 0.012\n"), expected);
  EXPECT_EQ(colours("ushort", "0 0 0 65535 0 32896\n0 0 0 257 514 771\n"), expected);
  // Bytes in other types, and a dark mesh of bytes.
  EXPECT_EQ(colours("float", "0 0 0 255 0 128\n0 0 0 1 2 3\n"), expected);
  EXPECT_EQ(colours("ushort", "0 0 0 255 0 128\n0 0 0 1 2 3\n"), expected);
  EXPECT_EQ(colours("uchar", "0 0 0 1 0 1\n0 0 0 0 0 1\n"), (std::vector<Colour>{{1, 0, 1}, {0, 0, 1}}));
}

TEST(ParsePly, SkipsWhatIsNotANumberInColumnsThatNobodyNeeds) {
  const std::string text = header("ascii",
                                  "element vertex 2\nproperty float x\nproperty float quality\nproperty float y\n"
                                  "property float z\nproperty float nx\nproperty float ny\nproperty float nz\n");
  const TriangleMesh mesh = parsed_ply(text + "0 nan 1 2 NaN nan nan\n3 -inf 4 5 0 0 1\n");
  EXPECT_EQ(mesh.vertices, (Points{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(mesh.normals, (Points{{0, 0, 0}, {0, 0, 1}}));
  EXPECT_TRUE(parsed_ply(text + "0 0 1 2 nan nan nan\n3 0 4 5 nan nan nan\n").normals.empty());
  EXPECT_EQ(parsed_ply(text + "0 1e999 1 2 0 0 0\n3 -nan(ind) 4 5 1.#QNAN 0 0\n").vertices.size(), 2U);
  EXPECT_REFUSED(parsed_ply(text + "0 0 nan 2 0 0 1\n3 0 4 5 0 0 1\n"), "file.ply: vertex 0 is not finite");
  EXPECT_REFUSED(parsed_ply(text + "0 zero 1 2 0 0 1\n3 0 4 5 0 0 1\n"), "'zero' is not a number");
}

TEST(ParsePly, ReadsNormals) {
  const std::string text = header("ascii",
                                  "element vertex 3\nproperty float nz\nproperty float x\nproperty float y\n"
                                  "property float z\nproperty float nx\nproperty float ny\n");
  const TriangleMesh mesh = parsed_ply(text + "0 1 2 3 2 0\n1 4 5 6 0 0\n0 7 8 9 0 0\n");
  EXPECT_EQ(mesh.vertices.at(1), Eigen::Vector3f(4, 5, 6));
  EXPECT_EQ(mesh.normals, (Points{{1, 0, 0}, {0, 0, 1}, {0, 0, 0}}));
  EXPECT_TRUE(parsed_ply(binary(std::endian::little)).normals.empty());
}

TEST(ParsePly, RefusesBrokenHeaders) {
  EXPECT_REFUSED(parsed_ply(""), "file.ply:0: does not begin with 'ply'");
  EXPECT_REFUSED(parsed_ply("plyx\n"), "file.ply:1: does not begin with 'ply'");
  EXPECT_REFUSED(parsed_ply("ply\nformat ascii 1.0\n"), "no end_header");
  EXPECT_REFUSED(parsed_ply("ply\nformat middle_endian 1.0\n"), "file.ply:2: format 'middle_endian' is unknown");
  EXPECT_REFUSED(parsed_ply("ply\nelement vertex 1\n" + kXyz + "end_header\n1 2 3"), "the header has no format");
  EXPECT_REFUSED(parsed_ply(header("ascii", "element vertex -1\n")), "element count '-1' is not a number");
  EXPECT_REFUSED(parsed_ply(header("ascii", "element vertex 99999999999999999999\n")), "is not a number");
  EXPECT_REFUSED(parsed_ply(header("ascii", "property float x\n")), "a property before the first element");
  EXPECT_REFUSED(parsed_ply(header("ascii", "element vertex 1\nproperty float128 x\n")), "type 'float128' is unknown");
  EXPECT_REFUSED(parsed_ply(header("ascii", "element vertex 1\nproperty list float int x\n")),
                 "a list's count is not an integer");
  EXPECT_REFUSED(parsed_ply(header("ascii", "element vertex 1\nproperty float\n")), "a property without a name");
  EXPECT_REFUSED(parsed_ply(header("ascii", "element vertex 18446744073709551615\n")), "an element without properties");
  EXPECT_REFUSED(parsed_ply(header("ascii", "colour red\n")), "'colour' is unknown in a header");
}

TEST(ParsePly, RefusesFilesWithoutVerticesAndCountsThatTheFileCannotHold) {
  EXPECT_REFUSED(parsed_ply(header("ascii", "")), "file.ply: has no vertex");
  EXPECT_REFUSED(parsed_ply(header("ascii", "element vertex 1\nproperty float x\nproperty float y\n") + "1 2"),
                 "have no x, y and z");
  EXPECT_REFUSED(
      parsed_ply(header("ascii", "element vertex 1\nproperty float x\nproperty float y\nproperty list int int z\n") +
                 "1 2 0"),
      "have no x, y and z");
  const std::string text = header("binary_little_endian", "element vertex 18446744073709551615\n" + kXyz);
  EXPECT_REFUSED(parsed_ply(text + std::string(24, '\0')), "file.ply: is cut off");
  const std::string lists = header("binary_little_endian", "element vertex 1\nproperty list uint uchar x\n" + kXyz);
  EXPECT_REFUSED(parsed_ply(lists + "\xff\xff\xff\xff"), "is cut off");
  const std::string signed_lists = header("binary_little_endian", "element camera 1\nproperty list char uchar x\n");
  EXPECT_REFUSED(parsed_ply(signed_lists + "\xff"), "a list of negative or broken length");
}

TEST(ParsePly, RefusesEveryTruncation) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const std::string bytes = binary(order);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_THROW(parsed_ply(bytes.substr(0, length)), InputError) << length;
    }
  }
}

TEST(ParsePly, RefusesCoordinatesThatAreNotFinite) {
  EXPECT_REFUSED(parsed_ply(kTriangleHeader + "0 0 0 nan 0 0 0 1 0 3 0 1 2"), "vertex 1 is not finite");
  EXPECT_REFUSED(parsed_ply(kTriangleHeader + "0 0 0 1e39 0 0 0 1 0 3 0 1 2"), "vertex 1 is not finite");
  std::string bytes = header("binary_big_endian", "element vertex 1\n" + kXyz);
  for (const float value : {0.0F, NAN, 0.0F}) put(bytes, value, std::endian::big);
  EXPECT_REFUSED(parsed_ply(bytes), "vertex 0 is not finite");
  for (const char* vertex : {"3", "-1", "0.5", "1e30"}) {
    EXPECT_REFUSED(parsed_ply(kTriangleHeader + "0 0 0 1 0 0 0 1 0 3 0 1 " + vertex), "a face names vertex ");
  }
}

TEST(ParsePly, SurvivesMutations) {
  for (const std::string& bytes :
       {binary(std::endian::little), binary(std::endian::big), kTriangleHeader + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"}) {
    const auto read = [](const std::string& damaged) { testing::expect_whole(parsed_ply(damaged)); };
    EXPECT_GT(survive_mutations(bytes, 5000, 3, read), 100);
  }
}

}  // namespace
}  // namespace p2mpp
