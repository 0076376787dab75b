#include "base/table_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace p2mpp {
namespace {

struct Column {
  std::size_t width = 3;  // bytes; Markdown wants three dashes
  bool numbers = true;
};

bool is_number(const std::string& cell) {
  return cell == "-" || (!cell.empty() && std::isdigit(static_cast<unsigned char>(cell.front())) != 0);
}

// A bar would begin the next column.
std::string escaped(const std::string& cell) {
  std::string text;
  for (const char character : cell) {
    if (character == '|') text += '\\';
    text += character;
  }
  return text;
}

std::vector<Column> measure(const TableCells& rows) {
  std::vector<Column> columns(rows.front().size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      columns[c].width = std::max(columns[c].width, escaped(rows[r][c]).size());
      if (r > 0 && !is_number(rows[r][c])) columns[c].numbers = false;
    }
  }
  return columns;
}

std::string line(const std::vector<std::string>& cells, const std::vector<Column>& columns) {
  std::string text = "|";
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string cell = escaped(cells[c]);
    text += columns[c].numbers ? fmt::format(" {:>{}} |", cell, columns[c].width)
                               : fmt::format(" {:<{}} |", cell, columns[c].width);
  }
  return text + '\n';
}

std::string rule(const std::vector<Column>& columns) {
  std::string text = "|";
  for (const Column& column : columns) {
    text += fmt::format(" {:-<{}}{} |", "", column.width - 1, column.numbers ? ':' : '-');
  }
  return text + '\n';
}

}  // namespace

std::string fixed_cell(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}

std::string markdown_table(const TableCells& rows) {
  const std::vector<Column> columns = measure(rows);
  std::string text = line(rows.front(), columns) + rule(columns);
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) text += line(*row, columns);
  return text;
}

}  // namespace p2mpp
