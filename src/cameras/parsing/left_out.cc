#include "cameras/parsing/left_out.h"

#include <fmt/format.h>

namespace p2mpp {

std::vector<std::string> LeftOut::notes(const std::string& name, std::size_t used) const {
  const std::size_t total = used + refused_ + without_pose_;
  if (used == 0 && without_pose_ > refused_) {
    throw InputError(fmt::format(
        "{}: no camera has a pose (of {}); expected aligned photographs: align them, then export the poses, too", name,
        total));
  }
  if (used == 0 && refused_ > 0) throw InputError(first_);
  std::vector<std::string> lines;
  if (without_pose_ > 0) {
    lines.push_back(fmt::format("{} of {} photographs have no pose and are left out", without_pose_, total));
  }
  if (refused_ > 0) lines.push_back(fmt::format("{} of {} photographs are left out: {}", refused_, total, first_));
  return lines;
}

}  // namespace p2mpp
