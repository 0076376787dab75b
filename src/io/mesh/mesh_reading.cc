#include "io/mesh/mesh_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "base/input_file.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::uint8_t kNoDigit = 64;
constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint8_t base64_digit(char c) {
  static const std::array<std::uint8_t, 256> values = [] {
    std::array<std::uint8_t, 256> result{};
    result.fill(kNoDigit);
    for (std::size_t i = 0; i < kBase64Digits.size(); ++i) {
      result[static_cast<unsigned char>(kBase64Digits[i])] = static_cast<std::uint8_t>(i);
    }
    return result;
  }();
  return values[static_cast<unsigned char>(c)];
}

std::string decode_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::uint8_t digit = base64_digit(c);
    if (digit == kNoDigit) throw InputError("its base64 is damaged");
    bits = bits << 6U | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
  }
  return bytes;
}

bool is_beside(const MeshReading& reading, const std::string& name) {
  return is_name_below(name) && may_exist(reading.folder / name);
}

void list_below(const std::filesystem::path& folder, const std::filesystem::path& below, int depth,
                std::multimap<std::string, std::filesystem::path>& files) {
  constexpr int kDeepestFolder = 3;
  constexpr std::size_t kMostListed = 10'000;
  for (const FolderEntry& entry : list_folder(folder / below)) {
    if (files.size() >= kMostListed) return;
    if (entry.is_file) files.emplace(lower_case(entry.name), below / entry.name);
    if (entry.is_folder && !entry.is_link && depth < kDeepestFolder)
      list_below(folder, below / entry.name, depth + 1, files);
  }
}

/// The only file below the mesh's folder with that name, in any case.
std::optional<std::string> only_file(MeshReading& reading, const std::string& name) {
  if (!reading.files) list_below(reading.folder, {}, 0, reading.files.emplace());
  const auto [first, last] = reading.files->equal_range(lower_case(name));
  return first != last && std::next(first) == last ? std::optional(first->second.string()) : std::nullopt;
}

/// A name as the mesh's folder has it: as it is or, if that is not there, without folders of another machine.
std::string name_beside(MeshReading& reading, std::string name) {
  constexpr int kMostFolders = 16;
  std::ranges::replace(name, '\\', '/');
  std::string_view rest = name;
  for (int folders = 0; folders < kMostFolders; ++folders) {
    if (is_beside(reading, std::string(rest))) return std::string(rest);
    const std::size_t separator = rest.find('/');
    if (separator == std::string_view::npos) break;
    rest.remove_prefix(separator + 1);
  }
  const std::string last_part = name.substr(name.rfind('/') + 1);
  return only_file(reading, last_part).value_or(name);
}

}  // namespace

bool has_companion(MeshReading& reading, const std::string& name) {
  return is_beside(reading, name_beside(reading, name));
}

std::string read_companion(MeshReading& reading, const std::string& name) {
  const std::string below = name_beside(reading, name);
  try {
    check_name_below(below);
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}' {}", printable(name, 100), error.what()));
  }
  const std::filesystem::path path = reading.folder / below;
  const std::filesystem::path real = real_path(path, "a file beside the mesh");
  if (!is_inside(real_path(reading.folder, "the mesh's folder"), real)) {
    throw InputError(fmt::format("'{}' leaves the mesh's folder", printable(name, 100)));
  }
  return read_file(real);
}

std::string polygon_note(std::size_t polygons) {
  return fmt::format("{} face{} with more than 3 corners {} cut into triangles", polygons, polygons == 1 ? "" : "s",
                     polygons == 1 ? "is" : "are");
}

std::string narrow_face_note(std::size_t faces) {
  return fmt::format("{} face{} with fewer than 3 corners {} left out", faces, faces == 1 ? "" : "s",
                     faces == 1 ? "is" : "are");
}

std::optional<double> parse_any_number(std::string_view token) {
  if (const std::optional<double> value = parse_finite(token)) return value;
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error == std::errc::result_out_of_range && end == token.data() + token.size()) return NAN;
  if (token.starts_with('-') || token.starts_with('+')) token.remove_prefix(1);
  std::string lower(token);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  const bool is_named = lower == "inf" || lower == "infinity" || lower.starts_with("nan") || lower.starts_with("1.#");
  return is_named ? std::optional<double>(NAN) : std::nullopt;
}

std::optional<std::string> decode_data_uri(std::string_view uri) {
  if (!uri.starts_with("data:")) return std::nullopt;
  const std::size_t comma = uri.find(',');
  if (comma == std::string_view::npos || !uri.substr(0, comma).ends_with(";base64")) {
    throw InputError("a data URI that is not base64");
  }
  return decode_base64(uri.substr(comma + 1));
}

void RawColours::add(const std::array<double, 3>& channels) {
  std::array<float, 3>& colour = colours_.emplace_back().emplace();
  ++coloured_;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const double channel = std::isfinite(channels[i]) ? channels[i] : 0;
    most_ = std::max(most_, channel);
    colour[i] = static_cast<float>(channel);
  }
}

void RawColours::add_none() { colours_.emplace_back(); }

std::vector<std::optional<Colour>> RawColours::all() const {
  const double range = std::max(least_, most_ <= 1 ? 1.0 : most_ <= 255 ? 255.0 : 65535.0);
  std::vector<std::optional<Colour>> colours;
  colours.reserve(colours_.size());
  for (const std::optional<std::array<float, 3>>& raw : colours_) {
    std::optional<Colour>& colour = colours.emplace_back();
    if (!raw) continue;
    colour.emplace();
    for (std::size_t i = 0; i < raw->size(); ++i) {
      const double share = std::clamp(static_cast<double>((*raw)[i]) / range, 0.0, 1.0);
      (*colour)[i] = static_cast<std::uint8_t>(std::lround(255 * share));
    }
  }
  return colours;
}

std::vector<Colour> RawColours::of_vertices(std::vector<std::string>& notes) const {
  if (coloured_ == 0) return {};
  if (coloured_ < colours_.size()) {
    notes.push_back(
        fmt::format("{} of {} vertices have no colour, and become grey", colours_.size() - coloured_, colours_.size()));
  }
  std::vector<Colour> colours;
  for (const std::optional<Colour>& colour : all()) colours.push_back(colour.value_or(kNoMaterial));
  return colours;
}

}  // namespace p2mpp
