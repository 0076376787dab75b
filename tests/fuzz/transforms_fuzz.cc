#include "cameras/transforms/transforms_json.h"
#include "fuzz/fuzz_target.h"
#include "geometry/lens.h"

/// The lenses are used, too: their limits and inverses are iterative.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return p2mpp::parse_or_refuse(data, size, [](std::string_view bytes) {
    for (const p2mpp::TransformsFrame& frame : p2mpp::parse_transforms(bytes, "transforms.json").frames) {
      const p2mpp::LensMap map(frame.intrinsics.lens_for(800, 600, "transforms.json"));
      static_cast<void>(map.pixel_of({0.1, 0.2, 1}));
      static_cast<void>(map.direction_of({100, 200}));
    }
  });
}
