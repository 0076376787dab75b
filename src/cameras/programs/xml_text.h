#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace p2mpp {

/// Parses a document of elements, attributes and texts; entities of a DTD are not expanded. Throws InputError, "{name}:
/// not valid XML at byte N: ...; expected {expected}".
void parse_xml(std::string_view text, const std::string& name, const std::string& expected,
               pugi::xml_document& document);

}  // namespace p2mpp
