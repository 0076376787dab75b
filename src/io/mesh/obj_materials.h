#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// What p2mpp reads of a material.
struct ObjMaterial {
  std::string picture;           ///< the name in map_Kd; empty: none
  std::optional<Colour> colour;  ///< Kd
};

/// Parses a material library (MTL). Lines of other kinds are ignored.
[[nodiscard]] std::map<std::string, ObjMaterial, std::less<>> parse_obj_materials(std::string_view text);

/// The name of the only material that format_obj() uses.
inline constexpr std::string_view kTexturedMaterial = "textured";

/// A library of one material with a picture.
[[nodiscard]] std::string format_obj_materials(std::string_view picture, std::string_view comment);

}  // namespace p2mpp
