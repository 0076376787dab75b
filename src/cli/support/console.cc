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
  switch (verbosity) {
    case Verbosity::kQuiet:
      return spdlog::level::err;
    case Verbosity::kVerbose:
      return spdlog::level::debug;
    case Verbosity::kDefault:
      break;
  }
  return spdlog::level::info;
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

void print_json(const nlohmann::ordered_json& document) { print(json_text(document)); }

void warn_of_hint(const std::string& name, const std::string& hint) {
  if (!hint.empty()) spdlog::warn("{}: the mesh does not cover the object in the images: {}", name, hint);
}

void flush_output() {
  if (!reader_gone && std::fflush(stdout) != 0) check_output();
}

bool output_closed() { return reader_gone; }

void set_log_overlay(LogOverlay* overlay) { log_overlay = overlay; }

}  // namespace p2mpp::cli
