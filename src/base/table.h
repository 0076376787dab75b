#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

/// A table of text for people, the header first.
using TableCells = std::vector<std::vector<std::string>>;

/// A number with so many decimals, and "-" for one that is not finite.
[[nodiscard]] std::string fixed_cell(double value, int decimals);

// In both formats a column whose cells below the header are all numbers (or "-") is flushed right, any other left.
// Widths are counted in UTF-8 characters.

/// The table as aligned text: columns two spaces apart, no trailing spaces, each row ended by a newline. Rows may have
/// different lengths.
[[nodiscard]] std::string format_table(const TableCells& rows);

/// The table in Markdown, aligned for those who read it as it is. Expects a header, and rows of its length.
[[nodiscard]] std::string markdown_table(const TableCells& rows);

/// A field as RFC 4180 has it: in double quotes, with those inside doubled, where it holds a comma, a quote or a line
/// break.
[[nodiscard]] std::string csv_field(std::string_view text);

/// A line of fields, ended by a newline (LF, as every reader takes it).
[[nodiscard]] std::string csv_line(std::span<const std::string> fields);

/// A number with 9 significant digits, and an empty field for one that is not finite.
[[nodiscard]] std::string csv_number(double value);

}  // namespace p2mpp
