#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

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

/// Owns a file descriptor, or none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  explicit operator bool() const { return descriptor_ >= 0; }
  [[nodiscard]] int get() const { return descriptor_; }
  /// Gives the descriptor to the caller, who closes it.
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

  /// Writes all bytes. Returns false if that fails (see errno).
  [[nodiscard]] bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  /// Closes the file. Returns false if the system reports a write error (see errno).
  bool close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_ = -1;
};

}  // namespace p2mpp
