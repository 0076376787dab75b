#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "requests/worker.h"

namespace p2mpp::cli {

/// The reader of the answers to the lines.
struct LineReaderEnd {
  int descriptor = -1;                    ///< of a pipe or a socket to the reader; -1: none
  std::function<void()> on_gone = [] {};  ///< called once nobody reads it any more
};

/// Reads lines of an open file as they arrive. A requested stop ends the waiting.
class LineInput {
 public:
  /// Longer lines than `max_bytes` are truncated. `stop_requested` is called several times a second. While no line
  /// arrives, `reader` is watched.
  LineInput(int descriptor, std::size_t max_bytes, std::function<bool()> stop_requested, LineReaderEnd reader = {})
      : descriptor_(descriptor),
        max_bytes_(max_bytes),
        stop_requested_(std::move(stop_requested)),
        reader_(std::move(reader)) {}

  /// The next line without its line end, which the last line may lack. nullopt at the end of the file and after a stop.
  /// A stop discards an incomplete line. Throws Error if the file cannot be read.
  std::optional<RequestLine> next();

 private:
  // Waits for more bytes; false at the end of the file or after a stop.
  bool fill();

  [[nodiscard]] RequestLine whole_line(std::string_view text) const;

  int descriptor_;
  std::size_t max_bytes_;
  std::function<bool()> stop_requested_;
  LineReaderEnd reader_;
  std::string buffer_;  // bytes read so far; unused from `begin_` on
  std::size_t begin_ = 0;
};

}  // namespace p2mpp::cli
