#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "cli/support/command.h"
#include "cli/support/console.h"

namespace p2mpp::cli {

/// The destination and form of the progress display.
enum class ProgressStyle {
  kNone,   ///< --quiet
  kLines,  ///< a log line from time to time: stderr is a file or a pipe
  kBar,    ///< stderr is a terminal
};
[[nodiscard]] ProgressStyle progress_style(const Settings& settings);

/// Shows the progress of a long run: a bar on a terminal, otherwise a line every ten seconds and one at the end. Not
/// thread-safe. Only one object may exist at a time.
class Progress final : public LogOverlay {
 public:
  using Clock = std::chrono::steady_clock;

  /// `what` is the unit that is counted ("samples"). The bar is drawn on `terminal`.
  Progress(std::string what, std::size_t total, ProgressStyle style, std::FILE* terminal = stderr);
  ~Progress() override;  ///< erases the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Sets the number of finished items, and how many of them failed.
  void update(std::size_t done, std::size_t failed, Clock::time_point now = Clock::now());

  void hide() override;
  void show() override;

  /// "123/1000 samples (12%), 11.8 samples/s, 1:15 left, 2 failed"
  [[nodiscard]] std::string describe(Clock::time_point now) const;

 private:
  [[nodiscard]] bool due(Clock::time_point now) const;

  std::string what_;
  std::size_t total_;
  ProgressStyle style_;
  std::FILE* terminal_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_shown_ = start_;
  bool visible_ = false;
};

}  // namespace p2mpp::cli
