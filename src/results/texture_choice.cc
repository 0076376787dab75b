#include "results/texture_choice.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <utility>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using TextureKind = TextureChoice::Kind;

constexpr std::array<std::pair<std::string_view, TextureKind>, 3> kTextureWords{
    {{"auto", TextureKind::kAutomatic}, {"vertex", TextureKind::kVertices}, {"none", TextureKind::kNone}}};

std::optional<TextureChoice> parse_texture(std::string_view text) {
  for (const auto& [word, kind] : kTextureWords) {
    if (text == word) return TextureChoice{.kind = kind};
  }
  unsigned size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !std::has_single_bit(size) || size < kLeastTextureSize || size > kMostTextureSize) return {};
  return TextureChoice{.kind = TextureKind::kTexture, .size = static_cast<int>(size)};
}

}  // namespace

void from_text(std::string_view text, TextureChoice& choice) {
  const std::optional<TextureChoice> parsed = parse_texture(text);
  if (!parsed) {
    throw UsageError(fmt::format("\"{}\" is no texture; expected {}", text, texture_text().expected));
  }
  choice.kind = parsed->kind;
  choice.size = parsed->size;
}

std::string to_string(const TextureChoice& choice) {
  for (const auto& [word, kind] : kTextureWords) {
    if (choice.kind == kind) return std::string(word);
  }
  return std::to_string(choice.size);
}

ValueCheck texture_text() {
  return {.expected =
              fmt::format("auto, vertex, none or a power of two from {} to {}", kLeastTextureSize, kMostTextureSize),
          .accepts = [](std::string& text) { return parse_texture(text).has_value(); }};
}

TextureOptions texture_options(const TextureChoice& choice, const FitFigures* fit, int threads) {
  constexpr double kExact = 0.95;  ///< mean IoU with the masks
  constexpr int kWider = 3;
  TextureOptions options{.size = choice.size,
                         .of_vertices = choice.kind == TextureKind::kVertices,
                         .fill_unseen = choice.fill_unseen,
                         .threads = threads};
  if (fit != nullptr && fit->iou_after < kExact) options.blend_texels *= kWider;
  return options;
}

std::string texture_summary(const TextureFigures& figures) {
  const std::string charts = figures.charts == 0 ? "" : fmt::format(", {} charts", figures.charts);
  const std::string what =
      figures.size == 0 ? "colours of vertices" : fmt::format("{0}x{0} texels{1}", figures.size, charts);
  return fmt::format("{}, {} photograph{}, {:.1f}% of the surface unseen, {:.0f} ms", what, figures.photographs,
                     figures.photographs == 1 ? "" : "s", 100 * figures.unseen, figures.milliseconds);
}

}  // namespace p2mpp
