#include "cli/support/progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace p2mpp::cli {
namespace {

constexpr std::chrono::milliseconds kBarInterval{100};
constexpr std::chrono::seconds kLineInterval{10};
constexpr std::size_t kBarWidth = 20;  // characters between the brackets
constexpr std::string_view kEraseLine = "\r\x1b[K";

std::string draw_bar(double share) {
  const auto filled = static_cast<std::size_t>(share * kBarWidth);
  std::string bar(filled, '=');
  if (filled < kBarWidth) bar += '>';
  bar.resize(kBarWidth, ' ');
  return "[" + bar + "] ";
}

// "0:07", "1:02:03"
std::string clock_text(double seconds) {
  const auto total = static_cast<long long>(std::ceil(seconds));
  const long long hours = total / 3600;
  const long long minutes = total / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
  return fmt::format("{}:{:02}", minutes, total % 60);
}

// The part that fits on one line of the terminal: a longer bar could not be erased.
std::string clip_to_terminal(std::string text, std::FILE* terminal) {
  winsize size{};
  if (ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 1) {
    text.resize(std::min(text.size(), std::size_t{size.ws_col} - 1));
  }
  return text;
}

}  // namespace

ProgressStyle progress_style(const Settings& settings) {
  if (settings.quiet) return ProgressStyle::kNone;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::kBar : ProgressStyle::kLines;
}

ProgressBar::ProgressBar(std::string what, std::size_t total, ProgressStyle style, std::FILE* terminal)
    : what_(std::move(what)), total_(total), style_(style), terminal_(terminal) {
  if (style_ == ProgressStyle::kBar) set_log_overlay(this);
  show();
}

ProgressBar::~ProgressBar() {
  hide();
  if (style_ == ProgressStyle::kBar) set_log_overlay(nullptr);
}

void ProgressBar::update(std::size_t done, std::size_t failed, Clock::time_point now) {
  done_ = done;
  failed_ = failed;
  if (!due(now)) return;
  last_shown_ = now;
  if (style_ == ProgressStyle::kLines) {
    spdlog::info("{}", describe(now));
  } else {
    hide();
    show();
  }
}

bool ProgressBar::due(Clock::time_point now) const {
  if (style_ == ProgressStyle::kNone) return false;
  return done_ == total_ || now - last_shown_ >= (style_ == ProgressStyle::kLines ? kLineInterval : kBarInterval);
}

void ProgressBar::hide() {
  if (!visible_) return;
  fmt::print(terminal_, "{}", kEraseLine);
  std::fflush(terminal_);
  visible_ = false;
}

void ProgressBar::show() {
  if (style_ != ProgressStyle::kBar) return;
  const double share = total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_);
  const std::string text = draw_bar(std::min(share, 1.0)) + describe(Clock::now());
  fmt::print(terminal_, "{}", clip_to_terminal(text, terminal_));
  std::fflush(terminal_);
  visible_ = true;
}

std::string ProgressBar::describe(Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double share = total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_);
  std::string text = fmt::format("{}/{} {} ({:.0f}%)", done_, total_, what_, std::floor(100 * share));
  if (done_ > 0 && seconds > 0) {
    const double rate = static_cast<double>(done_) / seconds;
    text += fmt::format(", {:.1f} {}/s", rate, what_);
    if (done_ < total_) text += fmt::format(", {} left", clock_text(static_cast<double>(total_ - done_) / rate));
  }
  if (failed_ > 0) text += fmt::format(", {} failed", failed_);
  return text;
}

namespace {

/// The steps of a sample, and what a user calls them.
struct NamedStep {
  std::string_view name, shown;
};
constexpr std::array kSteps = {NamedStep{"read", "photographs"}, NamedStep{"compute", "network"},
                               NamedStep{"fit", "fit"},          NamedStep{"surface", "surface"},
                               NamedStep{"texture", "colours"},  NamedStep{"write", "files"}};

}  // namespace

StepProgress::StepProgress(ProgressStyle style, std::FILE* terminal, Clock::duration patience)
    : style_(style), terminal_(terminal), patience_(patience) {
  if (style_ != ProgressStyle::kBar) return;
  set_log_overlay(this);
  ticker_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
}

StepProgress::~StepProgress() {
  if (style_ != ProgressStyle::kBar) return;
  set_log_overlay(nullptr);
  ticker_.request_stop();
  ticker_.join();
  erase();
}

void StepProgress::begin(std::string_view step, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto* const found = std::ranges::find(kSteps, step, &NamedStep::name);
  if (found == kSteps.end()) return;
  id_ = id;
  step_ = static_cast<std::size_t>(found - kSteps.begin());
  step_start_ = Clock::now();
}

void StepProgress::tick(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, stop, kBarInterval, [&stop] { return stop.stop_requested(); })) {
    if (!hidden_ && Clock::now() - start_ >= patience_) draw();
  }
}

void StepProgress::hide() {
  const std::scoped_lock lock(mutex_);
  hidden_ = true;
  erase();
}

// The ticker draws it again.
void StepProgress::show() {
  const std::scoped_lock lock(mutex_);
  hidden_ = false;
}

void StepProgress::erase() {
  if (!visible_) return;
  fmt::print(terminal_, "{}", kEraseLine);
  std::fflush(terminal_);
  visible_ = false;
}

void StepProgress::draw() {
  if (id_.empty()) return;
  erase();
  const double share = static_cast<double>(step_) / static_cast<double>(kSteps.size());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - step_start_).count();
  const std::string text = fmt::format("{}{}: {}, {} s", draw_bar(share), id_, kSteps[step_].shown, seconds);
  fmt::print(terminal_, "{}", clip_to_terminal(text, terminal_));
  std::fflush(terminal_);
  visible_ = true;
}

}  // namespace p2mpp::cli
