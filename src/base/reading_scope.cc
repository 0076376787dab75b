#include "base/reading_scope.h"

namespace p2mpp {
namespace {

const std::filesystem::path kEverything;
thread_local const std::filesystem::path* folder_of_thread = &kEverything;

}  // namespace

ReadingScope::ReadingScope(const std::filesystem::path& folder) : outer_(folder_of_thread) {
  folder_of_thread = &folder;
}

ReadingScope::~ReadingScope() { folder_of_thread = outer_; }

const std::filesystem::path& reading_folder() { return *folder_of_thread; }

}  // namespace p2mpp
