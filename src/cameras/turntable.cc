#include "cameras/turntable.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/text.h"
#include "geometry/angles.h"
#include "io/image/image_file.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr double kPhoneFieldOfViewDeg = 69.4;  ///< a focal length of 26 mm on a film of 36 mm
constexpr double kSameFocalLength = 0.01;      ///< relative

double focal_length_at(const ImageSize& size, double field_of_view_deg) {
  return std::max(size.width, size.height) / 2.0 / std::tan(field_of_view_deg / 2 * kRadiansPerDegree);
}

double field_of_view_at(const ImageSize& size, double focal_length) {
  return 2 * std::atan(std::max(size.width, size.height) / 2.0 / focal_length) / kRadiansPerDegree;
}

ImageSize size_of(const Photograph& photograph) { return {photograph.width, photograph.height}; }

/// Sets the photographs' sizes. Returns the focal length in their EXIF, with a note, unless one is given.
std::optional<FocalLength> read_headers(bool is_given, Capture& capture) {
  std::optional<FocalLength> found;
  for (Photograph& photograph : capture.photographs) {
    const auto [size, own] = read_photograph_header(photograph.image);
    photograph.width = size.width;
    photograph.height = size.height;
    if (is_given || !own) continue;
    if (!found) {
      found = own;
      capture.notes.push_back(fmt::format(
          "{}: the focal length is taken from EXIF: {}, {:.1f} degrees along the longer "
          "side; --fov gives another",
          display(photograph.image), own->origin, field_of_view_at(size_of(capture.photographs.front()), own->pixels)));
    } else if (std::abs(own->pixels / found->pixels - 1) > kSameFocalLength) {
      throw InputError(
          fmt::format("{}: its EXIF gives a focal length of {}, and another photograph's {}; expected one "
                      "for all, or --fov DEGREES",
                      display(photograph.image), own->origin, found->origin));
    }
  }
  return found;
}

Lens centred_lens(const ImageSize& size, double focal_length) {
  return {.fx = focal_length, .fy = focal_length, .cx = size.width / 2.0, .cy = size.height / 2.0};
}

/// The azimuth of a photograph of `count`. If the table turns counter-clockwise, the camera moves clockwise around the
/// object.
double azimuth_at(std::size_t index, std::size_t count, bool clockwise) {
  return (clockwise ? -2 : 2) * std::numbers::pi * static_cast<double>(index) / static_cast<double>(count);
}

/// Without the masks NAME_mask.png, and of NAME.jpg and NAME.png, as programs that cut out objects leave them, the PNG.
std::vector<fs::path> one_of_each(const std::vector<fs::path>& images, Capture& capture) {
  std::map<std::string, fs::path> chosen;
  std::string example;
  for (const fs::path& image : images) {
    const auto [place, is_new] = chosen.emplace(image.stem().string(), image);
    if (is_new) continue;
    const bool is_png = lower_extension(image) == ".png";
    example =
        fmt::format("{} and {} show one photograph", display(place->second.filename()), display(image.filename()));
    if (is_png) place->second = image;
  }
  std::vector<fs::path> kept;
  for (const fs::path& image : images) {
    const std::string stem = image.stem().string();
    const bool is_mask = stem.ends_with("_mask") && chosen.contains(stem.substr(0, stem.size() - 5));
    if (!is_mask && chosen.at(stem) == image) kept.push_back(image);
  }
  if (!example.empty()) capture.notes.push_back(fmt::format("{}: {}: the PNGs are used", capture.where, example));
  return kept;
}

/// The table turns in the direction that was not given.
PoseAlternative turned_the_other_way(const Capture& capture, const Turntable& turntable) {
  PoseAlternative alternative{turntable.clockwise ? "the table turns counter-clockwise: leave out --clockwise"
                                                  : "the table turns clockwise: give --clockwise",
                              {}};
  const std::size_t count = capture.photographs.size();
  for (std::size_t i = 0; i < count; ++i) {
    alternative.cam_from_source.push_back(
        orbit_pose(azimuth_at(i, count, !turntable.clockwise), *turntable.elevation_deg * kRadiansPerDegree));
  }
  return alternative;
}

}  // namespace

void check_turntable(const Turntable& turntable) {
  if (!turntable.elevation_deg) throw UsageError("--turntable also needs --elevation DEGREES");
  if (!(std::abs(*turntable.elevation_deg) < 90)) {
    throw UsageError(fmt::format("turntable: elevation is {} degrees; expected more than -90 and less than 90",
                                 *turntable.elevation_deg));
  }
  const double field_of_view = turntable.field_of_view_deg.value_or(kPhoneFieldOfViewDeg);
  if (!(field_of_view > 0 && field_of_view < 180)) {
    throw UsageError(
        fmt::format("turntable: field of view is {} degrees; expected more than 0 and less than 180", field_of_view));
  }
  if (field_of_view < std::numbers::pi) {
    throw UsageError(fmt::format("--fov: {:g} looks like radians; expected degrees, such as {}", field_of_view,
                                 kPhoneFieldOfViewDeg));
  }
}

Rigid3 orbit_pose(double azimuth, double elevation) {
  const Eigen::Vector3d from_origin(std::cos(elevation) * std::cos(azimuth), std::sin(elevation),
                                    std::cos(elevation) * std::sin(azimuth));
  const Eigen::Vector3d forward = -from_origin;
  const Eigen::Vector3d right = forward.cross(Eigen::Vector3d::UnitY()).normalized();
  Eigen::Matrix3d rotation;
  rotation << right.transpose(), forward.cross(right).transpose(), forward.transpose();
  return {rotation, Eigen::Vector3d::UnitZ()};
}

bool set_orbit_lens(std::optional<double> field_of_view_deg, Capture& capture) {
  const std::optional<FocalLength> found = read_headers(field_of_view_deg.has_value(), capture);
  if (capture.photographs.empty()) return false;
  const bool is_assumed = !field_of_view_deg && !found;
  if (is_assumed) {
    capture.notes.push_back(fmt::format(
        "{}: the field of view is assumed to be {} degrees along the longer side, as of a phone's main camera",
        capture.where, kPhoneFieldOfViewDeg));
  }
  const ImageSize size = size_of(capture.photographs.front());
  const double degrees = field_of_view_deg.value_or(kPhoneFieldOfViewDeg);
  const Lens lens = centred_lens(size, found ? found->pixels : focal_length_at(size, degrees));
  for (Photograph& photograph : capture.photographs) photograph.lens = lens;
  return is_assumed;
}

/// A lens that is longer than a phone's, if nothing says which one it is.
void add_other_lenses(Capture& capture) {
  for (const double degrees : {50.0, 35.0, 25.0, 17.0, 12.0, 8.0}) {
    PoseAlternative alternative{
        fmt::format("the angle of view is about {} degrees along the longer side: give --fov {}", degrees, degrees),
        {}};
    for (const Photograph& photograph : capture.photographs) {
      alternative.cam_from_source.push_back(photograph.cam_from_source);
    }
    alternative.focal_scale =
        std::tan(kPhoneFieldOfViewDeg / 2 * kRadiansPerDegree) / std::tan(degrees / 2 * kRadiansPerDegree);
    capture.alternatives.push_back(std::move(alternative));
  }
}

Capture read_turntable(const fs::path& folder, const Turntable& turntable) {
  check_turntable(turntable);
  Capture capture;
  capture.kind = "turntable";
  capture.where = display(folder);
  capture.folder = folder;
  capture.up = Eigen::Vector3d::UnitY();
  capture.up_is_measured = true;
  const std::vector<fs::path> files = one_of_each(list_images(folder), capture);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const double azimuth = azimuth_at(i, files.size(), turntable.clockwise);
    capture.photographs.push_back({.image = files[i],
                                   .mask = {},
                                   .lens = {},
                                   .cam_from_source = orbit_pose(azimuth, *turntable.elevation_deg * kRadiansPerDegree),
                                   .upright = true,
                                   .name = files[i].filename().string()});
  }
  const bool is_assumed = set_orbit_lens(turntable.field_of_view_deg, capture);
  for (const Photograph& photograph : capture.photographs) {
    const Photograph& first = capture.photographs.front();
    if (size_of(photograph) == size_of(first)) continue;
    throw InputError(fmt::format("{}: has {}x{} pixels, and {} has {}x{}; expected one camera for all photographs",
                                 display(photograph.image), photograph.width, photograph.height,
                                 display(first.image.filename()), first.width, first.height));
  }
  capture = check_images(std::move(capture), {}, folder);
  capture.alternatives.push_back(turned_the_other_way(capture, turntable));
  if (is_assumed) add_other_lenses(capture);
  return capture;
}

}  // namespace p2mpp
