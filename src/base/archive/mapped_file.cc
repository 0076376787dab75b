#include "base/archive/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "base/file_descriptor.h"
#include "base/input_file.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const FileDescriptor file = open_to_read(path, O_NOFOLLOW);
  struct stat facts {};
  const bool is_open = file && ::fstat(file.get(), &facts) == 0;
  if (is_open && facts.st_size == 0) return;  // nothing can be mapped
  if (is_open) {
    size_ = static_cast<std::size_t>(facts.st_size);
    start_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start_ != MAP_FAILED) return;
  }
  throw Error(fmt::format("{}: cannot be read: {}", display(path), std::generic_category().message(errno)));
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(start_, size_);
}

}  // namespace p2mpp
