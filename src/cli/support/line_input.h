#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/worker.h"

namespace p2mpp::cli {

/// Lines of an open file, as they come in; waiting for one ends when a stop is asked for.
class LineInput {
 public:
  /// Reads lines of at most `max_bytes`; longer ones are cut there. `stop_requested` is asked several times a second.
  LineInput(int descriptor, std::size_t max_bytes, std::function<bool()> stop_requested)
      : descriptor_(descriptor), max_bytes_(max_bytes), stop_requested_(std::move(stop_requested)) {}

  /// The next line without its end; the last one may lack it. Nothing at the end of the file or after a stop: a line
  /// that has come in part is left then. Throws Error if the file cannot be read.
  std::optional<RequestLine> next();

 private:
  // Waits for more bytes; false at the end of the file or after a stop.
  bool fill();

  [[nodiscard]] RequestLine whole_line(std::string_view text) const;

  int descriptor_;
  std::size_t max_bytes_;
  std::function<bool()> stop_requested_;
  std::string buffer_;  // what has come, from `begin_` on
  std::size_t begin_ = 0;
};

}  // namespace p2mpp::cli
