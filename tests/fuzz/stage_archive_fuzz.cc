// Besides what a model's archive says, this counts what reading it costs: time, and memory in proportion to its size.
#include <sanitizer/allocator_interface.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fuzz/fuzz_target.h"
#include "io/pickle/pickle_machine.h"
#include "model/model.h"
#include "model/stage_archive.h"

namespace {

std::size_t live = 0, most = 0;

void on_malloc(const volatile void* /*memory*/, std::size_t size) {
  live += size;
  if (live > most) most = live;
}

void on_free(const volatile void* memory) {
  live -= std::min(live, __sanitizer_get_allocated_size(const_cast<const void*>(memory)));
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "stage_archive: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr double kMostSeconds = 2;
  constexpr std::size_t kMessages = 1 << 16;
  static const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
  require(installed != 0, "cannot count memory");
  p2mpp::Model model;
  model.info.folder = "x";
  model.stage1_archive.assign(reinterpret_cast<const char*>(data), size);
  const std::size_t before = live;
  const double begin = cpu_seconds();
  most = live;
  p2mpp::parse_or_refuse(data, size, [&](std::string_view) { const p2mpp::StageArchive archive(model, 1); });
  require(cpu_seconds() - begin < kMostSeconds, "takes longer than two seconds");
  require(most - before <= p2mpp::pickle::memory_limit(size) + kMessages, "takes more memory than its size allows");
  return 0;
}
