#include "report/terminal_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "io/image/png_file.h"
#include "p2mpp/error.h"
#include "report/page.h"

#ifdef P2MPP_HAS_CHAFA
#include <chafa.h>
#endif

namespace p2mpp {
namespace {

/// Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
std::string kitty_picture(const Image& image) {
  constexpr std::size_t kChunk = 4096;
  const std::string text = base64(encode_png(image));
  std::string result;
  for (std::size_t begin = 0; begin < text.size(); begin += kChunk) {
    const bool more = begin + kChunk < text.size();
    result += fmt::format("\x1b_G{}m={:d};{}\x1b\\", begin == 0 ? "a=T,f=100," : "", more, text.substr(begin, kChunk));
  }
  return result + "\n";
}

bool has_sixel(const std::string& device_attributes) {
  return device_attributes.find(";4;") != std::string::npos || device_attributes.find(";4c") != std::string::npos;
}

#ifdef P2MPP_HAS_CHAFA
/// Of xterm's 256 colours, only the greys are close to each other. A nearly grey pixel, as of a shaded mesh, becomes
/// grey, because the few other colours near it would tint neighbouring pixels differently.
Image with_greys(Image image) {
  constexpr int kNearlyGrey = 64;
  for (std::size_t i = 0; i + 3 < image.rgba.size(); i += 4) {
    const auto colour = image.rgba.begin() + static_cast<std::ptrdiff_t>(i);
    const auto [least, most] = std::minmax_element(colour, colour + 3);
    if (*most - *least >= kNearlyGrey) continue;
    const double luminance = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2];
    std::fill_n(colour, 3, static_cast<std::uint8_t>(luminance + 0.5));
  }
  return image;
}

template <auto kUnreference>
struct Unreference {
  void operator()(auto* object) const { kUnreference(object); }
};

/// Sixels as large as the image, or blocks in so many columns.
std::string chafa_picture(const Image& image, TerminalGraphics graphics, int columns) {
  constexpr int kCellWidth = 8, kCellHeight = 16;  // pixels
  constexpr float kOpaque = 0.5F;                  // alpha from which a pixel is drawn
  const bool sixel = graphics == TerminalGraphics::kSixel;
  const std::unique_ptr<ChafaSymbolMap, Unreference<chafa_symbol_map_unref>> symbols(chafa_symbol_map_new());
  chafa_symbol_map_add_by_tags(symbols.get(), CHAFA_SYMBOL_TAG_SPACE);
  chafa_symbol_map_add_by_tags(symbols.get(), CHAFA_SYMBOL_TAG_BLOCK);
  const std::unique_ptr<ChafaCanvasConfig, Unreference<chafa_canvas_config_unref>> config(chafa_canvas_config_new());
  chafa_canvas_config_set_pixel_mode(config.get(), sixel ? CHAFA_PIXEL_MODE_SIXELS : CHAFA_PIXEL_MODE_SYMBOLS);
  chafa_canvas_config_set_canvas_mode(config.get(), graphics == TerminalGraphics::kBlocks
                                                        ? CHAFA_CANVAS_MODE_INDEXED_240
                                                        : CHAFA_CANVAS_MODE_TRUECOLOR);
  chafa_canvas_config_set_symbol_map(config.get(), symbols.get());
  chafa_canvas_config_set_transparency_threshold(config.get(), kOpaque);
  chafa_canvas_config_set_preprocessing_enabled(config.get(), FALSE);
  chafa_canvas_config_set_cell_geometry(config.get(), kCellWidth, kCellHeight);
  const int width = sixel ? (image.width + kCellWidth - 1) / kCellWidth : columns;
  const int height = sixel ? (image.height + kCellHeight - 1) / kCellHeight
                           : std::max(1, columns * image.height * kCellWidth / (image.width * kCellHeight));
  chafa_canvas_config_set_geometry(config.get(), width, height);
  const std::unique_ptr<ChafaCanvas, Unreference<chafa_canvas_unref>> canvas(chafa_canvas_new(config.get()));
  chafa_canvas_draw_all_pixels(canvas.get(), CHAFA_PIXEL_RGBA8_UNASSOCIATED, image.rgba.data(), image.width,
                               image.height, 4 * image.width);
  GString* const text = chafa_canvas_print(canvas.get(), nullptr);
  std::string result(text->str, text->len);
  g_string_free(text, TRUE);
  return result + '\n';
}
#endif

}  // namespace

TerminalGraphics terminal_graphics(const TerminalFacts& facts) {
  if (!facts.is_terminal || facts.term.empty() || facts.term == "dumb") return TerminalGraphics::kNone;
  const bool in_multiplexer = facts.term.starts_with("tmux") || facts.term.starts_with("screen");
  const bool kitty = facts.term.find("kitty") != std::string::npos || facts.term.find("ghostty") != std::string::npos ||
                     facts.program == "WezTerm" || facts.program == "ghostty" || facts.has_kitty_window;
  if (kitty && !in_multiplexer) return TerminalGraphics::kKitty;
  if (has_sixel(facts.device_attributes)) return TerminalGraphics::kSixel;
  if (!facts.is_utf8) return TerminalGraphics::kNone;
  if (facts.colorterm == "truecolor" || facts.colorterm == "24bit") return TerminalGraphics::kTrueBlocks;
  return facts.term.find("256color") != std::string::npos ? TerminalGraphics::kBlocks : TerminalGraphics::kNone;
}

#ifdef P2MPP_HAS_CHAFA
std::string missing_for_terminal_pictures(TerminalGraphics /*graphics*/) { return {}; }
#else
std::string missing_for_terminal_pictures(TerminalGraphics graphics) {
  if (graphics == TerminalGraphics::kNone || graphics == TerminalGraphics::kKitty) return {};
  return "libchafa was not found when p2mpp was built; install libchafa-dev and libglib2.0-dev, then build again";
}
#endif

std::string terminal_picture(const Image& image, TerminalGraphics graphics, [[maybe_unused]] int columns) {
  if (graphics == TerminalGraphics::kNone) return {};
  if (graphics == TerminalGraphics::kKitty) return kitty_picture(image);
#ifdef P2MPP_HAS_CHAFA
  return chafa_picture(graphics == TerminalGraphics::kBlocks ? with_greys(image) : image, graphics, columns);
#else
  throw Error(missing_for_terminal_pictures(graphics));
#endif
}

}  // namespace p2mpp
