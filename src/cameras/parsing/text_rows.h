#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace p2mpp {

/// The blank-separated columns of one line, with its place for messages. Methods throw InputError, "{where}: ...".
class Columns {
 public:
  Columns(std::string_view line, std::string where) : rest_(line), where_(std::move(where)) {}

  [[nodiscard]] std::string_view word(const char* what);
  [[nodiscard]] double number(const char* what);
  [[nodiscard]] std::uint64_t whole(const char* what);
  [[nodiscard]] std::vector<double> numbers(const char* what, std::size_t count);

  /// How many columns are left.
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::string_view rest() const { return trimmed(rest_); }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  std::string_view rest_;
  std::string where_;
};

/// Calls `use(columns, lines)` for each line that is neither blank nor a comment.
template <typename Use>
void for_each_row(std::string_view text, const std::string& name, const Use& use) {
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
    use(Columns(line, name + ":" + std::to_string(lines.number())), lines);
  }
}

/// All columns of a text as finite numbers; nullopt if one is none.
[[nodiscard]] std::optional<std::vector<double>> numbers_in(std::string_view text);

}  // namespace p2mpp
