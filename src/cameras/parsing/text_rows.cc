#include "cameras/parsing/text_rows.h"

#include <fmt/format.h>

#include <charconv>

#include "p2mpp/error.h"

namespace p2mpp {

std::string_view Columns::word(const char* what) {
  const std::string_view column = take_column(rest_);
  if (!column.empty()) return column;
  throw InputError(fmt::format("{}: has no {}; expected one more column", where_, what));
}

double Columns::number(const char* what) {
  const std::string_view column = word(what);
  const std::optional<double> value = parse_finite(column);
  if (value) return *value;
  throw InputError(fmt::format("{}: the {} is '{}'; expected a finite number", where_, what, printable(column, 40)));
}

std::uint64_t Columns::whole(const char* what) {
  const std::string_view column = word(what);
  std::uint64_t value = 0;
  const char* const end = column.data() + column.size();
  const auto [stopped, error] = std::from_chars(column.data(), end, value);
  if (error == std::errc() && stopped == end) return value;
  throw InputError(fmt::format("{}: the {} is '{}'; expected a whole number", where_, what, printable(column, 40)));
}

std::vector<double> Columns::numbers(const char* what, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) value = number(what);
  return values;
}

std::size_t Columns::count() const {
  std::size_t count = 0;
  for (std::string_view rest = rest_; !take_column(rest).empty();) ++count;
  return count;
}

std::optional<std::vector<double>> numbers_in(std::string_view text) {
  std::vector<double> values;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    for (std::string_view column = take_column(line); !column.empty(); column = take_column(line)) {
      const std::optional<double> value = parse_finite(column);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
  }
  return values;
}

}  // namespace p2mpp
