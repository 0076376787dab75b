#pragma once

#include <fmt/format.h>

#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "p2mpp/error.h"

namespace p2mpp {

/// Parses a document of elements, attributes and texts; entities of a DTD are not expanded. Throws InputError, "{name}:
/// not valid XML at byte N: ...; expected {expected}".
inline void parse_xml(std::string_view text, const std::string& name, const std::string& expected,
                      pugi::xml_document& document) {
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
  if (result) return;
  throw InputError(fmt::format("{}: not valid XML at byte {}: {}; expected {}", name, result.offset,
                               result.description(), expected));
}

}  // namespace p2mpp
