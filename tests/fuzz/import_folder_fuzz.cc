// The list in a folder that `p2mpp import --overwrite` replaces: whatever it says, nothing is removed elsewhere, and
// nothing that an import did not write.
#include <cstdlib>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "fuzz/fuzz_target.h"
#include "io/import_folder.h"
#include "support/temporary_folder.h"

namespace fs = std::filesystem;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const p2mpp::TemporaryFolder parent;
  const fs::path out = parent.path() / "out", outside = parent.path() / "outside";
  fs::create_directories(out / "masks");
  fs::create_directory(out / ".p2mpp-import-x");
  fs::create_directory(outside);
  for (const fs::path& file : {out / "a.png", out / ".p2mpp-import-x/a.png", outside / "a.png"}) {
    p2mpp::write_file_atomically(file, "A");
  }
  p2mpp::write_file_atomically(out / "masks/a.png.png", "mask");
  p2mpp::write_file_atomically(out / "notes", "mine");
  fs::create_symlink(outside / "a.png", out / "b.png");
  fs::create_directory_symlink(outside, out / "link");
  p2mpp::parse_or_refuse(data, size, [&](std::string_view bytes) {
    p2mpp::write_file_atomically(out / p2mpp::ImportFolder::kListName, bytes);
    p2mpp::ImportFolder folder(out, true);
    folder.check_free({"c.png"});
    folder.add("c.png", "C");
    folder.finish([](const std::string& below) { return below + "c.png"; });
    if (p2mpp::read_file(out / "c.png") != "C" || p2mpp::read_file(out / "cameras.json") != "c.png") std::abort();
  });
  if (p2mpp::read_file(outside / "a.png") != "A" || p2mpp::read_file(out / "notes") != "mine") std::abort();
  if (!fs::is_symlink(out / "b.png") || !fs::is_symlink(out / "link")) std::abort();
  return 0;
}
