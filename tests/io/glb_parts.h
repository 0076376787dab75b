#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/little_endian.h"
#include "io/mesh/gltf_document.h"

namespace p2mpp::testing {

/// The chunks of a GLB.
struct GlbParts {
  nlohmann::json document;
  std::string binary;
};

inline GlbParts taken_apart(const std::string& glb) {
  const auto text_size = static_cast<std::size_t>(little_endian(std::string_view(glb).substr(12, 4)));
  return {nlohmann::json::parse(glb.substr(20, text_size)), glb.substr(28 + text_size)};
}

inline std::string put_together(GlbParts parts) {
  const auto padded = [](std::string chunk, char with) {
    chunk.resize((chunk.size() + 3) / 4 * 4, with);
    return chunk;
  };
  const std::string text = padded(parts.document.dump(), ' '), binary = padded(std::move(parts.binary), '\0');
  std::string bytes;
  for (const std::size_t word : {std::size_t{gltf::kMagic}, std::size_t{gltf::kVersion},
                                 28 + text.size() + binary.size(), text.size(), std::size_t{gltf::kJsonChunk}}) {
    append_little_endian(bytes, static_cast<std::uint32_t>(word));
  }
  bytes += text;
  append_little_endian(bytes, static_cast<std::uint32_t>(binary.size()));
  append_little_endian(bytes, gltf::kBinaryChunk);
  return bytes + binary;
}

}  // namespace p2mpp::testing
