#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cameras/camera_list.h"

namespace p2mpp {

/// The cameras of a file's bytes, for each program whose files read_camera_files() knows. `name` is the file's, for
/// messages. All throw InputError, "{name}...: what is wrong; expected ...".
[[nodiscard]] CameraList parse_gaussian_splatting(std::string_view json, const std::string& name);
[[nodiscard]] CameraList parse_metashape(std::string_view xml, const std::string& name);
[[nodiscard]] CameraList parse_realitycapture_csv(std::string_view csv, const std::string& name);
[[nodiscard]] CameraList parse_realitycapture_xmp(std::string_view xmp, const std::string& name);
[[nodiscard]] CameraList parse_middlebury(std::string_view text, const std::string& name);
[[nodiscard]] CameraList parse_openmvg(std::string_view json, const std::string& name);
[[nodiscard]] CameraList parse_meshroom(std::string_view json, const std::string& name);
[[nodiscard]] CameraList parse_visualsfm(std::string_view text, const std::string& name);
[[nodiscard]] CameraList parse_sdfstudio(std::string_view json, const std::string& name);
[[nodiscard]] CameraList parse_opensfm(std::string_view json, const std::string& name);
[[nodiscard]] CameraList parse_openmvs(std::string_view bytes, const std::string& name);
[[nodiscard]] CameraList parse_pix4d(std::string_view text, const std::string& name);

/// One camera whose photograph has the file's name. `file`: that of the photograph, without an extension.
[[nodiscard]] ListedCamera parse_matrix_file(std::string_view text, const std::string& name, const std::string& file);
[[nodiscard]] ListedCamera parse_polycam(std::string_view json, const std::string& name, const std::string& file);
[[nodiscard]] ListedCamera parse_scanner_app(std::string_view json, const std::string& name, const std::string& file);

/// A pose of a file without a lens, and the lens of all such files beside it.
[[nodiscard]] ListedCamera parse_pose_file(std::string_view text, const std::string& name, const std::string& file);
[[nodiscard]] Lens parse_pose_lens(std::string_view text, const std::string& name);

/// The camera of a view of MVE with a picture of that size, without a name; nullopt if it has none.
[[nodiscard]] std::optional<ListedCamera> parse_mve_view(std::string_view ini, const std::string& name, int width,
                                                         int height, bool is_undistorted);

/// Where a camera that looks at the origin is; radians.
struct OrbitAngles {
  double azimuth = 0, elevation = 0;
};
[[nodiscard]] OrbitAngles parse_openscan(std::string_view json, const std::string& name);

/// Cameras of photographs that are named elsewhere: by a list, or by their order.
[[nodiscard]] CameraList parse_bundler(std::string_view text, const std::string& name,
                                       const std::vector<std::string>& photographs);
[[nodiscard]] CameraList parse_neus(std::string_view npz, const std::string& name,
                                    const std::vector<std::string>& photographs);
[[nodiscard]] CameraList parse_llff(std::string_view npy, const std::string& name,
                                    const std::vector<std::string>& photographs);
[[nodiscard]] CameraList parse_record3d(std::string_view json, const std::string& name,
                                        const std::vector<std::string>& photographs);
[[nodiscard]] CameraList parse_open3d_trajectory(std::string_view json, const std::string& name,
                                                 const std::vector<std::string>& photographs);
[[nodiscard]] CameraList parse_open3d_log(std::string_view log, std::string_view intrinsic_json,
                                          const std::string& name, const std::vector<std::string>& photographs);

/// Cameras of two files.
[[nodiscard]] CameraList parse_bop(std::string_view cameras_json, std::string_view poses_json, const std::string& name);
[[nodiscard]] CameraList parse_stray_scanner(std::string_view odometry, std::string_view matrix,
                                             const std::string& name);

}  // namespace p2mpp
