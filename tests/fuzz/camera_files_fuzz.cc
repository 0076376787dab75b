#include <algorithm>
#include <array>

#include "cameras/programs/camera_files.h"
#include "fuzz/fuzz_target.h"

/// The first byte says the program whose file the others are. BOP's are two files, with a zero byte between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using p2mpp::parse_or_refuse;
  if (size == 0) return 0;
  static const std::vector<std::string> photographs{"a.png", "b.png", "c.png"};
  using Parse = void (*)(std::string_view bytes);
  constexpr std::array<Parse, 18> kParsers{
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_gaussian_splatting(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_metashape(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_realitycapture_csv(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_realitycapture_xmp(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_middlebury(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_openmvg(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_meshroom(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_visualsfm(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_opensfm(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_record3d(bytes, "f", photographs)); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_matrix_file(bytes, "f", "a")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_polycam(bytes, "f", "a")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_scanner_app(bytes, "f", "a")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_bundler(bytes, "f", photographs)); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_neus(bytes, "f", photographs)); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_llff(bytes, "f", photographs)); },
      [](std::string_view bytes) {
        const std::size_t end = std::min(bytes.find('\0'), bytes.size());
        static_cast<void>(p2mpp::parse_bop(bytes.substr(0, end), bytes.substr(std::min(end + 1, bytes.size())), "f"));
      },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_sdfstudio(bytes, "f")); },
  };
  return parse_or_refuse(data + 1, size - 1, kParsers[data[0] % kParsers.size()]);
}
