#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace p2mpp {

using Json = nlohmann::ordered_json;  ///< a document that is written: its keys keep their order

/// A document as text, indented by two, with a newline at the end. Bytes that are not UTF-8 (file names may contain
/// any) become U+FFFD; numbers that are not finite become null; characters that control a terminal are escaped.
[[nodiscard]] std::string json_text(const Json& document);

/// The same on one line.
[[nodiscard]] std::string json_line(const Json& document);
[[nodiscard]] std::string json_line(const nlohmann::json& document);

/// Parses a document. Throws InputError (one clause, without a file's name) if it is not JSON, nests more than 64 deep,
/// holds a number beyond a double's range, or an object names a key twice, which readers would understand in different
/// ways. The time is in proportion to the text's length. Asks the stop token.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

/// The same, with the keys in the order of the text.
[[nodiscard]] Json parse_ordered_json(std::string_view text);

}  // namespace p2mpp
