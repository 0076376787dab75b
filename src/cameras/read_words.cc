#include "cameras/read_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>

#include "base/text.h"

namespace p2mpp {
namespace {

/// The name of a lens by its numbers, where the file has no name for it.
std::string name_of(const Lens& lens) {
  if (lens.model == LensModel::kFisheye) return "fisheye";
  const bool is_plain = lens.coefficients == std::array<double, 8>{} && lens.extras == LensExtras{};
  return is_plain ? "pinhole" : "with distortion";
}

}  // namespace

std::vector<std::string> read_words(const Capture& capture) {
  if (capture.photographs.empty()) return {};
  constexpr std::size_t kMostNames = 4;
  std::set<std::string> names, sizes, lenses;
  for (const Photograph& photograph : capture.photographs) {
    const Lens& lens = photograph.lens;
    // Files that have a matrix for each photograph give its lens in other last digits.
    lenses.insert(fmt::format("{:.4g} {:.4g} {:.4g} {:.4g}", lens.fx, lens.fy, lens.cx, lens.cy));
    if (names.size() < kMostNames) names.insert(photograph.lens_name.empty() ? name_of(lens) : photograph.lens_name);
    if (sizes.size() < kMostNames) sizes.insert(fmt::format("{}x{}", photograph.width, photograph.height));
  }
  const std::string version = capture.version.empty() ? "" : fmt::format(" {}", printable(capture.version, 40));
  std::vector<std::string> lines = {fmt::format(
      "read as {}{}: {} cameras of {} pixels; {} {}: {}, the first with f {:.6g}", capture.kind, version,
      capture.photographs.size(), fmt::join(sizes, " and "), lenses.size(), lenses.size() == 1 ? "lens" : "lenses",
      printable(fmt::format("{}", fmt::join(names, " and "))), capture.photographs.front().lens.fx)};
  for (const std::string& note : capture.notes) {
    if (note.find("left out") != std::string::npos) lines.push_back(note);
  }
  if (lines.size() == 1) lines.front() += "; nothing left out";
  return lines;
}

}  // namespace p2mpp
