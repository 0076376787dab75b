#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "geometry/lens.h"

namespace p2mpp {

/// The field of Lens that a parameter of a camera model sets. From kFirstCoefficient on, Lens::coefficients[slot -
/// kFirstCoefficient], and likewise for the lists of LensExtras.
enum class LensSlot : std::uint8_t {
  kFocal,
  kFx,
  kFy,
  kCx,
  kCy,
  kFirstCoefficient,
  kFirstRadial = kFirstCoefficient + 8,
  kFirstTangential = kFirstRadial + 3,
  kFirstPrism = kFirstTangential + 2
};

/// A camera model of COLMAP; its binary files hold the id, its text files and transforms.json the name.
struct CameraModel {
  int id = 0;
  std::string_view name;
  LensModel lens = LensModel::kRadialTangential;
  std::span<const LensSlot> parameters;  ///< empty: a model that exists but that Lens cannot express
  std::size_t parameter_count;           ///< in a binary file, also of such a model
  /// Set: Lens' coefficients are fitted to this (fitted_lens.h). Its second argument are the model's own coefficients.
  double (*undistorted)(double distorted, std::span<const double> coefficients) = nullptr;
  bool after_radial = false;  ///< as in LensExtras
};

/// The model of an id or a name. For any other, throws InputError, "{where}: ...", naming the supported ones. By an id,
/// also models that Lens cannot express.
[[nodiscard]] const CameraModel& camera_model(std::int64_t id, const std::string& where);
[[nodiscard]] const CameraModel& camera_model(std::string_view name, const std::string& where);

/// Throws InputError, "{where}: ...", naming the supported models, for one that Lens cannot express.
void check_supported(const CameraModel& model, const std::string& where);

/// The lens of a model's parameters, for an image of that size. Precondition: there are as many as the model has.
/// Throws InputError, "{where}: ...", if a parameter is not finite, a focal length not positive, or the distortion too
/// strong.
[[nodiscard]] Lens make_lens(const CameraModel& model, std::span<const double> parameters, int width, int height,
                             const std::string& where);

}  // namespace p2mpp
