#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cameras/capture.h"
#include "cameras/searched_path.h"

namespace p2mpp {

/// Intrinsics as in transforms.json. Some of the missing ones follow from the others and the image.
struct TransformsIntrinsics {
  LensModel model = LensModel::kRadialTangential;
  std::optional<double> fl_x, fl_y, cx, cy;              ///< pixels
  std::optional<double> camera_angle_x, camera_angle_y;  ///< radians
  std::optional<int> w, h;                               ///< pixels
  std::array<double, 8> coefficients{};                  ///< as of Lens
  LensExtras extras;                                     ///< as of Lens
  std::string name;                                      ///< the camera_model; may be empty

  /// The lens of an image of that size. Throws InputError, "{where}: ...", if there is no focal length.
  [[nodiscard]] Lens lens_for(int width, int height, const std::string& where) const;
};

struct TransformsFrame {
  std::string file_path;  ///< as written: with or without its extension
  std::string mask_path;  ///< empty if there is none
  TransformsIntrinsics intrinsics;
  Rigid3 cam_from_source;  ///< as of Photograph
  double scale = 1;        ///< of the axes that the matrix had
};

struct Transforms {
  std::vector<TransformsFrame> frames;
  std::string points_path;         ///< nerfstudio's "ply_file_path", in the frames' world; empty if there is none
  std::vector<std::string> notes;  ///< frames that are left out; without the file's name
};

/// The frames of a transforms.json of NeRF-synthetic, instant-ngp or nerfstudio. A frame's key overrides the file's.
/// Keys that do not concern cameras are ignored. A frame that cannot be used is left out. If none is left, throws
/// InputError, "{name}: frames[N].KEY: ...".
[[nodiscard]] Transforms parse_transforms(std::string_view text, const std::string& name);

/// transforms.json or transforms_train.json in a folder, or the path itself if it is a .json file; else nullopt.
[[nodiscard]] std::optional<std::filesystem::path> find_transforms(const SearchedPath& path);

/// Reads such a file and finds its images and masks. instant-ngp and nerfstudio also write absolute paths and paths
/// that leave the file's folder. Throws as read_capture().
[[nodiscard]] Capture read_transforms(const std::filesystem::path& file);

}  // namespace p2mpp
