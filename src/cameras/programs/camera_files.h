#pragma once

#include <string>
#include <string_view>

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

/// One camera whose photograph has the file's name. `file`: that of the photograph, without an extension.
[[nodiscard]] ListedCamera parse_matrix_file(std::string_view text, const std::string& name, const std::string& file);
[[nodiscard]] ListedCamera parse_polycam(std::string_view json, const std::string& name, const std::string& file);
[[nodiscard]] ListedCamera parse_scanner_app(std::string_view json, const std::string& name, const std::string& file);

/// Cameras of photographs that are named elsewhere: by a list, or by their order.
[[nodiscard]] CameraList parse_bundler(std::string_view text, const std::string& name,
                                       const std::vector<std::string>& photographs);
[[nodiscard]] CameraList parse_neus(std::string_view npz, const std::string& name,
                                    const std::vector<std::string>& photographs);
[[nodiscard]] CameraList parse_llff(std::string_view npy, const std::string& name,
                                    const std::vector<std::string>& photographs);
[[nodiscard]] CameraList parse_record3d(std::string_view json, const std::string& name,
                                        const std::vector<std::string>& photographs);
[[nodiscard]] CameraList parse_bop(std::string_view cameras_json, std::string_view poses_json, const std::string& name);

}  // namespace p2mpp
