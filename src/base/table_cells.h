#pragma once

#include <string>
#include <vector>

namespace p2mpp {

/// A table of text for people, the header first.
using TableCells = std::vector<std::vector<std::string>>;

/// A number with so many decimals, and "-" for one that is not finite.
[[nodiscard]] std::string fixed_cell(double value, int decimals);

/// The table in Markdown, its columns aligned for those who read it as it is; those of numbers are flushed right.
[[nodiscard]] std::string markdown_table(const TableCells& rows);

}  // namespace p2mpp
