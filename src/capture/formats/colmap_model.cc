#include "capture/formats/colmap_model.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <set>
#include <string_view>

#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {

int checked_side(std::uint64_t pixels, const std::string& where) {
  constexpr std::uint64_t kMaxSide = 1'000'000;
  if (pixels >= 1 && pixels <= kMaxSide) return static_cast<int>(pixels);
  throw InputError(fmt::format("{}: the image has {} pixels a side; expected 1 to {}", where, pixels, kMaxSide));
}

Eigen::Matrix3d rotation_of_quaternion(double w, double x, double y, double z, const std::string& where) {
  const Eigen::Vector4d values(w, x, y, z);
  const double largest = values.cwiseAbs().maxCoeff();
  if (!values.allFinite() || largest == 0) {
    throw InputError(fmt::format("{}: the quaternion is {} {} {} {}; expected four finite numbers that are not all 0",
                                 where, w, x, y, z));
  }
  // COLMAP writes unit quaternions; other programs that write its format do not always.
  const Eigen::Vector4d unit = (values / largest).normalized();
  return Eigen::Quaterniond(unit[0], unit[1], unit[2], unit[3]).toRotationMatrix();
}

void check_names(const std::vector<ColmapImage>& images) {
  std::set<std::string_view> names;
  for (const ColmapImage& image : images) {
    if (names.insert(image.name).second) continue;
    throw InputError(
        fmt::format("{}: image '{}' appears twice; expected each once", image.where, printable(image.name)));
  }
}

}  // namespace p2mpp
