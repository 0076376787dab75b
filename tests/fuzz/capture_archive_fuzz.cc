// The ZIP archive of a capture: nothing is written outside the folder, and no more than the bound allows.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/fuzz_target.h"
#include "io/capture_archive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fs = std::filesystem;
  constexpr std::uint64_t kMost = 100'000;
  static const fs::path folder = [] {
    std::string name = (fs::temp_directory_path() / "p2mpp-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    return fs::path(name);
  }();
  const fs::path archive = folder / "a.zip", out = folder / "out";
  std::ofstream(archive, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  p2mpp::parse_or_refuse(data, size, [&](std::string_view) {
    if (p2mpp::check_capture_archive(archive, {.bytes = kMost}) > kMost) std::abort();
    static_cast<void>(p2mpp::unpack_capture_archive(archive, out));
  });
  std::uint64_t bytes = 0;
  if (fs::exists(out)) {
    for (const auto& file : fs::recursive_directory_iterator(out)) {
      if (file.is_symlink()) std::abort();
      if (file.is_regular_file()) bytes += file.file_size();
    }
  }
  const auto count = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  if (bytes > kMost || count > 2) std::abort();
  fs::remove_all(out);
  return 0;
}
