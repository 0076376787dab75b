#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

using TableRow = std::vector<std::string>;
using TableCells = std::vector<TableRow>;  ///< the header first

/// A number with `decimals` decimals; "-" if it is not finite.
[[nodiscard]] std::string fixed_cell(double value, int decimals);

// Both formats right-align a column if all cells below the header are numbers or "-", and left-align it otherwise.
// Widths are counted in UTF-8 characters.

/// The table as aligned text: columns two spaces apart, no trailing spaces, each row ended by a newline. Rows may have
/// different lengths.
[[nodiscard]] std::string format_table(const TableCells& rows);

/// The table in Markdown, with aligned columns. Precondition: a header, and rows of the same length.
[[nodiscard]] std::string markdown_table(const TableCells& rows);

/// A field according to RFC 4180: if it contains a comma, a quote or a line break, it is quoted, and quotes are
/// doubled. Text that a spreadsheet would compute as a formula, because it begins with = + - @ or a control character
/// and is not a number, gets an apostrophe in front.
[[nodiscard]] std::string csv_field(std::string_view text);

/// A line of fields with a newline (LF) at the end.
[[nodiscard]] std::string csv_line(std::span<const std::string> fields);

/// A number with 9 significant digits; an empty field if it is not finite.
[[nodiscard]] std::string csv_number(double value);

/// A bound on what a file, a request or a client may ask for, for the tables of the documents.
struct Bound {
  std::string what;
  std::string usual;   ///< its value unless the option changes it
  std::string option;  ///< empty: there is none
  std::string beyond;  ///< what happens beyond it
};

/// A table in Markdown.
[[nodiscard]] std::string bounds_table(std::span<const Bound> bounds);

/// "1,536,000,000"
[[nodiscard]] std::string with_commas(unsigned long long number);

}  // namespace p2mpp
