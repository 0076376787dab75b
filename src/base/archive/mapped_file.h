#pragma once

#include <filesystem>
#include <string_view>

namespace p2mpp {

/// The bytes of a file, read as they are used. Only for files that nobody else may change meanwhile, because reading
/// beyond a file's new end would end the program.
class MappedFile {
 public:
  /// Throws Error naming the file if it cannot be opened or mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return {static_cast<const char*>(start_), size_}; }

 private:
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace p2mpp
