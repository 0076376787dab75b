#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include "base/little_endian.h"
#include "base/text.h"
#include "io/mesh/gltf_document.h"
#include "p2mpp/error.h"

#ifdef P2MPP_HAS_DRACO
#include <draco/compression/decode.h>
#endif
#ifdef P2MPP_HAS_MESHOPTIMIZER
#include <meshoptimizer.h>
#endif

namespace p2mpp {
namespace {

#if !defined(P2MPP_HAS_DRACO) || !defined(P2MPP_HAS_MESHOPTIMIZER)
[[noreturn]] void fail_without(std::string_view name, std::string_view package) {
  throw InputError(
      fmt::format("its geometry is compressed with {}, which this build does not read: install {}, then "
                  "configure and build again, or export it without compression",
                  name, package));
}
#endif

#ifdef P2MPP_HAS_MESHOPTIMIZER
void check_bounds(std::string_view bytes, const MeshoptView& view) {
  constexpr std::size_t kMostStride = 256, kMostRatio = 100;  // a byte stands for fewer even where all are equal
  const bool is_stride = view.stride > 0 && view.stride <= kMostStride &&
                         (view.mode == "ATTRIBUTES" ? view.stride % 4 == 0 : view.stride == 2 || view.stride == 4);
  const bool is_count = view.mode != "TRIANGLES" || view.count % 3 == 0;
  if (!is_stride || !is_count) throw InputError("a view that is compressed with meshopt has elements of a wrong size");
  if (view.count > kMostRatio * (bytes.size() + kMostStride) / view.stride) {
    throw InputError("a view that is compressed with meshopt has too many elements for its size");
  }
}

void apply_filter(std::string& bytes, const MeshoptView& view) {
  if (view.filter == "NONE" || view.filter.empty()) return;
  if (view.filter == "OCTAHEDRAL" && (view.stride == 4 || view.stride == 8)) {
    meshopt_decodeFilterOct(bytes.data(), view.count, view.stride);
  } else if (view.filter == "QUATERNION" && view.stride == 8) {
    meshopt_decodeFilterQuat(bytes.data(), view.count, view.stride);
  } else if (view.filter == "EXPONENTIAL") {
    meshopt_decodeFilterExp(bytes.data(), view.count, view.stride);
  } else {
    throw InputError(fmt::format("meshopt's filter '{}' is not known", printable(view.filter, 40)));
  }
}
#endif

#ifdef P2MPP_HAS_DRACO
template <typename Number>
std::string decoded_values(const draco::Mesh& mesh, const draco::PointAttribute& attribute, std::size_t components) {
  std::string packed;
  packed.reserve(mesh.num_points() * components * sizeof(Number));
  std::array<Number, 4> values{};
  for (draco::PointIndex point(0); point < mesh.num_points(); ++point) {
    const draco::AttributeValueIndex at = attribute.mapped_index(point);
    if (at.value() >= attribute.size() ||
        !attribute.ConvertValue<Number>(at, static_cast<std::int8_t>(components), values.data())) {
      throw InputError("its compressed geometry (Draco) is damaged");
    }
    for (std::size_t i = 0; i < components; ++i) {
      if constexpr (std::is_same_v<Number, float>) {
        append_little_endian(packed, values[i]);
      } else {
        append_little_endian(packed, static_cast<std::make_unsigned_t<Number>>(values[i]));
      }
    }
  }
  return packed;
}

template <typename Number>
std::string decoded_indices(const draco::Mesh& mesh) {
  std::string packed;
  for (draco::FaceIndex face(0); face < mesh.num_faces(); ++face) {
    for (const draco::PointIndex& point : mesh.face(face)) {
      append_little_endian(packed, static_cast<Number>(point.value()));
    }
  }
  return packed;
}

std::string decoded_array(const draco::Mesh& mesh, const DracoArray& array) {
  const bool is_indices = array.attribute < 0;
  const draco::PointAttribute* const attribute =
      is_indices ? nullptr : mesh.GetAttributeByUniqueId(static_cast<std::uint32_t>(array.attribute));
  const std::size_t count = is_indices ? 3 * static_cast<std::size_t>(mesh.num_faces()) : mesh.num_points();
  const bool is_whole =
      array.type == gltf::kUnsignedByte || array.type == gltf::kUnsignedShort || array.type == gltf::kUnsignedInt;
  if (count != array.count || (is_indices ? !is_whole : attribute == nullptr) || array.components > 4) {
    throw InputError("its compressed geometry (Draco) has other arrays than the file says");
  }
  switch (array.type) {
    case gltf::kByte:
      return decoded_values<std::int8_t>(mesh, *attribute, array.components);
    case gltf::kShort:
      return decoded_values<std::int16_t>(mesh, *attribute, array.components);
    case gltf::kUnsignedByte:
      return is_indices ? decoded_indices<std::uint8_t>(mesh)
                        : decoded_values<std::uint8_t>(mesh, *attribute, array.components);
    case gltf::kUnsignedShort:
      return is_indices ? decoded_indices<std::uint16_t>(mesh)
                        : decoded_values<std::uint16_t>(mesh, *attribute, array.components);
    case gltf::kUnsignedInt:
      return is_indices ? decoded_indices<std::uint32_t>(mesh)
                        : decoded_values<std::uint32_t>(mesh, *attribute, array.components);
    default:
      return decoded_values<float>(mesh, *attribute, array.components);
  }
}
#endif

}  // namespace

#ifdef P2MPP_HAS_MESHOPTIMIZER
std::string unpack_meshopt(std::string_view bytes, const MeshoptView& view) {
  check_bounds(bytes, view);
  std::string unpacked(view.count * view.stride, '\0');
  const auto* const from = reinterpret_cast<const unsigned char*>(bytes.data());
  int problem = -1;
  if (view.mode == "ATTRIBUTES") {
    problem = meshopt_decodeVertexBuffer(unpacked.data(), view.count, view.stride, from, bytes.size());
  } else if (view.mode == "TRIANGLES") {
    problem = meshopt_decodeIndexBuffer(unpacked.data(), view.count, view.stride, from, bytes.size());
  } else if (view.mode == "INDICES") {
    problem = meshopt_decodeIndexSequence(unpacked.data(), view.count, view.stride, from, bytes.size());
  }
  if (problem != 0) throw InputError("its compressed geometry (meshopt) is damaged, or of a newer version");
  apply_filter(unpacked, view);
  return unpacked;
}
#else
std::string unpack_meshopt(std::string_view /*bytes*/, const MeshoptView& /*view*/) {
  fail_without("meshopt", "libmeshoptimizer-dev");
}
#endif

#ifdef P2MPP_HAS_DRACO
std::vector<std::string> unpack_draco(std::string_view bytes, const std::vector<DracoArray>& arrays) {
  draco::DecoderBuffer buffer;
  buffer.Init(bytes.data(), bytes.size());
  draco::Decoder decoder;
  auto found = decoder.DecodeMeshFromBuffer(&buffer);
  if (!found.ok()) throw InputError("its compressed geometry (Draco) is damaged");
  std::vector<std::string> unpacked;
  for (const DracoArray& array : arrays) unpacked.push_back(decoded_array(*found.value(), array));
  return unpacked;
}
#else
std::vector<std::string> unpack_draco(std::string_view /*bytes*/, const std::vector<DracoArray>& /*arrays*/) {
  fail_without("Draco", "libdraco-dev");
}
#endif

}  // namespace p2mpp
