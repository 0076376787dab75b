#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace p2mpp::pickle {

/// The text encodings of pickles; each gives nothing for what is not valid in it.

/// Python 2's repr of a str, quotes included ('\x00\n').
[[nodiscard]] std::optional<std::string> from_repr(std::string_view quoted);

/// Latin-1 with \uXXXX and \UXXXXXXXX escapes (protocol 0), as UTF-8.
[[nodiscard]] std::optional<std::string> from_raw_unicode_escape(std::string_view text);

/// UTF-8 as Latin-1: how Python 3 hides bytes in protocols 0 to 2.
[[nodiscard]] std::optional<std::string> latin1_from_utf8(std::string_view text);

}  // namespace p2mpp::pickle
