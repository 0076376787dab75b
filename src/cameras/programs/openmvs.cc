#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "base/thread_scopes.h"
#include "cameras/colmap/colmap_model.h"
#include "cameras/parsing/binary_fields.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/projection_matrix.h"
#include "cameras/programs/words.h"
#include "p2mpp/error.h"

/// OpenMVS's interface file (.mvs), of the versions 1 to 7. Source: OpenMVS, libs/MVS/Interface.h.
namespace p2mpp {
namespace {

constexpr std::uint32_t kNewestVersion = 7, kNoId = 0xFFFFFFFF;
constexpr std::uint64_t kLeastBytes = 8;  ///< of an element that begins with a length

/// As it is written: of a platform in the world, or of a camera on its platform.
struct MvsPose {
  std::array<double, 9> rotation{};
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();

  [[nodiscard]] Rigid3 rigid(const std::string& where) const {
    return rigid_from_centre(nearest_rotation(matrix3(rotation), where).rotation, centre);
  }
};

struct MvsCamera {
  std::uint32_t width = 0, height = 0;
  std::array<double, 9> k{};
  MvsPose on_platform = {};
};

struct MvsPlatform {
  std::vector<MvsCamera> cameras;
  std::vector<MvsPose> poses;
};

struct MvsImage {
  std::string name, mask, where;
  std::uint32_t platform = 0, camera = 0, pose = kNoId;
};

template <typename Numbers>
void take_numbers(BinaryFields& fields, Numbers& numbers) {
  for (double& number : numbers) number = fields.number();
}

MvsPose next_pose(BinaryFields& fields) {
  MvsPose pose;
  take_numbers(fields, pose.rotation);
  take_numbers(fields, pose.centre);
  return pose;
}

MvsPlatform next_platform(BinaryFields& fields, std::uint32_t version) {
  MvsPlatform platform;
  static_cast<void>(fields.counted_text());  // its name
  for (std::uint64_t left = fields.count("cameras", kLeastBytes); left > 0; --left) {
    end_if_stopped();
    MvsCamera& camera = platform.cameras.emplace_back();
    static_cast<void>(fields.counted_text());                   // its name
    if (version > 3) static_cast<void>(fields.counted_text());  // of the band
    camera.width = fields.u32();
    camera.height = fields.u32();
    take_numbers(fields, camera.k);
    camera.on_platform = next_pose(fields);
  }
  constexpr std::uint64_t kPoseBytes = 96;
  for (std::uint64_t left = fields.count("poses", kPoseBytes); left > 0; --left) {
    end_if_stopped();
    platform.poses.push_back(next_pose(fields));
  }
  return platform;
}

MvsImage next_image(BinaryFields& fields, std::uint32_t version) {
  end_if_stopped();
  MvsImage image;
  image.where = fields.where();
  image.name = fields.counted_text();
  if (version > 4) image.mask = fields.counted_text();
  image.platform = fields.u32();
  image.camera = fields.u32();
  image.pose = fields.u32();
  if (version > 2) fields.skip(4);  // the image's id
  if (version > 6) {
    constexpr std::uint64_t kScoreBytes = 24;
    fields.skip(12);  // depths
    fields.skip(kScoreBytes * fields.count("scores", kScoreBytes));
  }
  return image;
}

std::vector<Eigen::Vector3d> next_points(BinaryFields& fields) {
  constexpr std::uint64_t kPointBytes = 20, kViewBytes = 8;
  std::vector<Eigen::Vector3d> points;
  for (std::uint64_t left = fields.count("points", kPointBytes); left > 0; --left) {
    end_if_stopped();
    Eigen::Vector3d point;
    for (double& coordinate : point) coordinate = fields.single();
    const std::uint64_t views = fields.count("views", kViewBytes);
    fields.skip(kViewBytes * views);
    if (point.allFinite() && views >= kMinTrackLength) points.push_back(point);
  }
  return points;
}

/// A camera on a platform that moves. Whole numbers are the centres of pixels.
ListedCamera mvs_camera(const MvsImage& image, const std::vector<MvsPlatform>& platforms) {
  const auto refuse = [&](const char* what) {
    throw InputError(fmt::format("{}: image '{}' {}", image.where, printable(image.name, 80), what));
  };
  if (image.platform >= platforms.size()) refuse("names a platform that is not in the file");
  const MvsPlatform& platform = platforms[image.platform];
  if (image.camera >= platform.cameras.size()) refuse("names a camera that is not in the file");
  if (image.pose >= platform.poses.size()) refuse("names a pose that is not in the file");
  const MvsCamera& camera = platform.cameras[image.camera];
  constexpr std::uint32_t kMostPixels = 1'000'000;
  if (camera.width - 1 >= kMostPixels || camera.height - 1 >= kMostPixels) {
    refuse("has a camera without a resolution; expected a scene of a newer OpenMVS");
  }
  const Rigid3 of_platform = platform.poses[image.pose].rigid(image.where);
  const Rigid3 on_platform = camera.on_platform.rigid(image.where);
  if (!on_platform.translation.allFinite() || !of_platform.translation.allFinite())
    refuse("has a pose that is not finite");
  const ProjectionCamera made = camera_of_k(camera.k, on_platform * of_platform, image.where);
  ListedCamera listed{.file = image.name, .where = image.where};
  listed.mask = image.mask;
  listed.lens = made.lens;
  listed.width = static_cast<int>(camera.width);
  listed.height = static_cast<int>(camera.height);
  listed.cam_from_source = made.cam_from_source;
  return listed;
}

}  // namespace

CameraList parse_openmvs(std::string_view bytes, const std::string& name) {
  BinaryFields fields(bytes, name);
  if (!bytes.starts_with("MVSI")) {
    throw InputError(name +
                     ": is not an interface file of OpenMVS (MVSI); expected one, as InterfaceCOLMAP writes it, "
                     "or the cameras that it was made from");
  }
  fields.skip(4);
  const std::uint32_t version = fields.u32();
  if (version < 1 || version > kNewestVersion) {
    throw InputError(fmt::format("{}: is of the version {}; expected 1 to {}", name, version, kNewestVersion));
  }
  fields.skip(4);
  std::vector<MvsPlatform> platforms;
  for (std::uint64_t left = fields.count("platforms", kLeastBytes); left > 0; --left) {
    platforms.push_back(next_platform(fields, version));
  }
  CameraList list;
  list.version = std::to_string(version);
  LeftOut left_out;
  for (std::uint64_t left = fields.count("images", kLeastBytes); left > 0; --left) {
    const MvsImage image = next_image(fields, version);
    if (image.pose == kNoId) {
      left_out.without_pose();
    } else {
      left_out.read([&] { list.cameras.push_back(mvs_camera(image, platforms)); });
    }
  }
  list.notes = left_out.notes(name, list.cameras.size());
  read_optional_points([&] { return next_points(fields); }, list);
  return list;
}

}  // namespace p2mpp
