#include "fuzz/fuzz_target.h"
#include "io/mesh/mesh_formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return p2mpp::parse_or_refuse(data, size,
                                [](std::string_view bytes) { static_cast<void>(p2mpp::parse_off(bytes, "mesh")); });
}
