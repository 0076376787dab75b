// Runs each fuzz target with its seeds, so that targets are built and right without Clang, too.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include "support/temporary_folder.h"

#define TARGET(name, seeds) extern "C" int name(const std::uint8_t* data, std::size_t size);
#include "targets.inc"
#undef TARGET

namespace {

int run(const char* name, int (*target)(const std::uint8_t*, std::size_t), const char* seeds) {
  int count = 0;
  for (const auto& seed : std::filesystem::recursive_directory_iterator(seeds)) {
    if (!seed.is_regular_file()) continue;
    std::fprintf(stderr, "%s %s\n", name, seed.path().c_str());
    const std::string bytes = p2mpp::slurp(seed.path());
    target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++count;
  }
  return count;
}

}  // namespace

int main() {
  bool has_all = true;
#define TARGET(name, seeds) has_all = run(#name, name, seeds) > 0 && has_all;
#include "targets.inc"
#undef TARGET
  if (!has_all) std::fputs("a target has no seeds\n", stderr);
  return has_all ? 0 : 1;
}
