#include "server/spool.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

// 128 bits from the system.
std::string drawn_name() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(fmt::format("random bytes: {}", std::generic_category().message(errno)));
  }
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) throw Error(fmt::format("{}: cannot be created: {}", display(folder), error.message()));
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    const std::uintmax_t size = file.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

Spool::Spool(const fs::path& parent, std::uint64_t most_bytes) : most_bytes_(most_bytes) {
  std::string name = (parent / "p2mpp-serve-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(
        fmt::format("{}: no folder can be created in it: {}", display(parent), std::generic_category().message(errno)));
  }
  path_ = name;
}

Spool::~Spool() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool Spool::reserve(std::uint64_t bytes) {
  if ((bytes_ += bytes) <= most_bytes_) return true;
  bytes_ -= bytes;
  return false;
}

SpoolFolder::SpoolFolder(Spool& spool) : spool_(spool), name_(drawn_name()) {
  make_folder(spool.path() / name_);
  make_folder(input());
}

SpoolFolder::~SpoolFolder() {
  std::error_code ignored;
  fs::remove_all(spool_.path() / name_, ignored);
  spool_.give_back(bytes_);
}

fs::path SpoolFolder::input() const { return spool_.path() / name_ / "input"; }
fs::path SpoolFolder::output() const { return spool_.path() / name_ / "output"; }

bool SpoolFolder::reserve(std::uint64_t bytes) {
  if (!spool_.reserve(bytes)) return false;
  bytes_ += bytes;
  return true;
}

void SpoolFolder::drop_input() {
  std::error_code ignored;
  fs::remove_all(input(), ignored);
  spool_.give_back(bytes_);
  bytes_ = bytes_in(output());
  if (!spool_.reserve(bytes_)) bytes_ = 0;  // results are small and their number is limited, so none is refused
}

}  // namespace p2mpp
