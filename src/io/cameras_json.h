#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/lens.h"
#include "geometry/rigid3.h"
#include "p2mpp/similarity.h"

namespace p2mpp {

inline constexpr const char* kCamerasJsonName = "cameras.json";
inline constexpr std::size_t kMaxCameraViews = 10'000;
/// Without `--views`, a folder with at most this many images uses all of them. A larger folder uses the best three.
inline constexpr std::size_t kMaxViewsUnasked = 5;

/// One entry of cameras.json.
struct CamerasJsonView {
  std::string image;  ///< relative to the file's folder
  std::string mask;   ///< the same; empty if there is none
  /// The background's colour, if it is known. If there is a mask, pixels at the object's rim are mixtures with this
  /// colour.
  std::optional<std::array<std::uint8_t, 3>> background;
  bool upright = false;       ///< the lens refers to the image as its EXIF orientation turns it
  int width = 0, height = 0;  ///< pixels to which the lens refers
  Lens lens;
  Rigid3 cam_from_world;  ///< the camera's frame is OpenCV's: x right, y down, z forward
  bool use = false;       ///< enters the network
};

/// The photographs of a sample folder and their cameras, in the normalised world: y up, the object's centre at the
/// origin, the diagonal of its box 0.57.
struct CamerasJson {
  std::vector<CamerasJsonView> views;
  Similarity source_from_world;
  std::optional<double> metres_per_unit;  ///< of the source, if it is known
};

/// Reads cameras.json (docs/cameras.schema.json). "use" is true by default if no view has it and there are 2 to 5, else
/// false. Throws InputError naming the file and the path of a key ("views[2].intrinsics.fx") that is unknown, missing
/// or wrong, or a file's name that is not below the folder; if there are fewer than 2 or more than kMaxCameraViews
/// views; and unless 2 to 64 are used.
[[nodiscard]] CamerasJson read_cameras_json(const std::filesystem::path& path);

/// The same from memory; `name` stands in messages.
[[nodiscard]] CamerasJson parse_cameras_json(std::string_view text, const std::string& name);

/// The file's text, every number exact. Deterministic.
[[nodiscard]] std::string cameras_json_text(const CamerasJson& cameras);

}  // namespace p2mpp
