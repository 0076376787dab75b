#include "geometry/lens.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "geometry/not_finite.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

using testing::kInfinity;
using testing::kNan;

constexpr LensModel kModels[] = {LensModel::kRadialTangential, LensModel::kFisheye};

/// A lens as calibrations find them: coefficients of a tenth or so.
Lens random_lens(LensModel model, std::mt19937& random) {
  std::uniform_real_distribution<double> focal(300, 4000), centre(-100, 4000), coefficient(-0.15, 0.15);
  Lens lens{model, focal(random), focal(random), centre(random), centre(random), {}};
  for (double& value : lens.coefficients) value = coefficient(random);
  if (model == LensModel::kFisheye) {
    for (std::size_t i = 4; i < 8; ++i) lens.coefficients[i] = 0;
  } else {
    lens.coefficients[2] /= 50;  // tangential distortion is small
    lens.coefficients[3] /= 50;
  }
  return lens;
}

double angle_to_axis(const Eigen::Vector3d& direction) { return std::atan2(direction.head<2>().norm(), direction.z()); }

TEST(Lens, RoundTripsDirections) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1), share(0, 0.9);
  for (int i = 0; i < 4000; ++i) {
    const Lens lens = random_lens(kModels[i % 2], random);
    const LensMap map(lens);
    const bool fisheye = lens.model == LensModel::kFisheye;
    const double angle = share(random) * (fisheye ? map.limit() : std::min(std::atan(map.limit()), 1.1));
    const double azimuth = std::numbers::pi * unit(random);
    const Eigen::Vector3d direction(std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth),
                                    std::cos(angle));
    const auto pixel = map.pixel_of(3.5 * direction);
    ASSERT_TRUE(pixel);
    const auto back = map.direction_of(*pixel);
    ASSERT_TRUE(back) << i << ' ' << angle << ' ' << map.limit();
    EXPECT_LT((*back - direction).norm(), 1e-9) << i << ' ' << angle << ' ' << map.limit();
  }
}

/// A lens with everything that programs add to OpenCV's models.
Lens lens_with_extras(int i, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Lens lens = random_lens(kModels[i % 2], random);
  for (double& value : lens.coefficients) value /= 5;
  for (double& value : lens.extras.radial) value = 0.01 * unit(random);
  if (lens.model == LensModel::kFisheye) {
    for (double& value : lens.extras.tangential) value = 0.002 * unit(random);
  }
  for (double& value : lens.extras.prism) value = 0.002 * unit(random);
  for (double& value : lens.extras.tangential_growth) value = 0.002 * unit(random);
  lens.extras.after_radial = i % 4 < 2;
  lens.extras.shear = 0.05 * unit(random);
  return lens;
}

/// As OpenCV's documentation prints it, and with what programs add to it: the radial powers, then tangential distortion
/// (Brown) and thin prisms, then the skew.
Eigen::Vector2d pixel_with_extras(const Lens& lens, const Eigen::Vector3d& point) {
  Eigen::Vector2d plane = point.head<2>() / point.z();
  const bool fisheye = lens.model == LensModel::kFisheye;
  if (fisheye) plane *= std::atan(plane.norm()) / plane.norm();
  const auto& c = lens.coefficients;
  const auto& more = lens.extras.radial;
  const double r = plane.norm();
  std::vector<double> powers = {c[0], c[1], c[4], more[0], more[1], more[2]};
  if (fisheye) powers = {c[0], c[1], c[2], c[3], more[0], more[1], more[2]};
  double radial = 1, divisor = 1;
  for (std::size_t i = 0; i < powers.size(); ++i) radial += powers[i] * std::pow(r, 2 * i + 2);
  for (std::size_t i = 0; i < 3 && !fisheye; ++i) divisor += c[5 + i] * std::pow(r, 2 * i + 2);
  const Eigen::Vector2d moved = plane * radial / divisor, at = lens.extras.after_radial ? moved : plane;
  const auto& [p1_first, p2_first, p1_second, p2_second] = lens.extras.tangential_growth;
  const auto& prism = lens.extras.prism;
  const double s = at.squaredNorm();
  const double p1 = (fisheye ? lens.extras.tangential[0] : c[2]) + p1_first * s + p1_second * s * s;
  const double p2 = (fisheye ? lens.extras.tangential[1] : c[3]) + p2_first * s + p2_second * s * s;
  const double x =
      moved.x() + 2 * p1 * at.x() * at.y() + p2 * (s + 2 * at.x() * at.x()) + prism[0] * s + prism[1] * s * s;
  const double y =
      moved.y() + p1 * (s + 2 * at.y() * at.y()) + 2 * p2 * at.x() * at.y() + prism[2] * s + prism[3] * s * s;
  return {lens.fx * x + lens.fx * lens.extras.shear * y + lens.cx, lens.fy * y + lens.cy};
}

TEST(Lens, FollowsOpenCvsFormulasWithMoreCoefficientsPrismsAndASkew) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> side(-0.5, 0.5), depth(0.8, 3);
  for (int i = 0; i < 1000; ++i) {
    const Lens lens = i % 8 < 2 ? random_lens(kModels[i % 2], random) : lens_with_extras(i, random);
    const Eigen::Vector3d direction(side(random), side(random), depth(random));
    const auto pixel = pixel_of(lens, direction);
    ASSERT_TRUE(pixel);
    EXPECT_LT((*pixel - pixel_with_extras(lens, direction)).norm(), 1e-9);
    const auto back = direction_of(lens, *pixel);
    ASSERT_TRUE(back);
    EXPECT_LT((*back - direction.normalized()).norm(), 1e-9);
  }
  Lens lens;
  lens.extras.shear = 0.3;
  EXPECT_REFUSED(check_lens(lens), "the skew is 0.3 of the focal length; expected at most 0.2");
}

/// The limit by walking outwards until the radius in the picture stops growing.
double walked_limit(const Lens& lens, double end) {
  double last = 0;
  constexpr int kSteps = 100000;
  for (int i = 1; i <= kSteps; ++i) {
    const double at = end * i / kSteps;
    const auto& k = lens.coefficients;
    const double s = at * at;
    const double radius =
        lens.model == LensModel::kFisheye
            ? at * (1 + k[0] * s + k[1] * s * s + k[2] * s * s * s + k[3] * s * s * s * s)
            : at * (1 + k[0] * s + k[1] * s * s + k[4] * s * s * s) / (1 + k[5] * s + k[6] * s * s + k[7] * s * s * s);
    if (radius <= last) return at;
    last = radius;
  }
  return kInfinity;
}

TEST(Lens, EndsWhereItsRadiusStopsGrowing) {
  std::mt19937 random(4);
  int limited = 0;
  for (int i = 0; i < 200; ++i) {
    const Lens lens = random_lens(kModels[i % 2], random);
    const double limit = LensMap(lens).limit(), walked = walked_limit(lens, 3);
    if (!std::isfinite(walked)) {
      EXPECT_GE(limit, 2.9999);
      continue;
    }
    ++limited;
    EXPECT_NEAR(limit, walked, 1e-4);
  }
  EXPECT_GT(limited, 50);
}

TEST(Lens, HasNoPixelBeyondItsLimit) {
  // r (1 - r^2 / 3) grows up to r = 1, and is 2/3 there.
  const Lens barrel{LensModel::kRadialTangential, 100, 100, 0, 0, {-1.0 / 3}};
  EXPECT_NEAR(LensMap(barrel).limit(), 1, 1e-12);
  EXPECT_TRUE(pixel_of(barrel, {0.999, 0, 1}));
  EXPECT_FALSE(pixel_of(barrel, {1.001, 0, 1}));
  EXPECT_FALSE(pixel_of(barrel, {1.7, 0, 1}));  // would fold back to the picture's middle
  EXPECT_TRUE(direction_of(barrel, {66.6, 0}));
  EXPECT_FALSE(direction_of(barrel, {66.7, 0}));
  const Lens fisheye{LensModel::kFisheye, 100, 100, 0, 0, {-1.0 / 3}};
  EXPECT_NEAR(LensMap(fisheye).limit(), 1, 1e-12);
  EXPECT_TRUE(pixel_of(fisheye, {std::sin(0.999), 0, std::cos(0.999)}));
  EXPECT_FALSE(pixel_of(fisheye, {std::sin(1.001), 0, std::cos(1.001)}));
  EXPECT_FALSE(direction_of(fisheye, {0, 67}));
  // A pole of the rational factor at r = 1.
  const Lens pole{LensModel::kRadialTangential, 100, 100, 0, 0, {0, 0, 0, 0, 0, -1}};
  EXPECT_NEAR(LensMap(pole).limit(), 1, 1e-12);
  EXPECT_FALSE(pixel_of(pole, {1.5, 0, 1}));
  EXPECT_TRUE(direction_of(pole, {1e5, 0}));
}

TEST(Lens, WithoutDistortionIsAPinhole) {
  const Lens pinhole{LensModel::kRadialTangential, 100, 200, 10, 20, {}};
  EXPECT_EQ(LensMap(pinhole).limit(), kInfinity);
  EXPECT_EQ(*pixel_of(pinhole, {1, 1, 2}), Eigen::Vector2d(60, 120));
  EXPECT_EQ(*direction_of(pinhole, {10, 20}), Eigen::Vector3d(0, 0, 1));
  EXPECT_NEAR(angle_to_axis(*direction_of(pinhole, {110, 20})), std::numbers::pi / 4, 1e-12);
  EXPECT_EQ(LensMap({LensModel::kFisheye, 1, 1, 0, 0, {}}).limit(), std::numbers::pi);
}

TEST(Lens, HasNoPixelOfWhatItCannotSee) {
  const Lens pinhole{LensModel::kRadialTangential, 100, 200, 10, 20, {}};
  const Lens fisheye{LensModel::kFisheye, 100, 200, 10, 20, {}};
  for (const Lens& lens : {pinhole, fisheye}) {
    EXPECT_FALSE(pixel_of(lens, {0, 0, 0}));
    EXPECT_FALSE(pixel_of(lens, {0, 0, -1}));
    EXPECT_FALSE(pixel_of(lens, {kNan, 0, 1}));
    EXPECT_FALSE(pixel_of(lens, {0, kInfinity, 1}));
    EXPECT_FALSE(direction_of(lens, {kNan, 0}));
    EXPECT_FALSE(direction_of(lens, {kInfinity, 0}));
  }
  EXPECT_FALSE(pixel_of(pinhole, {1, 0, 0}));
  EXPECT_FALSE(pixel_of(pinhole, {1, 1, -2}));
  EXPECT_TRUE(pixel_of(fisheye, {1, 0, -0.1}));
}

TEST(Lens, StaysDefinedForAbsurdCoefficients) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> exponent(-20, 300), unit(-1, 1);
  for (int i = 0; i < 500; ++i) {
    Lens lens{kModels[i % 2], 500, 500, 100, 100, {}};
    for (double& value : lens.coefficients) value = std::copysign(std::pow(10, exponent(random)), unit(random));
    const LensMap map(lens);
    const auto pixel = map.pixel_of({unit(random), unit(random), 1});
    EXPECT_TRUE(!pixel || pixel->allFinite());
    const auto direction = map.direction_of({300 * unit(random), 300 * unit(random)});
    EXPECT_TRUE(!direction || std::abs(direction->norm() - 1) < 1e-12);
  }
}

TEST(Lens, DescribesWhatCannotProject) {
  const Lens good{LensModel::kFisheye, 1, 2, -3, 4, {5}};
  EXPECT_NO_THROW(check_lens(good));
  Lens lens = good;
  lens.fy = -2;
  EXPECT_REFUSED(check_lens(lens), "fy is -2; expected a positive number");
  lens = good;
  lens.fx = -kNan;
  EXPECT_REFUSED(check_lens(lens), "fx is nan; expected a positive number");
  lens = good;
  lens.cy = kInfinity;
  EXPECT_REFUSED(check_lens(lens), "cy is inf; expected a finite number");
  lens = good;
  lens.coefficients[7] = kNan;
  EXPECT_REFUSED(check_lens(lens), "a distortion coefficient is not finite; expected a finite number");
}

}  // namespace
}  // namespace p2mpp
