#include "io/mesh/mesh_unit.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace p2mpp {
namespace {

struct LengthUnit {
  std::string_view name;
  double metres;
};
/// A name comes before those that it ends with.
constexpr std::array<LengthUnit, 4> kLengthUnits{{{"mm", 0.001}, {"cm", 0.01}, {"in", 0.0254}, {"m", 1}}};

constexpr std::string_view kUnitComment = "unit: ";

}  // namespace

std::optional<double> parse_length(std::string_view text) {
  text = trimmed(text);
  for (const auto& [name, metres] : kLengthUnits) {
    if (!text.ends_with(name)) continue;
    const std::string_view digits = trimmed(text.substr(0, text.size() - name.size()));
    const std::optional<double> count = digits.empty() ? std::optional(1.0) : parse_finite(digits);
    if (!count || !(*count * metres > 0) || !std::isfinite(*count * metres)) return std::nullopt;
    return *count * metres;
  }
  return std::nullopt;
}

std::string length_text(double metres) {
  for (const auto& [name, length] : kLengthUnits) {
    if (metres == length) return std::string(name);
  }
  // Ten digits hide the rounding of a product such as 57.3 * 0.001.
  return fmt::format("{:.10g}mm", metres * 1000);
}

std::string unit_comment(double metres_per_unit) { return std::string(kUnitComment) + length_text(metres_per_unit); }

std::optional<double> unit_of_obj(std::string_view text) {
  LineReader lines(text);
  std::string_view line;
  if (!lines.next(line) || !line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  if (!line.starts_with(kUnitComment)) return std::nullopt;
  return parse_length(line.substr(kUnitComment.size()));
}

}  // namespace p2mpp
