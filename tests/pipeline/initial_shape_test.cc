#include "pipeline/initial_shape.h"

#include <gtest/gtest.h>

namespace p2mpp {
namespace {

TEST(InitialShapeTest, ReadsWhatItWrites) {
  using Kind = InitialShape::Kind;
  InitialShape shape{.target_vertices = 700};
  for (const auto& [text, kind] : {std::pair{"hull", Kind::kHull},
                                   {"scan.ply", Kind::kFile},
                                   {"./hull", Kind::kFile},
                                   {"ellipsoid", Kind::kEllipsoid}}) {
    from_text(text, shape);
    EXPECT_EQ(shape.kind, kind) << text;
    EXPECT_EQ(to_string(shape), text);
  }
  EXPECT_EQ(shape.file, "");
  EXPECT_EQ(shape.target_vertices, 700U);
}

}  // namespace
}  // namespace p2mpp
