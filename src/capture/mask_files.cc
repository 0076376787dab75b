#include "capture/mask_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <system_error>
#include <vector>

#include "base/input_file.h"
#include "base/text.h"
#include "image/resize.h"
#include "io/image/image_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr double kAspectTolerance = 0.01;
constexpr int kObject = 128;

/// A photograph's name below a folder. If the capture names the photograph by a path that leads elsewhere, only the
/// file's name.
fs::path name_below(const Photograph& photograph) {
  return is_name_below(photograph.name) ? fs::path(photograph.name) : photograph.image.filename();
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

/// Grey values as coverage. Files that count objects (0, 1, 2, ...) have no value above 127.
Mask grey_mask(const Image& image) {
  Mask mask{image.width, image.height, std::vector<std::uint8_t>(image.rgba.size() / 4)};
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
    mask.coverage[i] = std::max({image.rgba[4 * i], image.rgba[4 * i + 1], image.rgba[4 * i + 2]});
  }
  const auto largest = std::max_element(mask.coverage.begin(), mask.coverage.end());
  if (largest != mask.coverage.end() && *largest < kObject) {
    for (std::uint8_t& value : mask.coverage) value = value > 0 ? 255 : 0;
  }
  return mask;
}

Mask read_mask_file(const std::filesystem::path& path, const Image& image, const std::string& name) {
  const Image file = read_reduced_image(path, std::max({image.width, image.height, kMaxViewSide}));
  const auto differs = [](double a, double b) { return std::fabs(a / b - 1) > kAspectTolerance; };
  const double aspect = static_cast<double>(file.width) / file.height;
  const double expected = static_cast<double>(image.width) / image.height;
  if (differs(aspect, expected) && !differs(aspect, 1 / expected)) {
    throw InputError(fmt::format(
        "{}: has {}x{} pixels, and {} has {}x{}: one of the two is turned, as by an EXIF orientation that was applied "
        "to one only; expected both upright (mogrify -auto-orient)",
        display(path), file.width, file.height, name, image.width, image.height));
  }
  if (differs(aspect, expected)) {
    throw InputError(fmt::format("{}: has {}x{} pixels; expected {}x{} as {}, or the same shape", display(path),
                                 file.width, file.height, image.width, image.height, name));
  }
  return resize_bilinear(is_opaque(file) ? grey_mask(file) : alpha_mask(file), image.width, image.height);
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

ObjectMask photograph_mask(const Image& image, const std::string& name, const fs::path& mask_file,
                           const BackgroundColour& background) {
  if (mask_file.empty()) return object_mask(image, name, background);
  return {read_mask_file(mask_file, image, name), std::nullopt, "mask file"};
}

}  // namespace p2mpp
