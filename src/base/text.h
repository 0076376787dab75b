#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace p2mpp {

/// Walks through a text's lines: LF or CRLF, with or without a newline at the end, a UTF-8 byte
/// order mark skipped. The text is not copied.
class LineReader {
 public:
  explicit LineReader(std::string_view text);

  /// Sets `line` to the next one, without its end; false when there is none.
  bool next(std::string_view& line);

  /// Of the line that next() gave last, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

  /// Where the next line begins, in bytes from the start of the text.
  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  std::size_t number_ = 0;
};

/// Takes the first column (between blanks) off `rest`; empty when there is none left.
[[nodiscard]] std::string_view take_column(std::string_view& rest);

/// The line up to '#', as numpy.loadtxt reads it.
[[nodiscard]] std::string_view without_comment(std::string_view line);

/// The line without the blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view line);

/// The whole token as a finite decimal number, whatever the locale says; nothing for anything else
/// (nan, inf, 1e400, 0x10).
[[nodiscard]] std::optional<double> parse_finite(std::string_view token);

/// Fit for one line of a message and for JSON: control characters and what is not UTF-8 escaped,
/// what goes beyond max_length bytes cut.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_length = 200);

/// The path as it appears in messages.
[[nodiscard]] std::string display(const std::filesystem::path& path);

/// The path's extension in lower case, with its dot.
[[nodiscard]] std::string lower_extension(const std::filesystem::path& path);

/// Whether `a` sorts before `b` when runs of digits compare as numbers: plane2 before plane10. A
/// strict weak order; names that differ in leading zeros only are told apart by these.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace p2mpp
