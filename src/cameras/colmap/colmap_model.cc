#include "cameras/colmap/colmap_model.h"

#include <fmt/format.h>

#include "p2mpp/error.h"

namespace p2mpp {

int checked_side(std::uint64_t pixels, const std::string& where) {
  constexpr std::uint64_t kMaxSide = 1'000'000;
  if (pixels >= 1 && pixels <= kMaxSide) return static_cast<int>(pixels);
  throw InputError(fmt::format("{}: the image has {} pixels a side; expected 1 to {}", where, pixels, kMaxSide));
}

void add_camera(std::int64_t id, const ColmapCamera& camera, const std::string& where, ColmapCameras& cameras) {
  const auto [known, is_new] = cameras.try_emplace(id, camera);
  ColmapCamera& other = known->second;
  if (is_new || !other.refusal.empty()) return;
  if (other.lens == camera.lens && other.width == camera.width && other.height == camera.height) return;
  other.refusal = fmt::format("{}: camera {} appears twice with different values; expected it once", where, id);
}

}  // namespace p2mpp
