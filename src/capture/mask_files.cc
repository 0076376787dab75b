#include "capture/mask_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>
#include <vector>

#include "base/input_file.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

/// A photograph's name below a folder; that of the file alone where the capture names it by a path that leads
/// elsewhere.
fs::path name_below(const Photograph& photograph) {
  if (describe_name_problem(photograph.name) != nullptr) return photograph.image.filename();
  return photograph.name;
}

/// The folder below which the photographs' names are.
fs::path base_of(const Photograph& photograph) {
  fs::path folder = photograph.image;
  const fs::path name = name_below(photograph).lexically_normal();
  for (auto count = std::max<std::ptrdiff_t>(1, std::distance(name.begin(), name.end())); count > 0; --count) {
    folder = folder.parent_path();
  }
  return folder;
}

std::optional<fs::path> masks_beside(const Capture& capture) {
  if (capture.photographs.empty()) return std::nullopt;
  const fs::path base = base_of(capture.photographs.front());
  std::vector<fs::path> candidates = {base / "masks"};
  if (base.filename() == "images") candidates.push_back(base.parent_path() / "masks");
  std::error_code ignored;
  for (const fs::path& folder : candidates) {
    if (fs::is_directory(folder, ignored)) return folder;
  }
  return std::nullopt;
}

}  // namespace

std::optional<fs::path> mask_in(const fs::path& folder, const Photograph& photograph) {
  constexpr std::array kExtensions = {".png", ".jpg", ".jpeg", ".webp", ".PNG", ".JPG", ".JPEG"};
  const fs::path name = name_below(photograph);
  for (const fs::path& base : {name, name.filename(), photograph.image.filename()}) {
    std::vector<fs::path> tries = {folder / (base.string() + ".png"), folder / base};
    for (const char* extension : kExtensions) tries.push_back(folder / fs::path(base).replace_extension(extension));
    for (const fs::path& path : tries) {
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored)) return path;
    }
  }
  return std::nullopt;
}

fs::path find_mask(const fs::path& folder, const Photograph& photograph) {
  if (std::optional<fs::path> found = mask_in(folder, photograph)) return *std::move(found);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw InputError(fmt::format("{}: no such folder; expected one with a mask for each photograph", display(folder)));
  }
  const fs::path name = name_below(photograph);
  throw InputError(fmt::format("{}: has no mask for {}; expected {}", display(folder), printable(name.string()),
                               printable(fs::path(name.filename()).replace_extension(".png").string())));
}

void use_masks_beside(Capture& capture) {
  std::vector<Photograph>& photographs = capture.photographs;
  if (std::ranges::any_of(photographs, [](const Photograph& each) { return !each.mask.empty(); })) return;
  const std::optional<fs::path> folder = masks_beside(capture);
  if (!folder) return;
  if (std::ranges::none_of(photographs, [&](const Photograph& each) { return mask_in(*folder, each).has_value(); })) {
    capture.notes.push_back(fmt::format("{}: not used: no file in it has a photograph's name", display(*folder)));
    return;
  }
  for (Photograph& photograph : photographs) photograph.mask = find_mask(*folder, photograph);
  capture.notes.push_back(fmt::format("{}: the masks there are used", display(*folder)));
}

}  // namespace p2mpp
