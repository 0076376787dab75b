#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace p2mpp {

/// A document as text, indented by two, with a newline at the end. Bytes that are not UTF-8 (file names may contain
/// any) become U+FFFD; numbers that are not finite become null.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document);

}  // namespace p2mpp
