#include "cameras/capture_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/parsing/left_out.h"
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

namespace {

/// Throws InputError for intrinsics that were divided by the image's size.
void check_pixels(const Photograph& photograph, const std::string& where) {
  constexpr double kNormalised = 10, kSmallestImage = 50;
  const Lens& lens = photograph.lens;
  if (photograph.width < kSmallestImage) return;
  const std::string question =
      fmt::format("for {} pixels; expected pixels: was it divided by the image's width?", photograph.width);
  if (lens.fx <= kNormalised) {
    throw InputError(
        fmt::format("{}: the focal length of {} is {:.4g} {}", where, printable(photograph.name), lens.fx, question));
  }
  if (lens.cx > 0 && lens.cx <= 1 && lens.cy > 0 && lens.cy <= 1) {
    throw InputError(fmt::format("{}: the principal point of {} is ({:.4g}, {:.4g}) {}", where,
                                 printable(photograph.name), lens.cx, lens.cy, question));
  }
}

void leave_out_wrong_pixels(Capture& capture) {
  LeftOut left_out;
  std::erase_if(capture.photographs, [&](const Photograph& photograph) {
    return !left_out.read([&] { check_pixels(photograph, capture.where); });
  });
  for (const std::string& note : left_out.notes(capture.where, capture.photographs.size())) {
    capture.notes.push_back(fmt::format("{}: {}", capture.where, note));
  }
}

bool have_equal_cameras(const Photograph& a, const Photograph& b) {
  constexpr double kEqual = 1e-6;
  return a.lens == b.lens && a.width == b.width && a.height == b.height &&
         a.cam_from_source.rotation.isApprox(b.cam_from_source.rotation, kEqual) &&
         (a.cam_from_source.translation - b.cam_from_source.translation).norm() <=
             kEqual * (1 + a.cam_from_source.translation.norm());
}

/// A photograph that is listed several times counts once if all of its cameras are equal. If they differ, none is known
/// to be right.
void leave_out_doubles(Capture& capture) {
  std::map<fs::path, const Photograph*> first;
  std::set<fs::path> repeated, contradictory;
  for (const Photograph& photograph : capture.photographs) {
    const auto [known, is_new] = first.emplace(photograph.image, &photograph);
    if (is_new) continue;
    repeated.insert(photograph.image);
    if (!have_equal_cameras(*known->second, photograph)) contradictory.insert(photograph.image);
  }
  if (repeated.empty()) return;
  std::vector<Photograph> kept;
  std::set<fs::path> seen;
  for (Photograph& photograph : capture.photographs) {
    if (contradictory.contains(photograph.image) || !seen.insert(photograph.image).second) continue;
    kept.push_back(std::move(photograph));
  }
  capture.photographs = std::move(kept);
  if (const std::size_t once = repeated.size() - contradictory.size(); once > 0) {
    capture.notes.push_back(
        fmt::format("{}: {} photographs are listed several times, and are taken once", capture.where, once));
  }
  if (!contradictory.empty()) {
    std::vector<std::string> names;
    for (const fs::path& image : contradictory) names.push_back(image.filename().string());
    capture.notes.push_back(fmt::format("{}: {} photographs are listed with several cameras each, and are left out: {}",
                                        capture.where, names.size(), first_names(names)));
  }
}

}  // namespace

Capture check_images(Capture capture, const std::vector<std::string>& missing, const fs::path& folder,
                     const std::string& hint) {
  std::vector<Photograph>& photographs = capture.photographs;
  std::ranges::sort(photographs, [](const Photograph& a, const Photograph& b) { return natural_less(a.name, b.name); });
  leave_out_wrong_pixels(capture);
  leave_out_doubles(capture);
  const std::size_t total = photographs.size() + missing.size();
  if (photographs.size() < kMinPhotographs) {
    const std::string absent =
        missing.empty() ? "" : fmt::format(" ({} of {} have no file: {})", missing.size(), total, first_names(missing));
    std::string noticed;
    for (const std::string& note : capture.notes) noticed += "; " + note;
    throw InputError(fmt::format("{}: number of photographs is {}{}; expected at least {}{}{}{}", capture.where,
                                 photographs.size(), absent, kMinPhotographs, hint, describe_unread_images(folder),
                                 noticed));
  }
  if (!missing.empty()) {
    capture.notes.push_back(fmt::format("{}: {} of {} photographs have no file and are left out: {}", capture.where,
                                        missing.size(), total, first_names(missing)));
  }
  return capture;
}

}  // namespace p2mpp
