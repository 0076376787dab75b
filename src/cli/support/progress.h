#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
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
class ProgressBar final : public LogOverlay {
 public:
  /// `what` is the unit that is counted ("samples"). The bar is drawn on `terminal`.
  ProgressBar(std::string what, std::size_t total, ProgressStyle style, std::FILE* terminal = stderr);
  ~ProgressBar() override;  ///< erases the bar
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

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

/// Shows which step of a sample is running, and for how long: a bar on a terminal, once the run has taken two seconds,
/// otherwise nothing. hide() and show() enclose other output to the terminal. Thread-safe. Only one object of this
/// class or Progress may exist at a time.
class StepProgress final : public LogOverlay {
 public:
  static constexpr std::chrono::seconds kPatience{2};

  explicit StepProgress(ProgressStyle style, std::FILE* terminal = stderr, Clock::duration patience = kPatience);
  ~StepProgress() override;  ///< erases the bar
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;

  /// A step of a sample begins: one of PipelineOptions::on_step.
  void begin(std::string_view step, const std::string& id);

  void hide() override;
  void show() override;

 private:
  void tick(const std::stop_token& stop);
  void erase();
  void draw();

  ProgressStyle style_;
  std::FILE* terminal_;
  Clock::duration patience_;
  std::mutex mutex_;  // of what follows
  std::string id_;
  std::size_t step_ = 0;  // index in kSteps
  Clock::time_point start_ = Clock::now(), step_start_ = start_;
  bool visible_ = false, hidden_ = false;
  std::condition_variable_any changed_;
  std::jthread ticker_;
};

}  // namespace p2mpp::cli
