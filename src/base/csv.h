#pragma once

#include <span>
#include <string>
#include <string_view>

namespace p2mpp {

/// A field as RFC 4180 has it: in double quotes, with those inside doubled, where it holds a comma, a quote or a line
/// break.
[[nodiscard]] std::string csv_field(std::string_view text);

/// A line of fields, ended by a newline (LF, as every reader takes it).
[[nodiscard]] std::string csv_line(std::span<const std::string> fields);

/// A number with 9 significant digits, and an empty field for one that is not finite.
[[nodiscard]] std::string csv_number(double value);

}  // namespace p2mpp
