#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/mesh/mesh_reading.h"

/// Constants of glTF 2.0. Source: https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
namespace p2mpp::gltf {

inline constexpr std::uint32_t kMagic = 0x46546C67, kVersion = 2, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
inline constexpr std::size_t kFileHeaderBytes = 12, kChunkHeaderBytes = 8;
inline constexpr int kByte = 5120, kUnsignedByte = 5121, kShort = 5122, kUnsignedShort = 5123, kUnsignedInt = 5125,
                     kFloat = 5126;
inline constexpr int kRepeat = 10497, kLinear = 9729, kLinearMipmapLinear = 9987;
inline constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963;
inline constexpr std::array<double, 3> kPlainColour = {0.6, 0.65,
                                                       0.7};  ///< of meshes that p2mpp writes without colours
inline constexpr std::size_t kTriangles = 4, kTriangleStrip = 5, kTriangleFan = 6;  ///< a primitive's modes

}  // namespace p2mpp::gltf

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

using GltfJson = nlohmann::json;  // finds a key in logarithmic time, even in a hostile file with many keys

/// An array of a glTF file: `count` elements of `components` numbers each.
struct GltfArray {
  std::string_view bytes;                           ///< from the first element on; empty: all numbers are 0
  std::shared_ptr<const std::string> patched = {};  ///< what `bytes` shows of a sparse array
  std::size_t count = 0, components = 0;
  std::size_t stride = 0, component_bytes = 0;
  int type = 0;
  bool is_normalized = false;

  /// A number; of normalised arrays, from -1 to 1.
  [[nodiscard]] double at(std::size_t element, std::size_t component) const;
  /// A whole number of an unsigned type.
  [[nodiscard]] std::uint64_t index_at(std::size_t element) const;
  [[nodiscard]] bool is_float() const;
  [[nodiscard]] bool is_unsigned() const;
};

/// The JSON of a GLB or glTF file with its buffers. Every problem is an InputError with the file's name.
class GltfDocument {
 public:
  /// `bytes`, `name` and `reading` must outlive this object.
  GltfDocument(std::string_view bytes, const std::string& name, MeshReading& reading);

  [[nodiscard]] const GltfJson& root() const { return document_; }
  [[noreturn]] void fail(std::string_view what) const;

  /// A member of an object; null if there is none.
  [[nodiscard]] static const GltfJson* find(const GltfJson& object, const char* key);
  [[nodiscard]] const GltfJson& member(const GltfJson& object, const char* key) const;
  /// The list of a key; an empty one if there is none.
  [[nodiscard]] const GltfJson& list(const GltfJson& object, const char* key) const;
  /// An element of one of the document's lists ("nodes").
  [[nodiscard]] const GltfJson& element(const char* key, const GltfJson& index) const;
  /// The place of that element.
  [[nodiscard]] std::size_t index_of(const char* key, const GltfJson& index) const;
  [[nodiscard]] std::size_t whole_number(const GltfJson& object, const char* key, std::size_t otherwise) const;
  /// `count` finite numbers; `otherwise` if there is no such key.
  [[nodiscard]] std::vector<double> numbers(const GltfJson& object, const char* key,
                                            std::vector<double> otherwise) const;

  /// The array of an accessor of a type ("VEC3") with so many components.
  [[nodiscard]] GltfArray array(const GltfJson& accessor, std::string_view type, std::size_t components) const;
  /// Its bytes, unpacked if they are compressed with meshopt.
  [[nodiscard]] std::string_view buffer_view(const GltfJson& index) const;
  /// Unpacks what a primitive has compressed with Draco, for array(); nothing if it has the arrays uncompressed, too.
  void unpack(const GltfJson& primitive);
  /// The bytes of a URI: its data, or a file beside the mesh. Throws InputError without the file's name.
  [[nodiscard]] std::string uri_bytes(const std::string& uri) const;

 private:
  [[nodiscard]] std::string_view take_json_chunk(std::string_view bytes);
  void check_extensions() const;
  /// What a function returns; its InputError gets the file's name.
  template <typename Compute>
  [[nodiscard]] auto with_failures(const Compute& compute) const;
  void read_buffers();
  [[nodiscard]] std::string_view part_of_buffer(const GltfJson& part) const;
  [[nodiscard]] std::size_t component_bytes(int type) const;
  void place_elements(const GltfJson& accessor, GltfArray& array) const;
  void patch_elements(const GltfJson& sparse, GltfArray& array) const;

  const std::string& name_;
  MeshReading& reading_;
  GltfJson document_;
  std::string_view binary_chunk_;
  std::map<std::string, std::string> read_;  ///< contents of URIs
  std::vector<std::string_view> buffers_;
  mutable std::map<std::size_t, std::string> unpacked_views_;  ///< by their numbers
  std::map<std::size_t, std::string> unpacked_arrays_;         ///< by the numbers of their accessors
};

}  // namespace p2mpp
