#include "capture/formats/named_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <system_error>
#include <tuple>

#include "base/edit_distance.h"
#include "base/input_file.h"
#include "base/text.h"
#include "io/image/image_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 4;                  ///< folders below the capture's
constexpr std::size_t kMostFiles = 100'000;  ///< that are listed
constexpr std::size_t kMostCompared = 100;   ///< bytes of a name, for the nearest one

bool is_regular(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The parts of a path of any system: both separators, without drives, "." and "..".
std::vector<std::string> parts_of(std::string name) {
  std::ranges::replace(name, '\\', '/');
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string part = name.substr(start, end - start);
    if (!part.empty() && part != "." && part != ".." && part.back() != ':') parts.push_back(part);
    start = end + 1;
  }
  return parts;
}

bool shows_no_photograph(const std::string& folder) {
  const std::string name = folded(folder);
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  return is_masks_name(folder) || has("depth") || has("normal") || has("conf") || name.starts_with('.');
}

/// The number of folders at the end of both lists that are the same.
std::size_t common_end(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t count = 0;
  while (count < std::min(a.size(), b.size()) && folded(a[a.size() - 1 - count]) == folded(b[b.size() - 1 - count]))
    ++count;
  return count;
}

}  // namespace

bool is_masks_name(std::string_view folder) {
  const std::string name = folded(folder);
  return std::ranges::any_of(std::array{"mask", "alpha", "silhouette", "matte", "segmentation"},
                             [&](const char* word) { return name.find(word) != std::string::npos; });
}

std::string image_stem(std::string_view name) {
  const fs::path path{name};
  return has_image_extension(path) ? path.stem().string() : std::string(name);
}

NamedFiles::NamedFiles(fs::path folder, bool confined, std::vector<fs::path> also)
    : folder_(std::move(folder)), confined_(confined), also_(std::move(also)) {}

void NamedFiles::list() {
  if (std::exchange(listed_, true)) return;
  std::vector<fs::path> roots = {folder_};
  roots.insert(roots.end(), also_.begin(), also_.end());
  std::set<fs::path> seen;
  for (const fs::path& root : roots) {
    const fs::path below = root.empty() ? fs::path(".") : root;
    std::error_code error;
    fs::recursive_directory_iterator entry(below, fs::directory_options::skip_permission_denied, error), end;
    for (; !error && entry != end && entries_.size() < kMostFiles; entry.increment(error)) {
      if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
      // Roots may be relative and absolute names of one folder.
      if (!is_regular(entry->path()) || !seen.insert(fs::absolute(entry->path()).lexically_normal()).second) continue;
      std::vector<std::string> folders = parts_of(entry->path().lexically_relative(below).parent_path().string());
      entries_.push_back(
          {root / entry->path().lexically_relative(below), std::move(folders), entry->path().filename().string()});
    }
  }
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) { return a.path < b.path; });
  for (std::size_t i = 0; i < entries_.size(); ++i) by_stem_.emplace(folded(image_stem(entries_[i].name)), i);
}

const NamedFiles::Entry* NamedFiles::other_form(const std::string& name, Kind kind) {
  std::vector<std::string> folders = parts_of(name);
  if (folders.empty()) return nullptr;
  const std::string file = std::move(folders.back());
  folders.pop_back();
  list();
  // Smaller is better: folders of the name that the file does not have, folders that the name does not have, and how
  // much the file's own name differs.
  using Rank = std::tuple<std::size_t, std::size_t, int>;
  const Entry* best = nullptr;
  Rank best_rank;
  bool unique = false;
  const auto [first, last] = by_stem_.equal_range(folded(image_stem(file)));
  for (auto found = first; found != last; ++found) {
    const Entry& entry = entries_[found->second];
    const bool hidden = std::ranges::any_of(entry.folders, shows_no_photograph);
    if (kind == Kind::kPhotograph && hidden) continue;
    if (kind == Kind::kMask &&
        !std::ranges::any_of(entry.folders, [](const auto& each) { return is_masks_name(each); }))
      continue;
    const std::size_t common = common_end(folders, entry.folders);
    const int spelling = entry.name == file ? 0 : folded(entry.name) == folded(file) ? 1 : 2;
    const Rank rank{folders.size() - common, entry.folders.size() - common, spelling};
    if (best != nullptr && rank > best_rank) continue;
    unique = best == nullptr || rank < best_rank;
    // images_2, images_4: the same photographs in several sizes.
    if (!unique && natural_less(entry.path.native(), best->path.native()) &&
        entry.path.parent_path().filename().string().starts_with("images")) {
      unique = true;
    } else if (!unique && best->path.parent_path().filename().string().starts_with("images_")) {
      unique = true;
      continue;
    }
    best = &entry;
    best_rank = rank;
  }
  return unique ? best : nullptr;
}

fs::path NamedFiles::find(const std::string& name, Kind kind) {
  differed_ = false;
  if (name.empty()) return {};
  if (!confined_ || is_name_below(name)) {
    const fs::path path = (folder_ / name).lexically_normal();
    if (is_regular(path)) return path;
    for (const char* extension : kImageExtensions) {
      fs::path candidate = path;  // NeRF-synthetic writes "./train/r_0"
      candidate += extension;
      if (is_regular(candidate)) return candidate;
    }
  }
  const Entry* const entry = other_form(name, kind);
  if (entry == nullptr) return {};
  differed_ = true;
  Form& form = forms_[kind];
  if (form.count++ == 0) {
    form.example = fmt::format("'{}' is {}", printable(name), display(entry->path.lexically_relative(folder_)));
  }
  return entry->path;
}

std::vector<std::string> NamedFiles::notes(const std::string& where) const {
  std::vector<std::string> lines;
  for (const auto& [kind, form] : forms_) {
    const char* const things = kind == Kind::kPhotograph ? "photographs"
                               : kind == Kind::kMask     ? "masks"
                                                         : "files of points";
    lines.push_back(fmt::format("{}: {} {} were found under other names: {}", where, form.count, things, form.example));
  }
  return lines;
}

std::string NamedFiles::nearest(const std::string& name) {
  list();
  const std::vector<std::string> parts = parts_of(name);
  if (parts.empty()) return {};
  const std::string wanted = folded(parts.back()).substr(0, kMostCompared);
  const Entry* best = nullptr;
  std::size_t least = SIZE_MAX;
  for (const Entry& entry : entries_) {
    if (image_stem(entry.name) == entry.name) continue;  // no image
    const std::size_t edits = edit_distance(wanted, folded(entry.name).substr(0, kMostCompared));
    if (edits >= least) continue;
    least = edits;
    best = &entry;
  }
  if (best == nullptr) return {};
  return fmt::format("; the nearest file is {}", display(best->path.lexically_relative(folder_)));
}

}  // namespace p2mpp
