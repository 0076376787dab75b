#pragma once

#include <string>
#include <vector>

namespace p2mpp::cli {

/// Rows of cells as text with aligned columns, two spaces apart, no trailing spaces; each row ends in a newline.
/// The first row is the header. A column whose other cells are all numbers is flushed right, any other left. Widths are
/// counted in UTF-8 characters.
[[nodiscard]] std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace p2mpp::cli
