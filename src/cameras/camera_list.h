#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cameras/capture.h"

namespace p2mpp {

/// To what the focal lengths and the principal point of a listed camera refer.
enum class LensUnit {
  kPixels,
  kFromCentre,  ///< pixels; the principal point from the image's middle
  kLongerSide,  ///< the image's longer side; the principal point from the image's middle
};

/// A camera as a program's file says it. No photograph has been looked for yet.
struct ListedCamera {
  std::string file;   ///< the photograph's name as written, with or without its extension
  std::string where;  ///< for messages: "cameras.xml: camera 3"
  std::string mask = {};
  Lens lens = {};
  LensUnit unit = LensUnit::kPixels;
  int width = 0, height = 0;  ///< pixels to which the lens refers; 0: those of the photograph
  Rigid3 cam_from_source = {};
  std::string lens_name = {};  ///< as of Photograph
  /// Set: Lens' coefficients are not the camera's. See fitted_lens().
  std::function<double(double)> undistorted = {};
};

/// The cameras of a file. Everything else is as in Capture.
struct CameraList {
  std::vector<ListedCamera> cameras = {};
  std::vector<Eigen::Vector3d> points = {};
  std::optional<Eigen::Vector3d> up = {};
  bool up_is_measured = false;
  std::optional<double> metres_per_unit = {};
  std::string version = {};
  std::vector<std::string> notes = {};  ///< without the file's name
};

/// Finds the photographs of a list below `folder`, to which the names are relative, or `also`, and completes their
/// lenses. `kind` and `where`: see Capture. Throws as read_capture().
[[nodiscard]] Capture make_capture(CameraList list, std::string kind, const std::filesystem::path& where,
                                   const std::filesystem::path& folder,
                                   const std::vector<std::filesystem::path>& also = {});

}  // namespace p2mpp
