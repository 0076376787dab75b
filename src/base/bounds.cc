#include "base/bounds.h"

#include <fmt/format.h>

namespace p2mpp {

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
