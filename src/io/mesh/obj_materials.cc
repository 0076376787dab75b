#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "io/mesh/mesh_formats.h"

namespace p2mpp {
namespace {

/// The options that may stand before a picture's name, with the most and the least numbers or words after each.
struct MapOption {
  std::string_view name;
  int least, most;
};
constexpr std::array<MapOption, 13> kMapOptions{{{"-blendu", 1, 1},
                                                 {"-blendv", 1, 1},
                                                 {"-bm", 1, 1},
                                                 {"-boost", 1, 1},
                                                 {"-cc", 1, 1},
                                                 {"-clamp", 1, 1},
                                                 {"-imfchan", 1, 1},
                                                 {"-mm", 2, 2},
                                                 {"-o", 1, 3},
                                                 {"-s", 1, 3},
                                                 {"-t", 1, 3},
                                                 {"-texres", 1, 1},
                                                 {"-type", 1, 1}}};

/// A name may have blanks in it, so it is the rest of the line.
std::string picture_name(std::string_view rest) {
  while (true) {
    rest = trimmed(rest);
    std::string_view after = rest;
    const std::string_view word = take_column(after);
    const auto* const option = std::ranges::find(kMapOptions, word, &MapOption::name);
    if (option == kMapOptions.end()) return std::string(rest);
    for (int i = 0; i < option->most; ++i) {
      std::string_view next = after;
      const bool is_number = parse_finite(take_column(next)).has_value();
      if (i < option->least || is_number) after = next;
    }
    rest = after;
  }
}

std::optional<Colour> material_colour(std::string_view rest) {
  Colour colour{};
  for (std::uint8_t& channel : colour) {
    const std::optional<double> value = parse_finite(take_column(rest));
    if (!value) return std::nullopt;
    channel = static_cast<std::uint8_t>(std::lround(255 * std::clamp(*value, 0.0, 1.0)));
  }
  return colour;
}

}  // namespace

std::map<std::string, ObjMaterial, std::less<>> parse_obj_materials(std::string_view text) {
  std::map<std::string, ObjMaterial, std::less<>> materials;
  ObjMaterial* material = nullptr;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line;
    const std::string kind = lower_case(take_column(rest));  // programs differ in capitals
    if (kind == "newmtl") material = &materials[std::string(trimmed(rest))];
    if (material == nullptr) continue;
    if (kind == "map_kd") material->picture = picture_name(rest);
    if (kind == "kd") material->colour = material_colour(rest);
  }
  return materials;
}

std::string format_obj_materials(std::string_view picture, std::string_view comment) {
  std::string text;
  LineReader lines(comment);
  for (std::string_view line; lines.next(line);) text.append("# ").append(line).append("\n");
  return text + fmt::format("newmtl {}\nKd 1 1 1\nmap_Kd {}\n", kTexturedMaterial, picture);
}

}  // namespace p2mpp
