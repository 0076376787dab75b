#include "cameras/programs/words.h"

#include <fmt/format.h>

#include <cmath>

namespace p2mpp {

std::string Words::where() const { return fmt::format("{}:{}", name_, lines_.number()); }

bool Words::at_end() {
  while (trimmed(line_).empty() || trimmed(line_).starts_with('#')) {
    if (!lines_.next(line_)) return true;
  }
  return false;
}

void Words::skip_to_word() {
  if (at_end()) {
    throw InputError(fmt::format("{}: ends too early; expected more numbers (an incomplete file?)", name_));
  }
}

std::string Words::row(std::size_t count) {
  std::string text;
  for (; count > 0; --count) {
    skip_to_word();
    text += take_column(line_);
    text += ' ';
  }
  return text;
}

double Words::number(const char* what) {
  skip_to_word();
  return Columns(take_column(line_), where()).number(what);
}

std::vector<double> Words::numbers(const char* what, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) value = number(what);
  return values;
}

std::size_t Words::count(const char* what) {
  const double value = number(what);
  constexpr double kMost = 1e8;
  if (value >= 0 && value <= kMost && value == std::floor(value)) return static_cast<std::size_t>(value);
  throw InputError(fmt::format("{}: the {} is {}; expected a whole number", where(), what, value));
}

std::string_view Words::line() {
  skip_to_word();
  return trimmed(std::exchange(line_, std::string_view()));
}

}  // namespace p2mpp
