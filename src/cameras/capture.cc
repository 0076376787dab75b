#include "cameras/capture.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/parsing/left_out.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr double kFarFromZero = 100;  ///< times the extent of the cameras' centres

void move_pose(Rigid3& cam_from_source, const Eigen::Vector3d& origin) {
  cam_from_source.translation += cam_from_source.rotation * origin;
}

}  // namespace

Eigen::Vector3d far_origin(const Capture& capture) {
  Eigen::AlignedBox3d box;
  for (const Photograph& photograph : capture.photographs) box.extend(photograph.centre());
  const double extent = capture.photographs.empty() ? 0 : box.sizes().maxCoeff();
  if (!(extent > 0) || box.center().cwiseAbs().maxCoeff() < kFarFromZero * extent) return Eigen::Vector3d::Zero();
  const double grid = std::exp2(std::ceil(std::log2(extent)));  // few digits: what is moved there and back stays exact
  return (box.center() / grid).array().round() * grid;
}

void move_origin(Capture& capture, const Eigen::Vector3d& origin) {
  for (Photograph& photograph : capture.photographs) move_pose(photograph.cam_from_source, origin);
  for (Eigen::Vector3d& point : capture.points) point -= origin;
  for (PoseAlternative& alternative : capture.alternatives) {
    for (Rigid3& pose : alternative.cam_from_source) move_pose(pose, origin);
  }
}

namespace fs = std::filesystem;

void check_inside(const std::string& file, const std::string& where) {
  try {
    check_name_below(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: the file's name '{}' {}; expected a path inside the capture", where,
                                 printable(file), error.what()));
  }
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    if (i > 0) text += ", ";
    text += printable(names[i]);
  }
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

namespace {

/// Throws InputError for intrinsics that were divided by the image's size.
void check_pixels(const Photograph& photograph, const std::string& where) {
  constexpr double kNormalised = 10, kSmallestImage = 50;
  const Lens& lens = photograph.lens;
  if (photograph.width < kSmallestImage) return;
  const std::string question =
      fmt::format("for {} pixels; expected pixels: was it divided by the image's width?", photograph.width);
  if (lens.fx <= kNormalised) {
    throw InputError(
        fmt::format("{}: the focal length of {} is {:.4g} {}", where, printable(photograph.name), lens.fx, question));
  }
  if (lens.cx > 0 && lens.cx <= 1 && lens.cy > 0 && lens.cy <= 1) {
    throw InputError(fmt::format("{}: the principal point of {} is ({:.4g}, {:.4g}) {}", where,
                                 printable(photograph.name), lens.cx, lens.cy, question));
  }
}

void leave_out_wrong_pixels(Capture& capture) {
  LeftOut left_out;
  std::erase_if(capture.photographs, [&](const Photograph& photograph) {
    return !left_out.read([&] { check_pixels(photograph, capture.where); });
  });
  for (const std::string& note : left_out.notes(capture.where, capture.photographs.size())) {
    capture.notes.push_back(fmt::format("{}: {}", capture.where, note));
  }
}

bool have_equal_cameras(const Photograph& a, const Photograph& b) {
  constexpr double kEqual = 1e-6;
  return a.lens == b.lens && a.width == b.width && a.height == b.height &&
         a.cam_from_source.rotation.isApprox(b.cam_from_source.rotation, kEqual) &&
         (a.cam_from_source.translation - b.cam_from_source.translation).norm() <=
             kEqual * (1 + a.cam_from_source.translation.norm());
}

/// A photograph that is listed several times counts once if all of its cameras are equal. If they differ, none is known
/// to be right.
void leave_out_doubles(Capture& capture) {
  std::map<fs::path, const Photograph*> first;
  std::set<fs::path> repeated, contradictory;
  for (const Photograph& photograph : capture.photographs) {
    const auto [known, is_new] = first.emplace(photograph.image, &photograph);
    if (is_new) continue;
    repeated.insert(photograph.image);
    if (!have_equal_cameras(*known->second, photograph)) contradictory.insert(photograph.image);
  }
  if (repeated.empty()) return;
  std::vector<Photograph> kept;
  std::set<fs::path> seen;
  for (Photograph& photograph : capture.photographs) {
    if (contradictory.contains(photograph.image) || !seen.insert(photograph.image).second) continue;
    kept.push_back(std::move(photograph));
  }
  capture.photographs = std::move(kept);
  if (const std::size_t once = repeated.size() - contradictory.size(); once > 0) {
    capture.notes.push_back(
        fmt::format("{}: {} photographs are listed several times, and are taken once", capture.where, once));
  }
  if (!contradictory.empty()) {
    std::vector<std::string> names;
    for (const fs::path& image : contradictory) names.push_back(image.filename().string());
    capture.notes.push_back(fmt::format("{}: {} photographs are listed with several cameras each, and are left out: {}",
                                        capture.where, names.size(), first_names(names)));
  }
}

}  // namespace

Capture check_images(Capture capture, const std::vector<std::string>& missing, const fs::path& folder,
                     const std::string& hint) {
  std::vector<Photograph>& photographs = capture.photographs;
  std::ranges::sort(photographs, [](const Photograph& a, const Photograph& b) { return natural_less(a.name, b.name); });
  leave_out_wrong_pixels(capture);
  leave_out_doubles(capture);
  const std::size_t total = photographs.size() + missing.size();
  if (photographs.size() < kMinPhotographs) {
    const std::string absent =
        missing.empty() ? "" : fmt::format(" ({} of {} have no file: {})", missing.size(), total, first_names(missing));
    std::string noticed;
    for (const std::string& note : capture.notes) noticed += "; " + note;
    throw InputError(fmt::format("{}: number of photographs is {}{}; expected at least {}{}{}{}", capture.where,
                                 photographs.size(), absent, kMinPhotographs, hint,
                                 describe_unread_images(list_folder(folder)), noticed));
  }
  if (!missing.empty()) {
    capture.notes.push_back(fmt::format("{}: {} of {} photographs have no file and are left out: {}", capture.where,
                                        missing.size(), total, first_names(missing)));
  }
  return capture;
}

namespace {

/// The rotation of a quaternion x y z w that was read as w x y z.
Eigen::Matrix3d with_last_as_first(const Eigen::Matrix3d& rotation) {
  const Eigen::Quaterniond read(rotation);
  return Eigen::Quaterniond(read.z(), read.w(), read.x(), read.y()).toRotationMatrix();
}

template <typename Changed>
void add_alternative(const char* mistake, const Changed& changed, Capture& capture) {
  PoseAlternative alternative{mistake, {}};
  for (const Photograph& photograph : capture.photographs) {
    alternative.cam_from_source.push_back(changed(photograph.cam_from_source));
  }
  capture.alternatives.push_back(std::move(alternative));
}

}  // namespace

void add_other_angles(Capture& capture) {
  const auto other = [](const Rigid3& pose) {
    const Eigen::Matrix3d rotation =
        Eigen::Vector3d(1, -1, 1).asDiagonal() * pose.rotation * Eigen::Vector3d(1, 1, -1).asDiagonal();
    return rigid_from_centre(rotation, inverse(pose).translation);
  };
  add_alternative("pitch and roll have the other sign, as some programs write them", other, capture);
  capture.alternatives.back().is_convention = true;
}

void add_pose_alternatives(Capture& capture) {
  const auto add = [&](const char* mistake, const auto& changed) { add_alternative(mistake, changed, capture); };
  add("each camera is turned by 180 degrees about its x axis: are these OpenGL's axes (y up, z backwards) where "
      "OpenCV's "
      "(y down, z forward) are expected, or the other way round?",
      [](const Rigid3& pose) { return flip_y_and_z(pose); });
  add("each pose is inverted: are these poses from the world to the camera where those from the camera to the world "
      "are "
      "expected, or the other way round?",
      [](const Rigid3& pose) { return inverse(pose); });
  add("each pose is inverted and its camera turned by 180 degrees about its x axis: does the file have poses from the "
      "world to the camera where OpenGL's poses from the camera to the world are expected?",
      [](const Rigid3& pose) { return flip_y_and_z(inverse(flip_y_and_z(pose))); });
  add("each quaternion is read as x y z w: are they written as x y z w where w x y z is expected?",
      [](const Rigid3& pose) {
        return Rigid3{with_last_as_first(pose.rotation), pose.translation};
      });
  add("the object is behind all cameras and their axes are reversed: are the matrices left-handed (a projection K "
      "[R|t] of "
      "the other sign)? Expected rotations with the determinant 1",
      [](const Rigid3& pose) {
        return Rigid3{-pose.rotation, -pose.translation};
      });
}

}  // namespace p2mpp
