#include "geometry/morph.h"

#include <fmt/format.h>

#include <algorithm>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using RowMap = Eigen::Map<const Eigen::RowVectorXf>;

RowMap as_row(const Points& points) { return {points.front().data(), static_cast<Eigen::Index>(3 * points.size())}; }

Triangle sorted(Triangle triangle) {
  std::ranges::sort(triangle);
  return triangle;
}

}  // namespace

void check_same_template(const TriangleMesh& a, const TriangleMesh& b) {
  if (a.vertices.size() != b.vertices.size()) {
    throw InputError(fmt::format("{} and {} vertices", a.vertices.size(), b.vertices.size()));
  }
  if (a.triangles.size() != b.triangles.size()) {
    throw InputError(fmt::format("{} and {} triangles", a.triangles.size(), b.triangles.size()));
  }
  for (std::size_t t = 0; t < a.triangles.size(); ++t) {
    if (sorted(a.triangles[t]) != sorted(b.triangles[t])) {
      throw InputError(fmt::format("triangle {}, counted from 1, joins other vertices", t + 1));
    }
  }
}

MorphFrames morph(const Points& from, const Points& to, int frames) {
  const Eigen::VectorXf to_share = Eigen::VectorXf::LinSpaced(frames, 0, 1);
  const Eigen::VectorXf from_share = Eigen::VectorXf::Ones(frames) - to_share;
  MorphFrames vertices = from_share * as_row(from);
  vertices += to_share * as_row(to);
  return vertices;
}

Points frame_vertices(const MorphFrames& frames, int frame) {
  Points points(static_cast<std::size_t>(frames.cols() / 3));
  Eigen::Map<Eigen::RowVectorXf>(points.front().data(), frames.cols()) = frames.row(frame);
  return points;
}

}  // namespace p2mpp
