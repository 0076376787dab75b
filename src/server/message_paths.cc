#include "server/message_paths.h"

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace p2mpp {

namespace fs = std::filesystem;

std::vector<std::string> spellings_of(const fs::path& path) {
  std::error_code error;
  std::vector<std::string> spellings;
  for (const fs::path& each : {path, fs::absolute(path, error), fs::weakly_canonical(path, error)}) {
    for (std::string spelling : {each.string(), display(each)}) {
      if (spelling.size() > 1 && std::ranges::count(spellings, spelling) == 0) spellings.push_back(std::move(spelling));
    }
  }
  std::ranges::sort(spellings, std::greater(), &std::string::size);
  return spellings;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string without_folder(std::string text, const fs::path& folder) {
  if (folder.empty()) return text;
  for (const std::string& spelling : spellings_of(folder)) {
    replace_all(text, spelling + "/", "");
    replace_all(text, spelling, "the folder");
  }
  return text;
}

}  // namespace p2mpp
