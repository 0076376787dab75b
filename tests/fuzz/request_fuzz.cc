#include <nlohmann/json.hpp>

#include "fuzz/fuzz_target.h"
#include "requests/worker_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return p2mpp::parse_or_refuse(data, size, [](std::string_view bytes) {
    static_cast<void>(p2mpp::parse_request(p2mpp::parse_request_line(bytes), 1));
  });
}
