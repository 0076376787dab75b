#include "cli/support/progress.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "support/messages.h"

namespace p2mpp::cli {
namespace {

using std::chrono::seconds;

std::string contents(std::FILE* file) {
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

// The log's lines.
class CapturedLog {
 public:
  CapturedLog() : before_(spdlog::default_logger()) {
    auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_st>(stream_));
    logger->set_pattern("%v");
    spdlog::set_default_logger(std::move(logger));
  }
  ~CapturedLog() { spdlog::set_default_logger(before_); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  [[nodiscard]] std::string text() const { return stream_.str(); }

 private:
  std::ostringstream stream_;
  std::shared_ptr<spdlog::logger> before_;
};

TEST(ProgressBar, SaysHowFarAndHowLong) {
  ProgressBar progress("samples", 40, ProgressStyle::kNone);
  const auto start = Clock::now();
  progress.update(10, 2, start);
  const std::string text = progress.describe(start + seconds(10));
  EXPECT_EQ(text.substr(0, text.find("0:")), "10/40 samples (25%), 1.0 samples/s, ");
  EXPECT_HOLDS(text, " left, 2 failed");
}

TEST(ProgressBar, SaysNothingOfRatesBeforeTheFirst) {
  const ProgressBar progress("samples", 7, ProgressStyle::kNone);
  EXPECT_EQ(progress.describe(Clock::now()), "0/7 samples (0%)");
  const ProgressBar empty("samples", 0, ProgressStyle::kNone);
  EXPECT_EQ(empty.describe(Clock::now()), "0/0 samples (100%)");
}

TEST(ProgressBar, WritesALineEveryTenSecondsAndOneAtTheEnd) {
  const CapturedLog log;
  ProgressBar progress("samples", 100, ProgressStyle::kLines);
  const auto start = Clock::now();
  for (std::size_t second = 1; second <= 100; ++second) {
    progress.update(second, 0, start + seconds(second) / 4);
  }
  std::istringstream lines(log.text());
  std::vector<std::string> counts;
  for (std::string line; std::getline(lines, line);) counts.push_back(line.substr(0, line.find(' ')));
  ASSERT_EQ(counts.size(), 3u) << log.text();
  EXPECT_EQ(counts.back(), "100/100");
}

TEST(ProgressBar, DrawsABarAndTakesItAway) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> terminal(std::tmpfile(), std::fclose);
  {
    ProgressBar progress("samples", 4, ProgressStyle::kBar, terminal.get());
    progress.update(4, 0);
  }
  const std::string text = contents(terminal.get());
  EXPECT_HOLDS(text, "[>                   ] 0/4 samples (0%)");
  EXPECT_HOLDS(text, "[====================] 4/4 samples (100%)");
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
}

TEST(ProgressBar, StaysOutOfTheLogsWay) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> terminal(std::tmpfile(), std::fclose);
  ProgressBar progress("samples", 4, ProgressStyle::kBar, terminal.get());
  progress.hide();
  EXPECT_TRUE(contents(terminal.get()).ends_with("\r\x1b[K"));
  progress.show();
  EXPECT_TRUE(contents(terminal.get()).ends_with("0/4 samples (0%)"));
}

TEST(ProgressBar, IsSilentWhenQuiet) {
  const CapturedLog log;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> terminal(std::tmpfile(), std::fclose);
  ProgressBar progress("samples", 1, ProgressStyle::kNone, terminal.get());
  progress.update(1, 0);
  EXPECT_EQ(log.text(), "");
  EXPECT_EQ(contents(terminal.get()), "");
}

TEST(ProgressStyle, FollowsQuiet) {
  Settings settings;
  settings.quiet = true;
  EXPECT_EQ(progress_style(settings), ProgressStyle::kNone);
}

TEST(StepProgress, ShowsTheStepOnATerminal) {
  std::FILE* const terminal = std::tmpfile();
  const auto drawn = [&](ProgressStyle style, Clock::duration patience) {
    const long before = std::ftell(terminal);
    {
      StepProgress progress(style, terminal, patience);
      progress.begin("fit", "chair");
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
      progress.hide();
      progress.show();
    }
    std::fseek(terminal, before, SEEK_SET);
    std::string text(200, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), terminal));
    return text;
  };
  const std::string bar = drawn(ProgressStyle::kBar, seconds(0));
  EXPECT_HOLDS(bar, "[======>             ] chair: fit, 0 s");
  EXPECT_TRUE(bar.ends_with("\r\x1b[K")) << "it is erased";
  EXPECT_EQ(drawn(ProgressStyle::kBar, seconds(2)), "") << "short runs show nothing";
  EXPECT_EQ(drawn(ProgressStyle::kLines, seconds(0)), "");
  std::fclose(terminal);
}

}  // namespace
}  // namespace p2mpp::cli
