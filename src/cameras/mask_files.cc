#include "cameras/mask_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/input_file.h"
#include "base/text.h"
#include "base/thread_scopes.h"
#include "cameras/named_files.h"
#include "io/image/image_file.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

/// A photograph's name below a folder. If the capture names the photograph by a path that leads elsewhere, only the
/// file's name.
fs::path name_below(const Photograph& photograph) {
  return is_name_below(photograph.name) ? fs::path(photograph.name) : photograph.image.filename();
}

/// The folder below which the photographs' names are.
fs::path mask_base_name(const Photograph& photograph) {
  fs::path folder = photograph.image;
  const fs::path name = name_below(photograph).lexically_normal();
  for (auto count = std::max<std::ptrdiff_t>(1, std::distance(name.begin(), name.end())); count > 0; --count) {
    folder = folder.parent_path();
  }
  return folder;
}

constexpr std::size_t kMostPlaces = 16;  ///< in which masks are looked for; every photograph is looked up in each

void add_once(const fs::path& folder, std::vector<fs::path>& folders) {
  if (folders.size() < kMostPlaces && std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
}

/// The folders of masks in a folder, "masks" first.
void add_mask_folders(const fs::path& place, std::vector<fs::path>& folders) {
  std::vector<fs::path> found;
  for (const FolderEntry& entry : list_folder(place)) {
    if (entry.is_folder && is_masks_name(entry.name)) found.push_back(place / entry.name);
  }
  std::ranges::sort(found, [](const fs::path& a, const fs::path& b) {
    return (a.filename() == "masks") != (b.filename() == "masks") ? a.filename() == "masks" : a < b;
  });
  for (const fs::path& each : found) add_once(each, folders);
}

/// Where masks may be: in the folder of those that the capture names, where the photographs are, and beside their
/// folder, if that is the capture's, too.
std::vector<fs::path> mask_places(const Capture& capture) {
  std::vector<fs::path> places;
  for (const Photograph& photograph : capture.photographs) {
    if (!photograph.mask.empty()) add_once(photograph.mask.parent_path(), places);
  }
  const fs::path base = mask_base_name(capture.photographs.front());
  add_mask_folders(base, places);
  const fs::path relative = base.lexically_normal().lexically_relative(capture.folder.lexically_normal());
  const bool is_below = !capture.folder.empty() && !relative.empty() && relative != "." && *relative.begin() != "..";
  if (base.filename() == "images" || is_below) add_mask_folders(base.parent_path(), places);
  add_once(base, places);
  return places;
}

/// A photograph's or a mask's name for comparison: "img_1" of "IMG_1.jpg.png".
std::string plain_stem(const std::string& name) { return folded(image_stem(image_stem(name))); }

/// The same without a word for masks: "img_1" of "IMG_1_mask.png" and "mask-IMG_1.png".
std::string bare_stem(const std::string& name) {
  const std::string stem = plain_stem(name);
  for (const std::string word : {"mask", "alpha", "matte", "segmentation"}) {
    for (const char separator : {'_', '-', '.', ' '}) {
      if (stem.ends_with(separator + word)) return stem.substr(0, stem.size() - word.size() - 1);
      if (stem.starts_with(word + separator)) return stem.substr(word.size() + 1);
    }
  }
  return stem;
}

/// The text before and after a name.
struct Affixes {
  std::string before, after;

  bool operator<(const Affixes& other) const { return std::tie(before, after) < std::tie(other.before, other.after); }
};

/// What files have around the stem of one photograph, if it is apart from the stem: "1-preview" is not around "10".
std::set<Affixes> find_affixes(const std::string& stem, const std::set<std::string>& files) {
  constexpr std::size_t kMost = 64;
  const auto is_apart = [](char neighbour) { return std::isalnum(static_cast<unsigned char>(neighbour)) == 0; };
  std::set<Affixes> found;
  for (const std::string& file : files) {
    const std::size_t at = file.find(stem);
    if (at == std::string::npos || file == stem || found.size() >= kMost) continue;
    Affixes each{file.substr(0, at), file.substr(at + stem.size())};
    if ((each.before.empty() || is_apart(each.before.back())) && (each.after.empty() || is_apart(each.after.front())))
      found.insert(std::move(each));
  }
  return found;
}

/// The affixes with which most files have photographs' names, and at least half of the photographs, two or more.
std::optional<Affixes> common_affixes(const std::set<std::string>& files, std::span<const Photograph> photographs) {
  std::vector<std::string> stems;
  for (const Photograph& each : photographs) stems.push_back(plain_stem(each.image.filename().string()));
  if (stems.size() < 2) return std::nullopt;
  std::optional<Affixes> best;
  auto most = std::max<std::ptrdiff_t>(1, std::ssize(stems) / 2 - 1);
  for (const Affixes& each : find_affixes(stems.front(), files)) {
    const auto count = std::ranges::count_if(
        stems, [&](const std::string& stem) { return files.contains(each.before + stem + each.after); });
    if (count <= most) continue;
    most = count;
    best = each;
  }
  return best;
}

[[noreturn]] void refuse_missing(const fs::path& folder, const Photograph& photograph) {
  const fs::path name = name_below(photograph);
  throw InputError(fmt::format("{}: has no mask for {}; expected {}{}", display(folder), printable(name.string()),
                               printable(fs::path(name.filename()).replace_extension(".png").string()),
                               describe_unread_images(list_folder(folder))));
}

void use_masks(MaskFolder& folder, Capture& capture) {
  std::map<fs::path, const Photograph*> owners;
  for (Photograph& photograph : capture.photographs) {
    if (!photograph.mask.empty()) continue;
    const std::optional<fs::path> found = folder.find(photograph);
    if (!found) refuse_missing(folder.path(), photograph);
    const auto [owner, is_new] = owners.emplace(*found, &photograph);
    if (!is_new) {
      throw InputError(
          fmt::format("{}: has the name of both {} and {}; expected a mask for each, in folders of the "
                      "same names",
                      display(*found), printable(owner->second->name), printable(photograph.name)));
    }
    photograph.mask = *found;
  }
  if (std::string note = sizes_of_masks(capture); !note.empty()) capture.notes.push_back(std::move(note));
}

/// What was found where masks may be, if no file there has a photograph's name.
void note_unused(const std::vector<fs::path>& places, Capture& capture) {
  std::string looked;
  for (const fs::path& place : places) {
    looked += fmt::format("{}{}", looked.empty() ? "" : ", ", display(place));
    if (!is_masks_name(place.filename().string())) continue;
    const std::string unread = describe_unread_images(list_folder(place));
    capture.notes.push_back(fmt::format("{}: not used: no file in it has a photograph's name, such as {}{}",
                                        display(place), printable(capture.photographs.front().name), unread));
  }
  capture.mask_search = fmt::format("; no masks with the photographs' names were found in {}", looked);
}

/// "7" of "007"; nullopt of a text that is no number.
std::optional<std::string> plain_number(const std::string& stem) {
  if (stem.empty() || stem.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return stem.substr(std::min(stem.find_first_not_of('0'), stem.size() - 1));
}

/// Masks by their numbers, if all names are numbers, each once, and there are as many photographs.
std::map<std::string, fs::path> masks_by_number(const std::multimap<std::string, fs::path>& by_stem,
                                                std::span<const Photograph> photographs) {
  std::map<std::string, fs::path> numbers;
  for (const auto& [stem, path] : by_stem) {
    const std::optional<std::string> number = plain_number(stem);
    if (!number || !numbers.emplace(*number, path).second) return {};
  }
  return numbers.size() == photographs.size() ? numbers : std::map<std::string, fs::path>();
}

}  // namespace

void MaskFolder::list() {
  if (std::exchange(listed_, true)) return;
  std::set<std::string> stems;
  for (const auto& [name, is_file, is_folder, is_link] : list_folder(folder_)) {
    if (image_stem(name) == name || (has_photographs_ && bare_stem(name) == plain_stem(name))) continue;
    by_stem_.emplace(bare_stem(name), folder_ / name);
    stems.insert(bare_stem(name));
  }
  if (has_photographs_) return;
  by_number_ = masks_by_number(by_stem_, photographs_);
  const std::optional<Affixes> affixes = common_affixes(stems, photographs_);
  if (!affixes) return;
  std::multimap<std::string, fs::path> within;
  for (const auto& [stem, path] : by_stem_) {
    if (stem.size() <= affixes->before.size() + affixes->after.size()) continue;
    if (!stem.starts_with(affixes->before) || !stem.ends_with(affixes->after)) continue;
    const std::size_t size = stem.size() - affixes->before.size() - affixes->after.size();
    within.emplace(stem.substr(affixes->before.size(), size), path);
  }
  by_stem_.merge(within);
}

std::optional<fs::path> MaskFolder::find(const Photograph& photograph) {
  end_if_stopped();
  const fs::path name = name_below(photograph);
  const auto is_mask = [&](const fs::path& path) {
    return path.lexically_normal() != photograph.image.lexically_normal() && is_file(path);
  };
  for (const fs::path& base : {name, name.filename(), photograph.image.filename()}) {
    if (has_photographs_) break;
    std::vector<fs::path> tries = {folder_ / (base.string() + ".png"), folder_ / base};
    for (const char* extension : kImageExtensions)
      tries.push_back(folder_ / fs::path(base).replace_extension(extension));
    for (const fs::path& path : tries) {
      if (is_mask(path)) return path;
    }
  }
  list();
  std::optional<fs::path> only;
  const std::string stem = plain_stem(photograph.image.filename().string());
  const auto [first, last] = by_stem_.equal_range(stem);
  for (auto each = first; each != last; ++each) {
    if (!is_mask(each->second)) continue;
    if (only) return std::nullopt;
    only = each->second;
  }
  if (only) return only;
  const std::optional<std::string> number = plain_number(stem);
  const auto numbered = number ? by_number_.find(*number) : by_number_.end();
  return numbered == by_number_.end() ? std::nullopt : std::optional(numbered->second);
}

std::string sizes_of_masks(const Capture& capture) {
  const Photograph& first = capture.photographs.front();
  if (first.mask.empty()) return {};
  try {
    const ImageSize mask = read_image_size(first.mask), image = read_image_size(first.image);
    const auto is_multiple = [](int a, int b) { return a % b == 0 || b % a == 0; };
    if (is_multiple(std::max(mask.width, mask.height), std::max(image.width, image.height))) return {};
    return fmt::format(
        "{} has {}x{} pixels, and its photograph {}x{}: the masks are resized to the photographs; if one of them was "
        "cropped, crop the other, too",
        display(first.mask), mask.width, mask.height, image.width, image.height);
  } catch (const InputError&) {
    return {};  // the reader of pixels refuses it
  }
}

void use_masks_in(const fs::path& folder, Capture& capture) {
  if (!is_folder(folder)) {
    throw InputError(fmt::format("{}: no such folder; expected one with a mask for each photograph", display(folder)));
  }
  for (Photograph& photograph : capture.photographs) photograph.mask.clear();
  MaskFolder masks(folder, capture.photographs);
  use_masks(masks, capture);
}

void use_masks_beside(Capture& capture) {
  std::vector<Photograph>& photographs = capture.photographs;
  if (std::ranges::none_of(photographs, [](const Photograph& each) { return each.mask.empty(); })) return;
  const std::vector<fs::path> places = mask_places(capture);
  std::optional<MaskFolder> best;
  std::ptrdiff_t most = 0;
  for (const fs::path& place : places) {
    MaskFolder folder(place, photographs, place == mask_base_name(photographs.front()));
    const auto count = std::ranges::count_if(
        photographs, [&](const Photograph& each) { return each.mask.empty() && folder.find(each).has_value(); });
    if (count <= most) continue;
    most = count;
    best = std::move(folder);
  }
  if (!best) return note_unused(places, capture);
  use_masks(*best, capture);
  capture.notes.push_back(fmt::format("{}: the masks there are used", display(best->path())));
}

}  // namespace p2mpp
