#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/text.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/parsing/text_rows.h"
#include "cameras/programs/camera_files.h"
#include "p2mpp/error.h"

/// Pix4D's PROJECT_calibrated_camera_parameters.txt, in 1_initial/params. Its head says what follows for each image.
/// Source: Pix4D's manual, "What does the Output Params Folder contain?", and docs.nframes.com, "Pix4D".
namespace p2mpp {
namespace {

constexpr std::size_t kLines = 10;  ///< of an image: name and size, K, radial, tangential, position, rotation
using Pix4dRecord = std::array<std::string_view, kLines>;

/// "my image.jpg 6000 4000": the name and two numbers at the end.
ListedCamera pix4d_image(std::string_view line, const std::string& where) {
  std::array<double, 2> size{};
  for (std::size_t i = size.size(); i-- > 0;) {
    const std::size_t blank = trimmed(line).find_last_of(" \t");
    const std::string_view number = trimmed(line).substr(blank == std::string_view::npos ? 0 : blank + 1);
    const std::optional<double> value = parse_finite(number);
    constexpr double kMostPixels = 1e6;
    if (blank == std::string_view::npos || !value || !(*value >= 1 && *value <= kMostPixels)) {
      throw InputError(
          fmt::format("{}: is '{}'; expected an image's name, width and height", where, printable(line, 80)));
    }
    size[i] = *value;
    line = trimmed(line).substr(0, blank);
  }
  ListedCamera camera{.file = std::string(trimmed(line)), .where = where};
  camera.width = static_cast<int>(size[0]);
  camera.height = static_cast<int>(size[1]);
  return camera;
}

ListedCamera pix4d_camera(const Pix4dRecord& lines, const std::string& where) {
  ListedCamera camera = pix4d_image(lines[0], where);
  const auto numbers = [&](std::size_t first, std::size_t rows, std::size_t count) {
    std::vector<double> all;
    for (std::size_t i = first; i < first + rows; ++i) {
      for (const double number : Columns(lines[i], where).numbers("parameter", count)) all.push_back(number);
    }
    return all;
  };
  const std::vector<double> k = numbers(1, 3, 3), radial = numbers(4, 1, 3), tangential = numbers(5, 1, 2);
  camera.lens = {.fx = k[0], .fy = k[4], .cx = k[2], .cy = k[5]};
  camera.lens.coefficients = {radial[0], radial[1], tangential[0], tangential[1], radial[2]};
  if (k[0] > 0) camera.lens.extras.shear = k[1] / k[0];
  camera.cam_from_source =
      rigid_from_centre(nearest_rotation(matrix3(numbers(7, 3, 3)), where).rotation, vector3(numbers(6, 1, 3)));
  return camera;
}

}  // namespace

CameraList parse_pix4d(std::string_view text, const std::string& name) {
  CameraList list;
  list.up = Eigen::Vector3d::UnitZ();  // map coordinates
  LeftOut left_out;
  LineReader lines(text);
  bool is_head = true;
  Pix4dRecord record;
  std::size_t count = 0, first = 0;
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    if (is_head) {
      is_head = !line.starts_with("camera model");
      continue;
    }
    if (count == 0) first = lines.number();
    record[count++] = line;
    if (count < kLines) continue;
    count = 0;
    left_out.read([&] { list.cameras.push_back(pix4d_camera(record, fmt::format("{}:{}", name, first))); });
  }
  if (count > 0) left_out.refuse(fmt::format("{}:{}: the image is cut off; expected {} lines", name, first, kLines));
  list.notes = left_out.notes(name, list.cameras.size());
  return list;
}

}  // namespace p2mpp
