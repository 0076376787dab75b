#include <algorithm>
#include <array>
#include <utility>

#include "cameras/programs/camera_files.h"
#include "fuzz/fuzz_target.h"

namespace {

std::pair<std::string_view, std::string_view> two_files(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  return {bytes.substr(0, end), bytes.substr(std::min(end + 1, bytes.size()))};
}

}  // namespace

/// The first byte says the program whose file the others are. Two files have a zero byte between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using p2mpp::parse_or_refuse;
  if (size == 0) return 0;
  static const std::vector<std::string> photographs{"a.png", "b.png", "c.png"};
  using Parse = void (*)(std::string_view bytes);
  constexpr std::array<Parse, 27> kParsers{
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
        const auto [cameras, poses] = two_files(bytes);
        static_cast<void>(p2mpp::parse_bop(cameras, poses, "f"));
      },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_sdfstudio(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_openmvs(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_pix4d(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_open3d_trajectory(bytes, "f", photographs)); },
      [](std::string_view bytes) {
        const auto [log, lens] = two_files(bytes);
        static_cast<void>(p2mpp::parse_open3d_log(log, lens, "f", photographs));
      },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_pose_file(bytes, "f", "a")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_pose_lens(bytes, "f")); },
      [](std::string_view bytes) {
        const auto [odometry, matrix] = two_files(bytes);
        static_cast<void>(p2mpp::parse_stray_scanner(odometry, matrix, "f"));
      },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_openscan(bytes, "f")); },
      [](std::string_view bytes) { static_cast<void>(p2mpp::parse_mve_view(bytes, "f", 64, 48, false)); },
  };
  return parse_or_refuse(data + 1, size - 1, kParsers[data[0] % kParsers.size()]);
}
