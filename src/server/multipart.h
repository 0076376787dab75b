#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace p2mpp {

/// The head of a part of multipart/form-data (RFC 7578).
struct PartHead {
  std::string name;      ///< of the field
  std::string filename;  ///< as sent; empty if the part is no file
};

/// Receives the parts of a body, in their order. Its functions may throw InputError, which feed() passes on.
class PartReceiver {
 public:
  virtual ~PartReceiver() = default;
  virtual void begin_part(const PartHead& head) = 0;
  virtual void part_bytes(std::string_view bytes) = 0;
  virtual void end_part() = 0;
};

/// The boundary that a Content-Type names. Throws InputError unless it is multipart/form-data with one.
[[nodiscard]] std::string multipart_boundary(std::string_view content_type);

/// Parses a multipart/form-data body as it arrives, in pieces of any size. Keeps only a part's head and bytes that may
/// be the beginning of a boundary.
class MultipartParser {
 public:
  static constexpr std::size_t kMaxPartHead = 4096;  ///< bytes
  static constexpr std::size_t kMaxParts = 600;

  MultipartParser(const std::string& boundary, PartReceiver& receiver)
      : delimiter_("\r\n--" + boundary), receiver_(receiver) {}

  /// Throws InputError (one clause) for a body that is malformed or has too many parts.
  void feed(std::string_view bytes);

  /// The body has ended. Throws InputError if its last part has not.
  void finish() const;

 private:
  enum class MultipartState { kFirstBoundary, kBoundaryEnd, kHead, kBody, kEnd };

  // Each parses what it can from the front of buffer_. Returns false if more bytes are needed.
  bool parse_boundary();
  bool parse_boundary_end();
  bool parse_part_head();
  bool parse_body();

  const std::string delimiter_;
  PartReceiver& receiver_;
  MultipartState state_ = MultipartState::kFirstBoundary;
  std::string buffer_ = "\r\n";  // a body begins as if after a line's end
  std::size_t parts_ = 0;
};

}  // namespace p2mpp
