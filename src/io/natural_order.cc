#include "io/natural_order.h"

#include <algorithm>
#include <compare>
#include <cstddef>

namespace p2mpp {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes a run of digits, or one other character, off the front.
std::string_view take_piece(std::string_view& rest) {
  std::size_t length = 1;
  if (is_digit(rest.front())) {
    while (length < rest.size() && is_digit(rest[length])) ++length;
  }
  const std::string_view piece = rest.substr(0, length);
  rest.remove_prefix(length);
  return piece;
}

std::strong_ordering compare_pieces(std::string_view a, std::string_view b) {
  if (!is_digit(a.front()) || !is_digit(b.front())) return a <=> b;
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view rest_a = a;
  std::string_view rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    const std::strong_ordering order = compare_pieces(take_piece(rest_a), take_piece(rest_b));
    if (order != 0) return order < 0;
  }
  if (rest_a.empty() != rest_b.empty()) return rest_a.empty();
  return a < b;
}

}  // namespace p2mpp
