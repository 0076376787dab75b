#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cameras/mask_files.h"
#include "capture/capture_steps.h"

namespace p2mpp {
namespace {

/// A share of a mask, on average. Correct cameras and masks stay at 0.00, even if they are off by a degree or a few
/// pixels. Wrong ones are above 0.08.
constexpr double kWrongAsAWhole = 0.05;

/// A list of a few names: "a, b and 3 more".
std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  if (names.size() <= kMostNamed) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMostNamed, ", "),
                     names.size() - kMostNamed);
}

}  // namespace

std::string contradiction(const PreparedCapture& prepared) {
  double sum = 0, count = 0;
  const PhotographReport* worst = nullptr;
  for (const PhotographReport& report : prepared.photographs) {
    if (!report.problem.empty() || report.contradicts) continue;
    sum += report.fit.unexplained;
    ++count;
    if (worst == nullptr || report.fit.unexplained > worst->fit.unexplained) worst = &report;
  }
  if (worst == nullptr || sum / count <= kWrongAsAWhole) return {};
  return fmt::format(
      "the masks contradict the cameras ({:.0f}% of a mask on average; {} {:.0f}%); expected masks of the "
      "object alone, each with its own photograph and camera, and all turned alike (EXIF orientations)",
      100 * sum / count, worst->name, 100 * worst->fit.unexplained);
}

void doubt_photographs(PreparedCapture& prepared) {
  std::vector<std::string> left_out, twice;
  for (const PhotographReport& report : prepared.photographs) {
    if (report.problem.empty() && !report.contradicts) continue;
    left_out.push_back(
        fmt::format("{} ({})", report.name, report.contradicts ? "its mask contradicts the others" : report.problem));
  }
  for (const auto& [first, second] : prepared.duplicates) {
    // Neighbours on a dense ring are no mistake, and the choice of views avoids them.
    if (prepared.photographs[first].candidate.pixels != prepared.photographs[second].candidate.pixels) continue;
    twice.push_back(fmt::format("{} and {}", prepared.photographs[first].name, prepared.photographs[second].name));
  }
  if (!left_out.empty()) {
    prepared.sample.doubts.push_back({"masks",
                                      {},
                                      fmt::format("{} of {} photographs are not used: {}; expected the object in each "
                                                  "mask",
                                                  left_out.size(), prepared.photographs.size(), joined(left_out))});
  }
  if (!twice.empty()) {
    prepared.sample.doubts.push_back(
        {"same_view", {}, fmt::format("these photographs show one view: {}; expected different ones", joined(twice))});
  }
}

std::string of_inverted(const PreparedCapture& prepared) {
  constexpr double kMostOfBorder = 0.5;
  std::size_t count = 0;
  for (const PhotographReport& report : prepared.photographs) count += report.facts.border_share > kMostOfBorder;
  if (2 * count <= prepared.photographs.size()) return {};
  return "; most masks are white at the border: is the object white in them?";
}

std::string of_guessed_masks(const PreparedCapture& prepared) {
  const auto guessed = std::ranges::count_if(
      prepared.photographs, [](const PhotographReport& each) { return each.mask.starts_with("background"); });
  if (2 * guessed <= std::ssize(prepared.photographs)) return {};
  return fmt::format(
      "; {} masks are what differs from the background's colour{}: give masks (--masks FOLDER), or let "
      "p2mpp-photos make them",
      guessed, prepared.capture.mask_search);
}

std::string of_other_size(const Capture& capture) {
  constexpr double kFar = 1.4, kSame = 0.15;
  const Photograph& first = capture.photographs.front();
  const double x = 2 * first.lens.cx / first.width, y = 2 * first.lens.cy / first.height;
  const bool is_scaled = std::abs(x / y - 1) < kSame && (x > kFar || x < 1 / kFar) && x > 0;
  if (!is_scaled) {
    const std::string masks = sizes_of_masks(capture);
    return masks.empty() ? masks : "; " + masks;
  }
  return fmt::format(
      "; the principal point {:.0f},{:.0f} is the middle of an image of about {:.0f}x{:.0f} pixels, and {} "
      "has {}x{}: are the intrinsics those of another image size?",
      first.lens.cx, first.lens.cy, 2 * first.lens.cx, 2 * first.lens.cy, first.name, first.width, first.height);
}

}  // namespace p2mpp
