#include "cli/support/table.h"

#include <algorithm>
#include <cctype>

namespace p2mpp::cli {
namespace {

using Row = std::vector<std::string>;

// Characters, not bytes: UTF-8 continuation bytes do not count.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

bool is_number(const std::string& cell) {
  const std::size_t first = !cell.empty() && (cell[0] == '-' || cell[0] == '+') ? 1 : 0;
  return cell.size() > first && std::isdigit(static_cast<unsigned char>(cell[first])) != 0;
}

struct Column {
  std::size_t width = 0;
  bool right = true;  // every cell below the header is a number
};

std::vector<Column> measure(const std::vector<Row>& rows) {
  std::vector<Column> columns;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    columns.resize(std::max(columns.size(), rows[r].size()));
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      columns[c].width = std::max(columns[c].width, width(rows[r][c]));
      if (r > 0 && !is_number(rows[r][c])) columns[c].right = false;
    }
  }
  return columns;
}

std::string format_row(const Row& row, const std::vector<Column>& columns) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string padding(columns[c].width - width(row[c]), ' ');
    if (c > 0) line += "  ";
    line += columns[c].right ? padding + row[c] : row[c] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  const std::vector<Column> columns = measure(rows);
  std::string text;
  for (const Row& row : rows) text += format_row(row, columns);
  return text;
}

}  // namespace p2mpp::cli
