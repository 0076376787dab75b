#include "cameras/colmap/colmap_model.h"
#include "fuzz/fuzz_target.h"

/// The same bytes as each of the three files.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using p2mpp::parse_or_refuse;
  parse_or_refuse(data, size, [](std::string_view bytes) { static_cast<void>(p2mpp::parse_cameras_bin(bytes, "c")); });
  parse_or_refuse(data, size, [](std::string_view bytes) { static_cast<void>(p2mpp::parse_images_bin(bytes, "i")); });
  return parse_or_refuse(data, size,
                         [](std::string_view bytes) { static_cast<void>(p2mpp::parse_points3d_bin(bytes, "p")); });
}
