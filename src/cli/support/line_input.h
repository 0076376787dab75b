#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/worker.h"

namespace p2mpp::cli {

/// Reads lines of an open file as they arrive. A requested stop ends the waiting.
class LineInput {
 public:
  /// Longer lines than `max_bytes` are truncated. `stop_requested` is called several times a second.
  LineInput(int descriptor, std::size_t max_bytes, std::function<bool()> stop_requested)
      : descriptor_(descriptor), max_bytes_(max_bytes), stop_requested_(std::move(stop_requested)) {}

  /// The next line without its line end, which the last line may lack. Nothing at the end of the file, or after a stop,
  /// which discards an incomplete line. Throws Error if the file cannot be read.
  std::optional<RequestLine> next();

 private:
  // Waits for more bytes; false at the end of the file or after a stop.
  bool fill();

  [[nodiscard]] RequestLine whole_line(std::string_view text) const;

  int descriptor_;
  std::size_t max_bytes_;
  std::function<bool()> stop_requested_;
  std::string buffer_;  // bytes read so far; unused from `begin_` on
  std::size_t begin_ = 0;
};

}  // namespace p2mpp::cli
