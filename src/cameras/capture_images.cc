#include "cameras/capture_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/input_file.h"
#include "base/text.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {

namespace fs = std::filesystem;

void check_inside(const std::string& file, const std::string& where) {
  try {
    check_name_below(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: the file's name '{}' {}; expected a path inside the capture", where,
                                 printable(file), error.what()));
  }
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    if (i > 0) text += ", ";
    text += printable(names[i]);
  }
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

/// Intrinsics that were divided by the image's size.
void check_pixels(const Capture& capture) {
  constexpr double kNormalised = 10, kSmallestImage = 50;
  for (const Photograph& photograph : capture.photographs) {
    if (photograph.lens.fx > kNormalised || photograph.width < kSmallestImage) continue;
    throw InputError(
        fmt::format("{}: the focal length of {} is {:.4g} for {} pixels; expected pixels: was it divided by "
                    "the image's width?",
                    capture.where, printable(photograph.name), photograph.lens.fx, photograph.width));
  }
}

Capture check_images(Capture capture, const std::vector<std::string>& missing, const fs::path& folder,
                     const std::string& hint) {
  std::vector<Photograph>& photographs = capture.photographs;
  std::ranges::sort(photographs, [](const Photograph& a, const Photograph& b) { return natural_less(a.name, b.name); });
  check_pixels(capture);
  std::set<fs::path> files;
  for (const Photograph& photograph : photographs) {
    if (files.insert(photograph.image).second) continue;
    throw InputError(fmt::format("{}: '{}' appears twice; expected each photograph once", capture.where,
                                 printable(photograph.name)));
  }
  const std::size_t total = photographs.size() + missing.size();
  if (photographs.size() < kMinPhotographs) {
    const std::string absent =
        missing.empty() ? "" : fmt::format(" ({} of {} have no file: {})", missing.size(), total, first_names(missing));
    throw InputError(fmt::format("{}: number of photographs is {}{}; expected at least {}{}{}", capture.where,
                                 photographs.size(), absent, kMinPhotographs, hint, describe_unread_images(folder)));
  }
  if (!missing.empty()) {
    capture.notes.push_back(fmt::format("{}: {} of {} photographs have no file and are left out: {}", capture.where,
                                        missing.size(), total, first_names(missing)));
  }
  return capture;
}

}  // namespace p2mpp
