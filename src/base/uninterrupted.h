#pragma once

namespace p2mpp {

/// While one exists, end_between_files() does not end the program: a file is there under a temporary name. Any thread
/// may have one.
class Uninterrupted {
 public:
  Uninterrupted() noexcept;
  Uninterrupted(const Uninterrupted& /*other*/) noexcept : Uninterrupted() {}
  Uninterrupted& operator=(const Uninterrupted&) = default;
  ~Uninterrupted();
};

/// Ends the program with an exit code, without any destructor: now, and otherwise as soon as no Uninterrupted exists.
/// May be called by a signal handler.
void end_between_files(int code) noexcept;

}  // namespace p2mpp
