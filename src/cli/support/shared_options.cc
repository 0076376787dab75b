#include "cli/support/shared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace p2mpp {
namespace {

struct PixelSize {
  int width = 0, height = 0;
};

// "512", or "640x480".
std::optional<PixelSize> parse_size(std::string_view text) {
  const auto number = [](std::string_view digits) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (!whole || value < kMinPictureSide || value > kMaxPictureSide) return std::nullopt;
    return value;
  };
  const std::size_t cross = text.find('x');
  const std::optional<int> width = number(text.substr(0, cross));
  const std::optional<int> height = cross == std::string_view::npos ? width : number(text.substr(cross + 1));
  if (!width || !height) return std::nullopt;
  return PixelSize{*width, *height};
}

}  // namespace

void from_text(std::string_view text, PictureOptions& picture) {
  const PixelSize size = parse_size(text).value();
  picture.width = size.width;
  picture.height = size.height;
}

std::string to_string(const PictureOptions& picture) {
  if (picture.width == picture.height) return std::to_string(picture.width);
  return fmt::format("{}x{}", picture.width, picture.height);
}

namespace cli {

ValueCheck picture_size() {
  return {.expected = fmt::format("{} to {} pixels, as 512 or 640x480", kMinPictureSide, kMaxPictureSide),
          .accepts = [](std::string& text) { return parse_size(text).has_value(); }};
}

Framing CameraOptions::framing(bool in_camera) const {
  constexpr double kOwnDirectionDegrees = 90;  // looks along -z, as a camera does in its own frame
  Framing framing{.field_of_view_deg = field_of_view_deg, .distance = distance};
  if (in_camera) {
    framing.azimuth_deg = kOwnDirectionDegrees;
    framing.elevation_deg = 0;
  }
  if (azimuth_deg) framing.azimuth_deg = *azimuth_deg + (in_camera ? kOwnDirectionDegrees : 0);
  if (elevation_deg) framing.elevation_deg = *elevation_deg;
  return framing;
}

MeshFrame resolved(MeshFrame frame, const Points& vertices) {
  if (frame != MeshFrame::kAuto) return frame;
  return is_in_front_of_camera(vertices) ? MeshFrame::kCamera0 : MeshFrame::kWorld;
}

Upright upright(TriangleMesh mesh, MeshFrame frame, std::span<const Camera> cameras) {
  const bool in_camera = resolved(frame, mesh.vertices) == MeshFrame::kCamera0;
  if (!in_camera || cameras.empty()) return {std::move(mesh), in_camera};
  mesh.vertices = world_from_camera(mesh.vertices, cameras.front());
  mesh.normals.clear();
  return {std::move(mesh), false};
}

}  // namespace cli
}  // namespace p2mpp
