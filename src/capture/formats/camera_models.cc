#include "capture/formats/camera_models.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "base/with_prefix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using enum LensSlot;

constexpr LensSlot coefficient(int index) { return static_cast<LensSlot>(static_cast<int>(kFirstCoefficient) + index); }
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

// Source: COLMAP, src/colmap/sensor/models.h.
constexpr auto kRadialTangential = LensModel::kRadialTangential;
constexpr auto kFisheye = LensModel::kFisheye;
constexpr std::array<CameraModel, 12> kModels{{
    {0, "SIMPLE_PINHOLE", kRadialTangential, kSimplePinhole},
    {1, "PINHOLE", kRadialTangential, kPinhole},
    {2, "SIMPLE_RADIAL", kRadialTangential, kSimpleRadial},
    {3, "RADIAL", kRadialTangential, kRadial},
    {4, "OPENCV", kRadialTangential, kFourCoefficients},
    {5, "OPENCV_FISHEYE", kFisheye, kFourCoefficients},
    {6, "FULL_OPENCV", kRadialTangential, kEightCoefficients},
    {7, "FOV", kFisheye, {}},
    {8, "SIMPLE_RADIAL_FISHEYE", kFisheye, kSimpleRadial},
    {9, "RADIAL_FISHEYE", kFisheye, kRadial},
    {10, "THIN_PRISM_FISHEYE", kFisheye, {}},
    {11, "RAD_TAN_THIN_PRISM_FISHEYE", kFisheye, {}},
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

const CameraModel& supported(const CameraModel& model, const std::string& where) {
  if (!model.parameters.empty()) return model;
  throw InputError(fmt::format("{}: camera model {} is not supported; expected {} (colmap image_undistorter converts)",
                               where, model.name, supported_models()));
}

}  // namespace

const CameraModel& camera_model(std::int64_t id, const std::string& where) {
  for (const CameraModel& model : kModels) {
    if (model.id == id) return supported(model, where);
  }
  throw InputError(
      fmt::format("{}: camera model number {} is unknown; expected one of {}", where, id, supported_models()));
}

const CameraModel& camera_model(std::string_view name, const std::string& where) {
  for (const CameraModel& model : kModels) {
    if (model.name == name) return supported(model, where);
  }
  throw InputError(
      fmt::format("{}: camera model '{}' is unknown; expected {}", where, printable(name, 40), supported_models()));
}

Lens make_lens(const CameraModel& model, std::span<const double> parameters, const std::string& where) {
  Lens lens{.model = model.lens};
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
        lens.coefficients[static_cast<std::size_t>(slot) - static_cast<std::size_t>(kFirstCoefficient)] = value;
    }
  }
  with_prefix(where + ": ", [&] { check_lens(lens); });
  return lens;
}

}  // namespace p2mpp
