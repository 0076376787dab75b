#include "io/mesh/raw_colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace p2mpp {

void RawColours::add(const std::array<double, 3>& channels) {
  std::array<float, 3>& colour = colours_.emplace_back().emplace();
  ++coloured_;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const double channel = std::isfinite(channels[i]) ? channels[i] : 0;
    most_ = std::max(most_, channel);
    colour[i] = static_cast<float>(channel);
  }
}

void RawColours::add_none() { colours_.emplace_back(); }

std::vector<std::optional<Colour>> RawColours::all() const {
  const double range = std::max(least_, most_ <= 1 ? 1.0 : most_ <= 255 ? 255.0 : 65535.0);
  std::vector<std::optional<Colour>> colours;
  colours.reserve(colours_.size());
  for (const std::optional<std::array<float, 3>>& raw : colours_) {
    std::optional<Colour>& colour = colours.emplace_back();
    if (!raw) continue;
    colour.emplace();
    for (std::size_t i = 0; i < raw->size(); ++i) {
      const double share = std::clamp(static_cast<double>((*raw)[i]) / range, 0.0, 1.0);
      (*colour)[i] = static_cast<std::uint8_t>(std::lround(255 * share));
    }
  }
  return colours;
}

std::vector<Colour> RawColours::of_vertices(std::vector<std::string>& notes) const {
  if (coloured_ == 0) return {};
  if (coloured_ < colours_.size()) {
    notes.push_back(
        fmt::format("{} of {} vertices have no colour, and become grey", colours_.size() - coloured_, colours_.size()));
  }
  std::vector<Colour> colours;
  for (const std::optional<Colour>& colour : all()) colours.push_back(colour.value_or(kNoMaterial));
  return colours;
}

}  // namespace p2mpp
