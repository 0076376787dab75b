#include "server/multipart.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "p2mpp/error.h"
#include "server/http.h"

namespace p2mpp {
namespace {

constexpr std::size_t kMaxBoundary = 70;
constexpr const char* kNoName = "a part has no name; expected one Content-Disposition: form-data; name=\"...\"";

/// Removes `token` or `"quoted \" text"` from the front of `rest`. Empty if there is none, or it does not end.
std::optional<std::string> parse_value(std::string_view& rest) {
  std::string value;
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    value = trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
    return value;
  }
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return value;
    }
    const bool is_escaped = rest[i] == '\\' && i + 1 < rest.size() && (rest[i + 1] == '"' || rest[i + 1] == '\\');
    if (is_escaped) ++i;
    value += rest[i];
  }
  return std::nullopt;
}

/// The parameter of a header's value such as `form-data; name="a"; filename="b"`. Empty if it has none.
std::optional<std::string> find_parameter(std::string_view header, std::string_view wanted) {
  std::string_view rest = header;
  rest.remove_prefix(std::min(rest.find(';'), rest.size()));
  while (rest.starts_with(';')) {
    rest.remove_prefix(1);
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string name = lower_case(trimmed(rest.substr(0, equals)));
    rest.remove_prefix(equals + 1);
    rest = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::optional<std::string> value = parse_value(rest);
    if (!value || name == wanted) return value;
    rest = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
  }
  return std::nullopt;
}

std::string_view first_word(std::string_view header) { return trimmed(header.substr(0, header.find(';'))); }

PartHead parse_head(std::string_view text) {
  std::optional<PartHead> head;
  LineReader lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) throw InputError("a part's head has a line without ':'; expected a header");
    if (lower_case(trimmed(line.substr(0, colon))) != "content-disposition") continue;
    const std::string_view value = line.substr(colon + 1);
    const std::optional<std::string> name = find_parameter(value, "name");
    if (head || lower_case(first_word(value)) != "form-data" || !name) throw InputError(kNoName);
    head = PartHead{*name, find_parameter(value, "filename").value_or("")};
  }
  if (!head) throw InputError(kNoName);
  return *std::move(head);
}

}  // namespace

std::string multipart_boundary(std::string_view content_type) {
  const std::optional<std::string> boundary = find_parameter(content_type, "boundary");
  const bool is_good = boundary && !boundary->empty() && boundary->size() <= kMaxBoundary &&
                       std::ranges::all_of(*boundary, [](unsigned char each) { return each >= 0x20 && each < 0x7f; });
  if (lower_case(first_word(content_type)) == "multipart/form-data" && is_good) return *boundary;
  throw InputError(fmt::format("Content-Type: is '{}'; expected multipart/form-data; boundary=... (1 to {} characters)",
                               printable(content_type, 60), kMaxBoundary));
}

void MultipartParser::feed(std::string_view bytes) {
  if (state_ == MultipartState::kEnd) return;  // what follows the last part has no meaning
  buffer_.append(bytes);
  bool progress = true;
  while (progress) {
    switch (state_) {
      case MultipartState::kFirstBoundary:
        progress = parse_boundary();
        break;
      case MultipartState::kBoundaryEnd:
        progress = parse_boundary_end();
        break;
      case MultipartState::kHead:
        progress = parse_part_head();
        break;
      case MultipartState::kBody:
        progress = parse_body();
        break;
      case MultipartState::kEnd:
        buffer_.clear();
        progress = false;
    }
  }
}

void MultipartParser::finish() const {
  if (state_ != MultipartState::kEnd)
    throw InputError("the body ends within a part; expected a last boundary with '--'");
}

bool MultipartParser::parse_boundary() {
  const std::size_t known = std::min(buffer_.size(), delimiter_.size());
  if (buffer_.compare(0, known, delimiter_, 0, known) != 0) {
    throw InputError("the body does not begin with the boundary that Content-Type names");
  }
  if (known < delimiter_.size()) return false;
  buffer_.erase(0, delimiter_.size());
  state_ = MultipartState::kBoundaryEnd;
  return true;
}

bool MultipartParser::parse_boundary_end() {
  if (buffer_.size() < 2) return false;
  const std::string_view end = std::string_view(buffer_).substr(0, 2);
  if (end != "--" && end != "\r\n") throw InputError("a boundary is followed by other bytes than '--' or a line's end");
  if (end == "\r\n" && ++parts_ > kMaxParts) {
    throw InputError(fmt::format("the body has more than {} parts", kMaxParts));
  }
  state_ = end == "--" ? MultipartState::kEnd : MultipartState::kHead;
  buffer_.erase(0, 2);
  return true;
}

bool MultipartParser::parse_part_head() {
  const std::size_t end = buffer_.find("\r\n\r\n");
  if (std::min(end, buffer_.size()) > kMaxPartHead) {
    throw InputError(fmt::format("a part's head has more than {} bytes", kMaxPartHead));
  }
  if (end == std::string::npos) return false;
  receiver_.begin_part(parse_head(std::string_view(buffer_).substr(0, end)));
  buffer_.erase(0, end + 4);
  state_ = MultipartState::kBody;
  return true;
}

bool MultipartParser::parse_body() {
  const std::size_t end = buffer_.find(delimiter_);
  const bool is_whole = end != std::string::npos;
  // The last bytes may be the beginning of a delimiter.
  const std::size_t kept = std::min(buffer_.size(), delimiter_.size() - 1);
  const std::size_t count = is_whole ? end : buffer_.size() - kept;
  if (count > 0) receiver_.part_bytes(std::string_view(buffer_).substr(0, count));
  buffer_.erase(0, is_whole ? end + delimiter_.size() : count);
  if (!is_whole) return false;
  receiver_.end_part();
  state_ = MultipartState::kBoundaryEnd;
  return true;
}

}  // namespace p2mpp
