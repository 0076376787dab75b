#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/archive/zip_file.h"
#include "base/little_endian.h"
#include "base/text.h"
#include "base/thread_scopes.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/projection_matrix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMostArrays = 100'000;
constexpr std::uint64_t kMostArrayBytes = 4096;  ///< of a matrix of 4x4; larger ones are not cameras

using NpzFiles = std::map<std::string, std::string, std::less<>>;

/// An array of NumPy's .npy, in C order.
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// The text of the header after "'key':".
std::string_view header_value(std::string_view header, std::string_view key, const std::string& name) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos)
    throw InputError(fmt::format("{}: its header has no {}; expected a .npy", name, key));
  return trimmed(header.substr(at + key.size()));
}

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& name) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) {
    throw InputError(name + ": its header has no shape; expected a .npy");
  }
  std::vector<std::size_t> shape;
  for (const char* at = text.data() + 1; at < text.data() + end;) {
    std::size_t side = 0;
    const auto [stopped, error] = std::from_chars(at, text.data() + end, side);
    if (error == std::errc()) shape.push_back(side);
    at = stopped == at ? at + 1 : stopped;
  }
  return shape;
}

/// Reads little-endian float32 or float64 in C order. Throws InputError, "{name}: ...", for anything else and for
/// values that are not finite. Source: numpy.lib.format.
NpyArray parse_npy(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kMagic("\x93NUMPY", 6);
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) throw InputError(name + ": is not a .npy; expected one");
  const std::size_t length_bytes = bytes[6] == 1 ? 2 : 4, start = 8 + length_bytes;
  const std::uint64_t length = little_endian(bytes.substr(8, length_bytes));
  if (length > bytes.size() - start) throw InputError(name + ": ends too early; expected a complete .npy");
  const std::string_view header = bytes.substr(start, length);
  const std::string_view type = header_value(header, "'descr':", name);
  const std::size_t size = type.starts_with("'<f8'") ? 8 : type.starts_with("'<f4'") ? 4 : 0;
  if (size == 0 || !header_value(header, "'fortran_order':", name).starts_with("False")) {
    throw InputError(fmt::format("{}: has the type {}; expected floats in C order", name,
                                 printable(type.substr(0, type.find(',')), 20)));
  }
  NpyArray array{parse_shape(header_value(header, "'shape':", name), name), {}};
  const std::string_view data = bytes.substr(start + length);
  std::uint64_t count = 1;
  for (const std::size_t side : array.shape) {
    if (side == 0 || count > data.size() / size / side) {
      throw InputError(name + ": has fewer numbers than its shape says; expected a complete .npy");
    }
    count *= side;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = little_endian(data.substr(i * size, size));
    const double value = size == 8 ? std::bit_cast<double>(bits)
                                   : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (!std::isfinite(value))
      throw InputError(fmt::format("{}: number {} is not finite; expected finite numbers", name, i));
    array.values.push_back(value);
  }
  return array;
}

/// The arrays of a .npz, also of a compressed one.
NpzFiles arrays_in(std::string_view npz, const std::string& name) {
  NpzFiles files;
  try {
    for (const ZipEntry& entry : zip_entries(npz, kMostArrays)) {
      end_if_stopped();
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

ListedCamera llff_camera(std::span<const double> numbers, const std::string& photograph, const std::string& where) {
  Eigen::Matrix<double, 3, 5> m;
  for (Eigen::Index k = 0; k < 15; ++k) m(k / 5, k % 5) = numbers[static_cast<std::size_t>(k)];
  ListedCamera camera{.file = photograph, .where = where};
  constexpr double kMostPixels = 1e6;
  if (!(m(0, 4) >= 1 && m(1, 4) >= 1 && m(0, 4) <= kMostPixels && m(1, 4) <= kMostPixels)) {
    throw InputError(fmt::format("{}: the image has {}x{} pixels; expected at least one", where, m(1, 4), m(0, 4)));
  }
  camera.height = static_cast<int>(m(0, 4));
  camera.width = static_cast<int>(m(1, 4));
  camera.unit = LensUnit::kFromCentre;
  camera.lens = {.fx = m(2, 4), .fy = m(2, 4)};
  Eigen::Matrix3d axes;  // OpenCV's: right, down, forward
  axes << m.col(1), m.col(0), -m.col(2);
  camera.cam_from_source = pose_from_axes(axes, m.col(3), where);
  return camera;
}

}  // namespace

/// The cameras.npz (cameras_sphere.npz) of NeuS, IDR and their followers: world_mat_N, K [R|t] of the N-th photograph
/// by name. scale_mat_N only takes the object's sphere to the world. Pixels are those of OpenCV.
CameraList parse_neus(std::string_view npz, const std::string& name, const std::vector<std::string>& names) {
  const std::vector<std::string> photographs = in_order_of_bytes(names);
  const NpzFiles files = arrays_in(npz, name);
  CameraList list;
  LeftOut left_out;
  std::size_t count = 0;
  for (std::size_t i = 0; i < photographs.size(); ++i) {
    const std::string key = fmt::format("world_mat_{}", i), where = fmt::format("{}: {}", name, key);
    const std::vector<double> world = array_in(files, key, 16, name);
    if (world.empty()) break;
    ++count;
    left_out.read([&] {
      const ProjectionCamera camera = camera_of_projection(world, where);
      ListedCamera listed{.file = photographs[i], .where = where};
      listed.lens = camera.lens;
      listed.cam_from_source = camera.cam_from_source;
      list.cameras.push_back(std::move(listed));
    });
  }
  if (count == 0) {
    throw InputError(fmt::format("{}: has no array world_mat_0; expected NeuS's cameras", name));
  }
  const bool has_more = files.contains(fmt::format("world_mat_{}.npy", photographs.size()));
  if (count < photographs.size() || has_more) {
    throw InputError(fmt::format("{}: has {} cameras for {} photographs; expected one for each, in the order of names",
                                 name, has_more ? "more" : std::to_string(count), photographs.size()));
  }
  list.notes = left_out.notes(name, list.cameras.size());
  return list;
}

/// LLFF's poses_bounds.npy: 17 numbers for each photograph by name: 3 rows of 5 (the camera's axes down, right and
/// backwards, its centre, and height, width and focal length), then two depths.
CameraList parse_llff(std::string_view npy, const std::string& name, const std::vector<std::string>& names) {
  const std::vector<std::string> photographs = in_order_of_bytes(names);
  const NpyArray array = parse_npy(npy, name);
  if (array.shape.size() != 2 || array.shape[1] != 17) {
    throw InputError(fmt::format("{}: does not have 17 numbers for each photograph; expected LLFF's cameras", name));
  }
  if (array.shape[0] != photographs.size()) {
    throw InputError(fmt::format("{}: has {} cameras for {} photographs; expected one for each, in the order of names",
                                 name, array.shape[0], photographs.size()));
  }
  CameraList list;
  LeftOut left_out;
  for (std::size_t i = 0; i < photographs.size(); ++i) {
    left_out.read([&] {
      list.cameras.push_back(
          llff_camera(std::span(array.values).subspan(17 * i, 15), photographs[i], fmt::format("{}: row {}", name, i)));
    });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  return list;
}

}  // namespace p2mpp
