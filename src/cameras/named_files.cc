#include "cameras/named_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "base/thread_scopes.h"
#include "io/image/image_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 4;                  ///< folders below the capture's
constexpr std::size_t kMostFiles = 100'000;  ///< that are listed
constexpr std::size_t kMostCompared = 100;   ///< bytes of a name, for the nearest one
constexpr std::size_t kMostNear = 4'096;     ///< files that are compared for the nearest one
constexpr std::size_t kMostAlike = 256;      ///< files of one name that are told apart by more than their folders

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

/// `folder` is folded.
bool shows_no_photograph(const std::string& folder) {
  const auto has = [&](const char* word) { return folder.find(word) != std::string::npos; };
  return is_masks_name(folder) || has("depth") || has("normal") || has("conf") || folder.starts_with('.');
}

/// The number of folders at the end of both lists that are the same.
std::size_t common_end(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t count = 0;
  while (count < std::min(a.size(), b.size()) && a[a.size() - 1 - count] == b[b.size() - 1 - count]) ++count;
  return count;
}

std::vector<std::string> folded_parts(const std::string& name) {
  std::vector<std::string> parts = parts_of(name);
  for (std::string& part : parts) part = folded(part);
  return parts;
}

/// Hashes of a stem with no folder before it, with the last one, the last two, ...
std::vector<std::size_t> hashes_of_endings(const std::string& stem, const std::vector<std::string>& folders) {
  std::vector<std::size_t> hashes = {std::hash<std::string>()(stem)};
  for (auto folder = folders.rbegin(); folder != folders.rend() && hashes.size() <= kDeepest; ++folder) {
    constexpr std::size_t kOdd = 0x9e3779b97f4a7c15;
    hashes.push_back((hashes.back() ^ std::hash<std::string>()(*folder)) * kOdd + hashes.size());
  }
  return hashes;
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

NamedFiles::NamedFiles(fs::path folder, std::vector<fs::path> also)
    : folder_(std::move(folder)), also_(std::move(also)) {}

void NamedFiles::list() {
  if (std::exchange(listed_, true)) return;
  list_below(folder_, {}, 0);
  for (const fs::path& root : also_) list_below(root, {}, 0);
  std::ranges::sort(entries_, {}, &Entry::path);
  // Roots may be relative and absolute names of one folder.
  std::set<fs::path> seen;
  std::erase_if(entries_,
                [&](const Entry& entry) { return !seen.insert(fs::absolute(entry.path).lexically_normal()).second; });
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    for (const std::size_t hash : hashes_of_endings(entries_[i].stem, entries_[i].folders))
      endings_.push_back({hash, i});
  }
  std::ranges::sort(endings_);
}

void NamedFiles::list_below(const fs::path& root, const fs::path& below, int depth) {
  const std::vector<std::string> folders = folded_parts(below.string());
  for (const FolderEntry& found : list_folder(root / below)) {
    if (entries_.size() >= kMostFiles) return;
    if (found.is_file) {
      entries_.push_back({root / below / found.name, folders, found.name, folded(image_stem(found.name))});
    } else if (found.is_folder && !found.is_link && depth < kDeepest) {
      list_below(root, below / found.name, depth + 1);
    }
  }
}

const NamedFiles::Entry* NamedFiles::other_form(const std::string& name, Kind kind) {
  std::vector<std::string> folders = parts_of(name);
  if (folders.empty()) return nullptr;
  const std::string file = std::move(folders.back());
  folders.pop_back();
  for (std::string& each : folders) each = folded(each);
  list();
  const std::string stem = folded(image_stem(file)), whole = folded(file);
  const auto is_of_kind = [&](const Entry& entry) {
    if (kind == Kind::kPhotograph) return std::ranges::none_of(entry.folders, shows_no_photograph);
    return kind != Kind::kMask ||
           std::ranges::any_of(entry.folders, [](const auto& each) { return is_masks_name(each); });
  };
  // Files with more of the name's folders are better. Of those with as many: fewer other folders, then how much the
  // file's own name differs.
  const std::vector<std::size_t> hashes = hashes_of_endings(stem, folders);
  for (std::size_t common = hashes.size(); common-- > 0;) {
    using Rank = std::pair<std::size_t, int>;
    const Entry* best = nullptr;
    Rank best_rank;
    bool unique = false;
    const auto first = std::ranges::lower_bound(endings_, hashes[common], {}, &Ending::hash);
    const auto last = std::ranges::upper_bound(endings_, hashes[common], {}, &Ending::hash);
    if (static_cast<std::size_t>(last - first) > kMostAlike) return nullptr;  // several are equally likely
    for (const Ending& ending : std::span(first, last)) {
      const Entry& entry = entries_[ending.entry];
      if (entry.stem != stem || common_end(folders, entry.folders) < common || !is_of_kind(entry)) continue;
      const int spelling = entry.name == file ? 0 : folded(entry.name) == whole ? 1 : 2;
      const Rank rank{entry.folders.size() - common, spelling};
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
    if (best != nullptr) return unique ? best : nullptr;
  }
  return nullptr;
}

fs::path NamedFiles::find(const std::string& name, Kind kind) {
  differed_ = false;
  if (name.empty()) return {};
  end_if_stopped();
  const fs::path path = (folder_ / name).lexically_normal();
  if (is_file(path)) return path;
  for (const char* extension : kImageExtensions) {
    fs::path candidate = path;  // NeRF-synthetic writes "./train/r_0"
    candidate += extension;
    if (is_file(candidate)) return candidate;
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
  std::size_t compared = 0;
  for (const Entry& entry : entries_) {
    if (image_stem(entry.name) == entry.name) continue;  // no image
    if (++compared > kMostNear) break;
    end_if_stopped();
    const std::size_t edits = edit_distance(wanted, folded(entry.name).substr(0, kMostCompared));
    if (edits >= least) continue;
    least = edits;
    best = &entry;
  }
  if (best == nullptr) return {};
  return fmt::format("; the nearest file is {}", display(best->path.lexically_relative(folder_)));
}

}  // namespace p2mpp
