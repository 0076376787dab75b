#include "backends/cuda/library/build_identity.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace p2mpp {
namespace {

constexpr std::string_view kOwner("GNU\0", 4);
constexpr std::size_t kNoteAlignment = 4;

std::size_t aligned(std::size_t bytes) { return (bytes + kNoteAlignment - 1) / kNoteAlignment * kNoteAlignment; }

std::string find_build_id(const std::byte* notes, std::size_t size) {
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::byte* name = notes + at + sizeof note;
    const std::byte* id = name + aligned(note.n_namesz);
    const std::string_view owner(reinterpret_cast<const char*>(name), note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && owner == kOwner) {
      std::string text;
      for (std::size_t i = 0; i < note.n_descsz; ++i) text += fmt::format("{:02x}", std::to_integer<unsigned>(id[i]));
      return text;
    }
    at += sizeof note + aligned(note.n_namesz) + aligned(note.n_descsz);
  }
  return "";
}

struct Search {
  std::uintptr_t inside;  ///< an address within the file to find
  std::string found;
};

// Callback of dl_iterate_phdr() for one loaded file.
int look_at(dl_phdr_info* file, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool is_it = false;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const auto& part = file->dlpi_phdr[i];
    const std::uintptr_t begin = file->dlpi_addr + part.p_vaddr;
    is_it = is_it || (part.p_type == PT_LOAD && search.inside >= begin && search.inside - begin < part.p_memsz);
  }
  for (int i = 0; is_it && search.found.empty() && i < file->dlpi_phnum; ++i) {
    const auto& part = file->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    search.found = find_build_id(reinterpret_cast<const std::byte*>(file->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return is_it ? 1 : 0;
}

}  // namespace

std::string build_identity() {
  Search search{reinterpret_cast<std::uintptr_t>(&look_at), {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

}  // namespace p2mpp
