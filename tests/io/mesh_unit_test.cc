#include <gtest/gtest.h>

#include "io/mesh/mesh_file.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::tetrahedron;

TEST(MeshUnit, LengthsAreNumbersWithAUnit) {
  for (const auto& [text, metres] : {std::pair{"1.2mm", 0.0012},
                                     {"12 cm", 0.12},
                                     {" 0.5in ", 0.0127},
                                     {"3m", 3.0},
                                     {"mm", 0.001},
                                     {"m", 1.0},
                                     {"1e3mm", 1.0}}) {
    const std::optional<double> found = parse_length(text);
    ASSERT_TRUE(found) << text;
    EXPECT_DOUBLE_EQ(*found, metres) << text;
  }
  for (const char* text : {"", "1.2", "0mm", "-1mm", "1km", "nanmm", "1e400m", "1e-330mm", "mm1", "1 2mm"}) {
    EXPECT_FALSE(parse_length(text)) << text;
  }
}

TEST(MeshUnit, TextsComeBack) {
  for (const double metres : {0.001, 0.01, 0.0254, 1.0, 0.0573, 0.0012, 123.4}) {
    const std::optional<double> found = parse_length(length_text(metres));
    ASSERT_TRUE(found) << length_text(metres);
    EXPECT_NEAR(*found, metres, 1e-9 * metres);
  }
  EXPECT_EQ(length_text(0.0573), "57.3mm");
}

/// The height of a tetrahedron that is 2 high, written by a format and read again.
float height_of(MeshFormat format, const MeshEncoding& encoding) {
  const TemporaryFolder folder;
  const std::string name = "a." + std::string(to_string(format));
  const TriangleMesh mesh = read_mesh(folder.write(name, encode_mesh(tetrahedron(), format, encoding)));
  float low = mesh.vertices[0].y(), high = low;
  for (const Eigen::Vector3f& vertex : mesh.vertices) {
    low = std::min(low, vertex.y());
    high = std::max(high, vertex.y());
  }
  return high - low;
}

TEST(MeshUnit, FormatsWithAUnitAreWrittenInIt) {
  const MeshEncoding centimetres{.metres_per_unit = 0.01};
  EXPECT_FLOAT_EQ(height_of(MeshFormat::kGlb, centimetres), 0.02F);
  EXPECT_FLOAT_EQ(height_of(MeshFormat::kStl, centimetres), 20);
  EXPECT_FLOAT_EQ(height_of(MeshFormat::kObj, centimetres), 2);
  EXPECT_FLOAT_EQ(height_of(MeshFormat::kPly, centimetres), 2);
  EXPECT_FLOAT_EQ(height_of(MeshFormat::kGlb, {}), 2) << "unknown: the numbers stay";
}

TEST(MeshUnit, FilesSayTheirUnit) {
  const MeshEncoding encoding{.comment = "made by a test", .metres_per_unit = 0.0573};
  const std::string obj = encode_mesh(tetrahedron(), MeshFormat::kObj, encoding);
  EXPECT_TRUE(obj.starts_with("# unit: 57.3mm\n# made by a test\n")) << obj.substr(0, 60);
  EXPECT_NE(encode_mesh(tetrahedron(), MeshFormat::kPly, encoding).find("comment unit: 57.3mm; made by a test\n"),
            std::string::npos);
  const auto unit_of = [](std::string_view bytes, const char* name) {
    return parse_noted_mesh(bytes, name).metres_per_unit;
  };
  ASSERT_TRUE(unit_of(obj, "a.obj"));
  EXPECT_DOUBLE_EQ(*unit_of(obj, "a.obj"), 0.0573);
  EXPECT_EQ(unit_of(encode_mesh(tetrahedron(), MeshFormat::kObj, {.comment = "unit"}), "a.obj"), std::nullopt);
  EXPECT_EQ(unit_of(encode_mesh(tetrahedron(), MeshFormat::kGlb, {}), "a.glb"), 1);
  EXPECT_EQ(unit_of(encode_mesh(tetrahedron(), MeshFormat::kStl, {}), "a.stl"), std::nullopt);
}

}  // namespace
}  // namespace p2mpp
