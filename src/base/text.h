#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace p2mpp {

/// The text without the UTF-8 byte order mark that editors of Windows put before it.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

/// Iterates over the lines of a text: LF, CRLF, or CR alone if there is no LF; with or without an end of the last line.
/// A UTF-8 byte order mark is skipped. The text is not copied and must outlive the reader.
class LineReader {
 public:
  explicit LineReader(std::string_view text);

  /// Sets `line` to the next line, without its end. Returns false if there is none. Asks the stop token.
  bool next(std::string_view& line);

  /// The number of the line that next() returned last, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

  /// The start of the next line, in bytes from the start of the text.
  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  std::size_t number_ = 0;
  char line_end_ = '\n';
};

/// Removes the first blank-separated column from `rest` and returns it; empty if there is none.
[[nodiscard]] std::string_view take_column(std::string_view& rest);

/// The line up to the first '#', as numpy.loadtxt reads it.
[[nodiscard]] std::string_view without_comment(std::string_view line);

/// The line without the blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view line);

/// Parses the whole token as a finite decimal number, independent of the locale. nullopt for anything else (nan, inf,
/// 1e400, 0x10).
[[nodiscard]] std::optional<double> parse_finite(std::string_view token);

/// Makes text suitable for one line of a message and for JSON. Escapes characters that control a terminal (C0, C1, and
/// those that change the direction of writing) and invalid UTF-8. Cuts off bytes beyond max_length.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_length = 200);

/// The same for text of several lines, without a limit: line ends and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Escapes the characters of a JSON text that control a terminal ("\\u202e"). Precondition: valid JSON, in UTF-8.
[[nodiscard]] std::string printable_json(std::string text);

/// Replaces every occurrence. Precondition: `what` is not empty.
void replace_all(std::string& text, std::string_view what, std::string_view by);

/// Escapes text for use between tags of HTML or XML, and in their attributes.
[[nodiscard]] std::string markup_escaped(std::string_view text);

/// The path for messages.
[[nodiscard]] std::string display(const std::filesystem::path& path);

/// The text with ASCII letters in lower case: names of hosts, headers and types have no case (RFC 9110, 4.2.3 and 5.1).
[[nodiscard]] std::string lower_case(std::string_view text);

/// The path's extension in lower case, with its dot.
[[nodiscard]] std::string lower_extension(const std::filesystem::path& path);

/// Whether `a` sorts before `b` if runs of digits compare as numbers: plane2 before plane10. A strict weak order;
/// leading zeros decide between names that are otherwise equal.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

/// The smallest number of insertions, deletions, replacements and swaps of neighbours that turns one word into the
/// other. Source: optimal string alignment, after Damerau (1964).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace p2mpp
