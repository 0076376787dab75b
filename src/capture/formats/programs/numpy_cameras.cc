#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "base/archive/zip_file.h"
#include "capture/formats/pose_matrix.h"
#include "capture/formats/programs/camera_files.h"
#include "capture/formats/programs/npy_array.h"
#include "capture/formats/programs/projection_matrix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMostArrays = 100'000;
constexpr std::uint64_t kMostArrayBytes = 4096;  ///< of a matrix of 4x4; larger ones are not cameras

using NpzFiles = std::map<std::string, std::string, std::less<>>;

/// The arrays of a .npz, also of a compressed one.
NpzFiles arrays_in(std::string_view npz, const std::string& name) {
  NpzFiles files;
  try {
    for (const ZipEntry& entry : zip_entries(npz, kMostArrays)) {
      if (entry.size > kMostArrayBytes) continue;
      std::string& bytes = files[std::string(entry.name)];
      unpack_entry(entry, [&](std::string_view piece) { bytes += piece; });
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}; expected a .npz", name, error.what()));
  }
  return files;
}

/// The array KEY.npy with `count` numbers; empty if there is none.
std::vector<double> array_in(const NpzFiles& files, const std::string& key, std::size_t count,
                             const std::string& name) {
  const auto found = files.find(key + ".npy");
  if (found == files.end()) return {};
  const std::string where = fmt::format("{}: {}", name, key);
  NpyArray array = parse_npy(found->second, where);
  if (array.values.size() == count) return array.values;
  throw InputError(fmt::format("{}: has {} numbers; expected {}", where, array.values.size(), count));
}

/// Python's sorted(), by which both programs number photographs: 10.png comes before 2.png.
std::vector<std::string> in_order_of_bytes(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

}  // namespace

/// The cameras.npz (cameras_sphere.npz) of NeuS, IDR and their followers: world_mat_N, K [R|t] of the N-th photograph
/// by name. scale_mat_N only takes the object's sphere to the world. Pixels are those of OpenCV.
CameraList parse_neus(std::string_view npz, const std::string& name, const std::vector<std::string>& names) {
  const std::vector<std::string> photographs = in_order_of_bytes(names);
  const NpzFiles files = arrays_in(npz, name);
  CameraList list;
  for (std::size_t i = 0; i < photographs.size(); ++i) {
    const std::string key = fmt::format("world_mat_{}", i), where = fmt::format("{}: {}", name, key);
    const std::vector<double> world = array_in(files, key, 16, name);
    if (world.empty()) break;
    const ProjectionCamera camera = camera_of_projection(world, where);
    ListedCamera listed{.file = photographs[i], .where = where};
    listed.lens = camera.lens;
    listed.cam_from_source = camera.cam_from_source;
    list.cameras.push_back(std::move(listed));
  }
  if (list.cameras.empty()) {
    throw InputError(fmt::format("{}: has no array world_mat_0; expected NeuS's cameras", name));
  }
  const bool has_more = files.contains(fmt::format("world_mat_{}.npy", photographs.size()));
  if (list.cameras.size() < photographs.size() || has_more) {
    throw InputError(fmt::format("{}: has {} cameras for {} photographs; expected one for each, in the order of names",
                                 name, has_more ? "more" : std::to_string(list.cameras.size()), photographs.size()));
  }
  return list;
}

/// LLFF's poses_bounds.npy: 17 numbers for each photograph by name: 3 rows of 5 (the camera's axes down, right and
/// backwards, its centre, and height, width and focal length), then two depths.
CameraList parse_llff(std::string_view npy, const std::string& name, const std::vector<std::string>& names) {
  const std::vector<std::string> photographs = in_order_of_bytes(names);
  const NpyArray array = parse_npy(npy, name);
  if (array.shape.size() != 2 || array.shape[1] != 17) {
    throw InputError(fmt::format("{}: has other numbers than LLFF's cameras; expected 17 for each photograph", name));
  }
  if (array.shape[0] != photographs.size()) {
    throw InputError(fmt::format("{}: has {} cameras for {} photographs; expected one for each, in the order of names",
                                 name, array.shape[0], photographs.size()));
  }
  CameraList list;
  for (std::size_t i = 0; i < photographs.size(); ++i) {
    Eigen::Matrix<double, 3, 5> m;
    for (Eigen::Index k = 0; k < 15; ++k) m(k / 5, k % 5) = array.values[17 * i + static_cast<std::size_t>(k)];
    ListedCamera camera{.file = photographs[i], .where = fmt::format("{}: row {}", name, i)};
    constexpr double kMostPixels = 1e6;
    if (!(m(0, 4) >= 1 && m(1, 4) >= 1 && m(0, 4) <= kMostPixels && m(1, 4) <= kMostPixels)) {
      throw InputError(
          fmt::format("{}: the image has {}x{} pixels; expected at least one", camera.where, m(1, 4), m(0, 4)));
    }
    camera.height = static_cast<int>(m(0, 4));
    camera.width = static_cast<int>(m(1, 4));
    camera.unit = LensUnit::kFromCentre;
    camera.lens = {.fx = m(2, 4), .fy = m(2, 4)};
    Eigen::Matrix3d axes;  // OpenCV's: right, down, forward
    axes << m.col(1), m.col(0), -m.col(2);
    camera.cam_from_source = pose_from_axes(axes, m.col(3), camera.where);
    list.cameras.push_back(std::move(camera));
  }
  return list;
}

}  // namespace p2mpp
