#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace p2mpp::pickle {

/// The text encodings of pickles. Each function returns nullopt for invalid text.

/// Decodes Python 2's repr of a str, including its quotes ('\x00\n').
[[nodiscard]] std::optional<std::string> from_repr(std::string_view quoted);

/// Decodes Latin-1 with \uXXXX and \UXXXXXXXX escapes (protocol 0) to UTF-8.
[[nodiscard]] std::optional<std::string> from_raw_unicode_escape(std::string_view text);

/// Converts UTF-8 to Latin-1: Python 3 encodes bytes in this way in protocols 0 to 2.
[[nodiscard]] std::optional<std::string> latin1_from_utf8(std::string_view text);

}  // namespace p2mpp::pickle
