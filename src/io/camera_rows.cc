#include "io/camera_rows.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/input_file.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

CameraRow parse_camera(std::string_view line, const std::string& where) {
  std::array<double, kCameraColumns> numbers{};
  std::size_t count = 0;
  for (std::string_view column = take_column(line); !column.empty(); column = take_column(line), ++count) {
    if (count >= kCameraColumns) continue;
    const std::optional<double> number = parse_finite(column);
    if (!number) {
      throw InputError(
          fmt::format("{}: '{}' is not a finite number; expected azimuth, elevation, rotation, "
                      "distance, field of view",
                      where, printable(column, 40)));
    }
    numbers[count] = *number;
  }
  if (count != kCameraColumns) {
    throw InputError(
        fmt::format("{}: has {} columns; expected {}: azimuth, elevation, rotation, distance, field of view", where,
                    count, kCameraColumns));
  }
  return {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]), static_cast<float>(numbers[2]),
          static_cast<float>(numbers[3]), static_cast<float>(numbers[4])};
}

}  // namespace

std::vector<CameraRow> read_cameras(const std::filesystem::path& path) {
  return parse_cameras(read_file(path), display(path));
}

std::vector<CameraRow> parse_cameras(std::string_view text, const std::string& name) {
  std::vector<CameraRow> rows;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(without_comment(line));
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", name, lines.number());
    rows.push_back(parse_camera(line, where));
    with_prefix(where + ": ", [&] { check_camera(rows.back()); });
  }
  if (rows.empty()) throw InputError(fmt::format("{}: has no row; expected a row for each view", name));
  return rows;
}

}  // namespace p2mpp
