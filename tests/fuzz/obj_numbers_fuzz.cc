// Corners of faces: each is refused, or names the vertex that its number says.
#include <cerrno>
#include <cstdlib>
#include <string>

#include "fuzz/fuzz_target.h"
#include "io/mesh/mesh_formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr long long kVertices = 5;
  constexpr std::string_view kAlphabet = "0123456789-/12345";
  std::string corners[3];
  for (std::size_t i = 0; i < size && i < 90; ++i) corners[i % 3] += kAlphabet[data[i] % kAlphabet.size()];
  std::string text;
  for (int i = 0; i < kVertices; ++i) text += "v 0 0 " + std::to_string(i) + "\n";
  text += "f " + corners[0] + " " + corners[1] + " " + corners[2] + "\n";
  return p2mpp::parse_or_refuse(data, size, [&](std::string_view) {
    const p2mpp::TriangleMesh mesh = p2mpp::parse_obj(text, "a.obj");
    if (mesh.triangles.size() != 1) std::abort();
    for (std::size_t i = 0; i < 3; ++i) {
      errno = 0;
      const long long number = std::strtoll(corners[i].c_str(), nullptr, 10);
      const long long vertex = number > 0 ? number - 1 : kVertices + number;
      if (errno != 0 || vertex != mesh.triangles[0][i]) std::abort();
    }
  });
}
