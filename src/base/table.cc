#include "base/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.h"

namespace p2mpp {
namespace {

struct TableColumn {
  std::size_t width = 0;  // characters
  bool numbers = true;
};

// Characters, not bytes: UTF-8 continuation bytes do not count.
std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

bool is_number(const std::string& cell) {
  if (cell == "-") return true;
  const std::size_t first = !cell.empty() && (cell[0] == '-' || cell[0] == '+') ? 1 : 0;
  return cell.size() > first && std::isdigit(static_cast<unsigned char>(cell[first])) != 0;
}

std::vector<TableColumn> measure(const TableCells& rows) {
  std::vector<TableColumn> columns;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    columns.resize(std::max(columns.size(), rows[r].size()));
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      columns[c].width = std::max(columns[c].width, text_width(rows[r][c]));
      if (r > 0 && !is_number(rows[r][c])) columns[c].numbers = false;
    }
  }
  return columns;
}

std::string aligned(const std::string& cell, const TableColumn& column) {
  const std::string padding(column.width - text_width(cell), ' ');
  return column.numbers ? padding + cell : cell + padding;
}

// An unescaped bar would start the next column.
TableCells with_escaped_bars(TableCells rows) {
  for (TableRow& row : rows) {
    for (std::string& cell : row) {
      for (std::size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) cell.insert(at, 1, '\\');
    }
  }
  return rows;
}

std::string markdown_line(const TableRow& row, const std::vector<TableColumn>& columns) {
  std::string line = "|";
  for (std::size_t c = 0; c < columns.size(); ++c) line += ' ' + aligned(row[c], columns[c]) + " |";
  return line + '\n';
}

std::string markdown_rule(const std::vector<TableColumn>& columns) {
  std::string line = "|";
  for (const TableColumn& column : columns) {
    line += ' ' + std::string(column.width - 1, '-') + (column.numbers ? ':' : '-') + " |";
  }
  return line + '\n';
}

// OWASP, "CSV Injection".
bool begins_a_formula(std::string_view text) {
  constexpr std::string_view kSigns = "=+-@\t\r\n";
  return !text.empty() && kSigns.find(text.front()) != std::string_view::npos && !parse_finite(text);
}

}  // namespace

std::string fixed_cell(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}

std::string format_table(const TableCells& rows) {
  const std::vector<TableColumn> columns = measure(rows);
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += (c > 0 ? "  " : "") + aligned(row[c], columns[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string markdown_table(const TableCells& cells) {
  constexpr std::size_t kLeastWidth = 3;  // Markdown requires three dashes
  const TableCells rows = with_escaped_bars(cells);
  std::vector<TableColumn> columns = measure(rows);
  for (TableColumn& column : columns) column.width = std::max(column.width, kLeastWidth);
  std::string text = markdown_line(rows.front(), columns) + markdown_rule(columns);
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) text += markdown_line(*row, columns);
  return text;
}

std::string csv_field(std::string_view text) {
  if (begins_a_formula(text)) return csv_field(std::string("'").append(text));
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

std::string csv_line(std::span<const std::string> fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_field(fields[i]);
  }
  return line + '\n';
}

std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{:.9g}", value) : ""; }

std::string bounds_table(std::span<const Bound> bounds) {
  std::string table = "| bound | default | option | beyond it |\n|---|---|---|---|\n";
  for (const Bound& bound : bounds) {
    const std::string option = bound.option.empty() ? "" : fmt::format("`{}`", bound.option);
    table += fmt::format("| {} | {} | {} | {} |\n", bound.what, bound.usual, option, bound.beyond);
  }
  return table;
}

std::string with_commas(unsigned long long number) {
  if (number < 1000) return fmt::format("{}", number);
  return fmt::format("{},{:03}", with_commas(number / 1000), number % 1000);
}

}  // namespace p2mpp
