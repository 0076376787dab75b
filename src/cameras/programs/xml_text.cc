#include "cameras/programs/xml_text.h"

#include <fmt/format.h>

#include "p2mpp/error.h"

namespace p2mpp {

void parse_xml(std::string_view text, const std::string& name, const std::string& expected,
               pugi::xml_document& document) {
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
  if (result) return;
  throw InputError(fmt::format("{}: not valid XML at byte {}: {}; expected {}", name, result.offset,
                               result.description(), expected));
}

}  // namespace p2mpp
