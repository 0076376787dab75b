#include "fuzz/fuzz_target.h"
#include "io/image/image_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  p2mpp::parse_or_refuse(data, size, [](std::string_view bytes) {
    const p2mpp::ImageSize declared = p2mpp::photograph_size(bytes, "image");
    p2mpp::check_image_size(declared.width, declared.height, "image");
  });
  return p2mpp::parse_or_refuse(data, size, [](std::string_view bytes) {
    static_cast<void>(p2mpp::decode_image(bytes, "image"));
    static_cast<void>(p2mpp::decode_image(bytes, "image", p2mpp::Orientation::kUpright, 7));
  });
}
