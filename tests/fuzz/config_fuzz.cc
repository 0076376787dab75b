#include "cli/support/command.h"
#include "cli/support/options.h"
#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static p2mpp::cli::Settings settings;
  static p2mpp::cli::ExitCode exit_code{};
  static const auto app = p2mpp::cli::make_app(settings, exit_code);
  return p2mpp::parse_or_refuse(data, size, [](std::string_view bytes) {
    try {
      static_cast<void>(p2mpp::cli::parse_config(*app, std::string(bytes)));
    } catch (const CLI::ParseError&) {  // a usage error, with exit code 2
    }
  });
}
