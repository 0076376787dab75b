#include "cli/support/line_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

// Waits are limited, because a signal may arrive between the check for a stop and the wait.
constexpr int kPollMilliseconds = 100;

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

[[noreturn]] void fail() {
  throw Error(fmt::format("stdin: cannot be read: {}", std::generic_category().message(errno)));
}

}  // namespace

std::optional<RequestLine> LineInput::next() {
  RequestLine line;
  for (std::size_t searched = begin_;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      if (!line.too_long) line = whole_line(std::string_view(buffer_).substr(begin_, end - begin_));
      begin_ = end + 1;
      return line;
    }
    if (buffer_.size() - begin_ > max_bytes_) {
      if (!line.too_long) line.text = buffer_.substr(begin_, max_bytes_);
      line.too_long = true;
      begin_ = buffer_.size();  // skip the rest of the line
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    if (fill()) continue;
    if (stop_requested_() || (buffer_.empty() && !line.too_long)) return std::nullopt;
    if (!line.too_long) line = whole_line(buffer_);
    buffer_.clear();
    return line;
  }
}

RequestLine LineInput::whole_line(std::string_view text) const {
  text = without_return(text);
  return {std::string(text.substr(0, max_bytes_)), text.size() > max_bytes_};
}

bool LineInput::fill() {
  std::array<char, 1 << 16> bytes;
  while (!stop_requested_()) {
    std::array<pollfd, 2> watched{{{descriptor_, POLLIN, 0}, {reader_.descriptor, 0, 0}}};
    const int ready = ::poll(watched.data(), watched.size(), kPollMilliseconds);
    if (ready < 0 && errno != EINTR) fail();
    if (ready <= 0) continue;
    if (watched[0].revents == 0) {
      reader_.on_gone();
      reader_.descriptor = -1;  // poll() passes over it
      continue;
    }
    const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR && errno != EAGAIN) fail();
    if (count == 0) return false;
    if (count < 0) continue;
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  return false;
}

}  // namespace p2mpp::cli
