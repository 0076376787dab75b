// A worker's stdin: lines, requests and their queue.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "cli/support/line_input.h"
#include "fuzz/fuzz_target.h"
#include "requests/request_queue.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxLine = 300;
  const p2mpp::FileDescriptor file(::memfd_create("stdin", MFD_CLOEXEC));
  if (!file.write_all({reinterpret_cast<const char*>(data), size}) || ::lseek(file.get(), 0, SEEK_SET) != 0)
    std::abort();
  p2mpp::cli::LineInput input(file.get(), kMaxLine, [] { return false; });
  p2mpp::RequestQueue queue(size + 1);
  std::size_t lines = 0, accepted = 0;
  while (const std::optional<p2mpp::RequestLine> line = input.next()) {
    ++lines;
    if (line->text.size() > kMaxLine) std::abort();
    const auto* text = reinterpret_cast<const std::uint8_t*>(line->text.data());
    p2mpp::parse_or_refuse(text, line->text.size(), [&](std::string_view bytes) {
      p2mpp::WorkerRequest request = p2mpp::parse_request(p2mpp::parse_request_line(bytes), lines);
      if (!queue.push({lines, std::move(request), p2mpp::Clock::now()})) std::abort();
      ++accepted;
    });
  }
  if (lines > size + 1) std::abort();
  queue.close();
  for (std::size_t batch = 1; accepted > 0; batch = batch % 4 + 1) {
    const std::size_t taken = queue.pop_batch(batch, std::chrono::milliseconds(0)).size();
    if (taken == 0 || taken > accepted) std::abort();
    accepted -= taken;
  }
  return 0;
}
