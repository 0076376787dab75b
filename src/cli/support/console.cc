#include "cli/support/console.h"

#include <fmt/format.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/json_text.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

LogOverlay* log_overlay = nullptr;
std::atomic<bool> reader_gone = false;  // read by other threads of the worker

using StderrSink = spdlog::sinks::ansicolor_stderr_sink_mt;

class OneLineSink final : public StderrSink {
 public:
  explicit OneLineSink(spdlog::color_mode mode) : StderrSink(mode) {}

  void log(const spdlog::details::log_msg& message) override {
    const std::string text = printable({message.payload.data(), message.payload.size()}, std::string::npos);
    spdlog::details::log_msg line = message;
    line.payload = text;
    if (log_overlay != nullptr) log_overlay->hide();
    StderrSink::log(line);
    if (log_overlay != nullptr) log_overlay->show();
  }
};

spdlog::color_mode color_mode() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color != nullptr && *no_color != '\0' ? spdlog::color_mode::never : spdlog::color_mode::automatic;
}

spdlog::level::level_enum level(Verbosity verbosity) {
  if (verbosity == Verbosity::kQuiet) return spdlog::level::err;
  return verbosity == Verbosity::kVerbose ? spdlog::level::debug : spdlog::level::info;
}

// Called after stdout failed. A reader that has closed the pipe is not an error.
void check_output() {
  if (errno != EPIPE) throw Error(fmt::format("stdout: {}; the result is incomplete", std::strerror(errno)));
  reader_gone = true;
}

}  // namespace

void set_up_log(Verbosity verbosity) {
  auto logger = std::make_shared<spdlog::logger>("p2mpp", std::make_shared<OneLineSink>(color_mode()));
  logger->set_pattern("p2mpp: %^%l%$: %v");
  logger->set_level(level(verbosity));
  spdlog::set_default_logger(std::move(logger));
}

void print(std::string_view text) {
  if (reader_gone) return;
  const std::string printable = printable_lines(text);
  if (std::fwrite(printable.data(), 1, printable.size(), stdout) != printable.size()) check_output();
}

void print_json(const Json& document) { print(json_text(document)); }

void warn_of_hint(const std::string& name, const std::string& hint) {
  if (!hint.empty()) spdlog::warn("{}: the mesh does not cover the object in the images: {}", name, hint);
}

void flush_output() {
  if (!reader_gone && std::fflush(stdout) != 0) check_output();
}

bool output_closed() { return reader_gone; }

void set_log_overlay(LogOverlay* overlay) { log_overlay = overlay; }

namespace {

constexpr std::size_t kLoggedPerReason = 3;

}  // namespace

std::string reason_without_file(const std::string& id, const std::string& reason) {
  std::string shared = reason;
  const std::size_t colon = shared.find(": ");
  if (colon != std::string::npos && shared.find('/') < colon) shared.erase(0, colon + 2);
  if (!id.empty()) replace_all(shared, id, "ID");
  return shared;
}

void FoldedLog::add(const std::string& id, const std::string& reason, const std::string& place) {
  const std::lock_guard lock(mutex_);
  if (++count_of_[reason_without_file(id, reason)] > kLoggedPerReason) return;
  log(fmt::format("{}{}{}{}{}", place, place.empty() ? "" : ": ", id, id.empty() ? "" : ": ", reason));
}

void FoldedLog::add_line(const std::string& line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string::npos) return add({}, line);
  add(line.substr(0, colon), line.substr(colon + 2));
}

void FoldedLog::finish() {
  const std::lock_guard lock(mutex_);
  for (const auto& [reason, count] : count_of_) {
    if (count > kLoggedPerReason) log(fmt::format("{} more samples: {}", count - kLoggedPerReason, reason));
  }
  count_of_.clear();
}

void FoldedLog::log(const std::string& line) const {
  spdlog::log(severity_ == Severity::kError ? spdlog::level::err : spdlog::level::warn, "{}", line);
}

}  // namespace p2mpp::cli
