#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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
