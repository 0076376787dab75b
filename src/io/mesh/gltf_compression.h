#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

// What glTF's extensions for compressed geometry hold. All functions throw InputError without the file's name: where
// the bytes are damaged, and where this build lacks the library.

/// A buffer view of EXT_meshopt_compression (the same as KHR_meshopt_compression of its first version).
struct MeshoptView {
  std::size_t count = 0, stride = 0;  ///< of the elements
  std::string mode, filter;           ///< "ATTRIBUTES", "TRIANGLES" or "INDICES"; "NONE", "OCTAHEDRAL", ...
};
/// The view's `count` elements of `stride` bytes.
[[nodiscard]] std::string unpack_meshopt(std::string_view bytes, const MeshoptView& view);

/// One of the arrays that a Draco stream is to give.
struct DracoArray {
  int attribute = -1;  ///< its number in the stream; -1: the indices
  int type = 0;        ///< of its numbers in glTF (gltf::kFloat)
  std::size_t components = 0;
  std::size_t count = 0;  ///< of its elements, as the file says
};
/// The arrays of a stream of KHR_draco_mesh_compression, tightly packed, in the given order.
[[nodiscard]] std::vector<std::string> unpack_draco(std::string_view bytes, const std::vector<DracoArray>& arrays);

}  // namespace p2mpp
