#include "cameras/colmap/camera_models.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text.h"
#include "base/with_prefix.h"
#include "cameras/parsing/fitted_lens.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using enum LensSlot;

constexpr LensSlot slot_after(LensSlot first, int index) {
  return static_cast<LensSlot>(static_cast<int>(first) + index);
}
constexpr LensSlot coefficient(int index) { return slot_after(kFirstCoefficient, index); }
constexpr LensSlot kK1 = coefficient(0), kK2 = coefficient(1);

constexpr std::array kSimplePinhole{kFocal, kCx, kCy};
constexpr std::array kPinhole{kFx, kFy, kCx, kCy};
constexpr std::array kSimpleRadial{kFocal, kCx, kCy, kK1};
constexpr std::array kRadial{kFocal, kCx, kCy, kK1, kK2};
constexpr std::array kFourCoefficients{kFx, kFy, kCx, kCy, kK1, kK2, coefficient(2), coefficient(3)};
constexpr std::array kEightCoefficients{kFx,
                                        kFy,
                                        kCx,
                                        kCy,
                                        kK1,
                                        kK2,
                                        coefficient(2),
                                        coefficient(3),
                                        coefficient(4),
                                        coefficient(5),
                                        coefficient(6),
                                        coefficient(7)};

constexpr std::array kTwoFocalsK1{kFx, kFy, kCx, kCy, kK1};
constexpr std::array kTwoFocalsK1K2{kFx, kFy, kCx, kCy, kK1, kK2};

constexpr LensSlot kP1 = kFirstTangential, kP2 = slot_after(kFirstTangential, 1);
constexpr LensSlot kS1 = kFirstPrism, kS2 = slot_after(kFirstPrism, 1), kS3 = slot_after(kFirstPrism, 2),
                   kS4 = slot_after(kFirstPrism, 3);
constexpr std::array kThinPrism{kFx, kFy, kCx, kCy, kK1, kK2, kP1, kP2, coefficient(2), coefficient(3), kS1, kS3};
constexpr std::array kRadTanThinPrism{
    kFx, kFy, kCx, kCy, kK1, kK2, coefficient(2), coefficient(3), kFirstRadial, slot_after(kFirstRadial, 1),
    kP2,  // its p0 is OpenCV's p2
    kP1, kS1, kS2, kS3, kS4};

using Coefficients = std::span<const double>;

double division(double distorted, Coefficients k) { return distorted / (1 + k[0] * distorted * distorted); }

double field_of_view(double distorted, Coefficients k) {
  return k[0] == 0 ? distorted : std::tan(distorted * k[0]) / (2 * std::tan(k[0] / 2));
}

/// The enhanced unified camera model: k[0] is its alpha, k[1] its beta.
double enhanced_unified(double distorted, Coefficients k) {
  const double alpha = k[0], s = k[1] * distorted * distorted;
  return distorted * (alpha * std::sqrt(1 - (2 * alpha - 1) * s) + 1 - alpha) / (1 - alpha * alpha * s);
}

// Source: COLMAP 4, src/colmap/sensor/models.h.
constexpr auto kRadialTangential = LensModel::kRadialTangential;
constexpr auto kFisheye = LensModel::kFisheye;
constexpr std::array<CameraModel, 18> kModels{{
    {0, "SIMPLE_PINHOLE", kRadialTangential, kSimplePinhole, kSimplePinhole.size()},
    {1, "PINHOLE", kRadialTangential, kPinhole, kPinhole.size()},
    {2, "SIMPLE_RADIAL", kRadialTangential, kSimpleRadial, kSimpleRadial.size()},
    {3, "RADIAL", kRadialTangential, kRadial, kRadial.size()},
    {4, "OPENCV", kRadialTangential, kFourCoefficients, kFourCoefficients.size()},
    {5, "OPENCV_FISHEYE", kFisheye, kFourCoefficients, kFourCoefficients.size()},
    {6, "FULL_OPENCV", kRadialTangential, kEightCoefficients, kEightCoefficients.size()},
    {7, "FOV", kRadialTangential, kTwoFocalsK1, kTwoFocalsK1.size(), field_of_view},
    {8, "SIMPLE_RADIAL_FISHEYE", kFisheye, kSimpleRadial, kSimpleRadial.size()},
    {9, "RADIAL_FISHEYE", kFisheye, kRadial, kRadial.size()},
    {10, "THIN_PRISM_FISHEYE", kFisheye, kThinPrism, kThinPrism.size()},
    {11, "RAD_TAN_THIN_PRISM_FISHEYE", kFisheye, kRadTanThinPrism, kRadTanThinPrism.size(), nullptr, true},
    {12, "SIMPLE_DIVISION", kRadialTangential, kSimpleRadial, kSimpleRadial.size(), division},
    {13, "DIVISION", kRadialTangential, kTwoFocalsK1, kTwoFocalsK1.size(), division},
    {14, "SIMPLE_FISHEYE", kFisheye, kSimplePinhole, kSimplePinhole.size()},
    {15, "FISHEYE", kFisheye, kPinhole, kPinhole.size()},
    {16, "EUCM", kRadialTangential, kTwoFocalsK1K2, kTwoFocalsK1K2.size(), enhanced_unified},
    {17, "EQUIRECTANGULAR", kFisheye, {}, 2},
}};

std::string supported_models() {
  std::string names;
  for (const CameraModel& model : kModels) {
    if (model.parameters.empty()) continue;
    if (!names.empty()) names += ", ";
    names += model.name;
  }
  return names;
}

}  // namespace

void check_supported(const CameraModel& model, const std::string& where) {
  if (!model.parameters.empty()) return;
  throw InputError(fmt::format(
      "{}: camera model {} is not supported; expected {} (colmap image_undistorter converts the photographs)", where,
      model.name, supported_models()));
}

const CameraModel& camera_model(std::int64_t id, const std::string& where) {
  for (const CameraModel& model : kModels) {
    if (model.id == id) return model;
  }
  throw InputError(
      fmt::format("{}: camera model number {} is unknown; expected one of {}", where, id, supported_models()));
}

const CameraModel& camera_model(std::string_view name, const std::string& where) {
  for (const CameraModel& model : kModels) {
    if (model.name != name) continue;
    check_supported(model, where);
    return model;
  }
  throw InputError(
      fmt::format("{}: camera model '{}' is unknown; expected {}", where, printable(name, 40), supported_models()));
}

Lens make_lens(const CameraModel& model, std::span<const double> parameters, int width, int height,
               const std::string& where) {
  Lens lens{.model = model.lens};
  lens.extras.after_radial = model.after_radial;
  const auto set = [](auto& list, LensSlot first, LensSlot slot, double value) {
    list[static_cast<std::size_t>(slot) - static_cast<std::size_t>(first)] = value;
  };
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const double value = parameters[i];
    switch (const LensSlot slot = model.parameters[i]) {
      case kFocal:
        lens.fx = lens.fy = value;
        break;
      case kFx:
        lens.fx = value;
        break;
      case kFy:
        lens.fy = value;
        break;
      case kCx:
        lens.cx = value;
        break;
      case kCy:
        lens.cy = value;
        break;
      default:
        if (slot >= kFirstPrism) {
          set(lens.extras.prism, kFirstPrism, slot, value);
        } else if (slot >= kFirstTangential) {
          set(lens.extras.tangential, kFirstTangential, slot, value);
        } else if (slot >= kFirstRadial) {
          set(lens.extras.radial, kFirstRadial, slot, value);
        } else {
          set(lens.coefficients, kFirstCoefficient, slot, value);
        }
    }
  }
  with_prefix(where + ": ", [&] { check_lens(lens); });
  if (model.undistorted == nullptr) return lens;
  const auto undistorted = [&](double distorted) { return model.undistorted(distorted, lens.coefficients); };
  if (const std::optional<Lens> fitted = fitted_lens(lens, width, height, undistorted)) return *fitted;
  throw InputError(
      fmt::format("{}: the distortion of this {} camera is too strong; expected undistorted photographs (colmap "
                  "image_undistorter makes them)",
                  where, model.name));
}

}  // namespace p2mpp
