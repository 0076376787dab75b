#include "results/initial_shape.h"

namespace p2mpp {

void from_text(std::string_view text, InitialShape& shape) {
  using enum InitialShape::Kind;
  shape.kind = text == "ellipsoid" ? kEllipsoid : text == "hull" ? kHull : kFile;
  shape.file = shape.kind == kFile ? std::filesystem::path(text) : std::filesystem::path();
}

std::string to_string(const InitialShape& shape) {
  switch (shape.kind) {
    case InitialShape::Kind::kEllipsoid:
      return "ellipsoid";
    case InitialShape::Kind::kHull:
      return "hull";
    case InitialShape::Kind::kFile:
      break;
  }
  return shape.file.string();
}

}  // namespace p2mpp
