#include "cameras/searched_path.h"

#include <utility>

#include "base/thread_scopes.h"
#include "io/image/image_folder.h"

namespace p2mpp {

namespace fs = std::filesystem;

SearchedPath::SearchedPath(fs::path path) : path_(std::move(path)), is_file_(p2mpp::is_file(path_)) {
  if (is_file_) files_[""] = {path_};
}

const std::vector<FolderEntry>& SearchedPath::entries(const std::string& folder) const {
  const auto [place, is_new] = entries_.try_emplace(folder);
  if (is_new && !is_file_) place->second = list_folder(path_ / folder);
  return place->second;
}

const std::vector<fs::path>& SearchedPath::files(const std::string& folder) const {
  end_if_stopped();
  const auto [place, is_new] = files_.try_emplace(folder);
  if (is_new) place->second = files_of(path_ / folder, entries(folder));
  return place->second;
}

}  // namespace p2mpp
