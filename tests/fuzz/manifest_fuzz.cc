#include "eval/run_manifest.h"
#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return p2mpp::parse_or_refuse(
      data, size, [](std::string_view bytes) { static_cast<void>(p2mpp::parse_run(bytes, "manifest.jsonl")); });
}
