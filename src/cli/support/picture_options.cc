#include "cli/support/picture_options.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "cli/support/options.h"

namespace p2mpp::cli {
namespace {

struct Size {
  int width = 0, height = 0;
};

// "512", or "640x480".
std::optional<Size> parse_size(const std::string& text) {
  const auto number = [](std::string_view digits) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (!whole || value < kMinPictureSide || value > kMaxPictureSide) return std::nullopt;
    return value;
  };
  const std::string_view view = text;
  const std::size_t cross = view.find('x');
  const std::optional<int> width = number(view.substr(0, cross));
  const std::optional<int> height = cross == std::string_view::npos ? width : number(view.substr(cross + 1));
  if (!width || !height) return std::nullopt;
  return Size{*width, *height};
}

CLI::Validator picture_size() {
  return {[](const std::string& text) {
            if (parse_size(text)) return std::string();
            return fmt::format("expected {} to {} pixels, as 512 or 640x480; got '{}'", kMinPictureSide,
                               kMaxPictureSide, text);
          },
          ""};
}

}  // namespace

void add_picture_options(CLI::App& command, PictureOptions& picture) {
  constexpr const char* kGroup = "Picture";
  command
      .add_option_function<std::string>(
          "--size",
          [&picture](const std::string& text) {
            const Size size = parse_size(text).value();
            picture.width = size.width;
            picture.height = size.height;
          },
          "Pixels of a picture, as 512 or 640x480")
      ->type_name("PIXELS")
      ->check(picture_size())
      ->default_str("512")
      ->group(kGroup);
  command.add_option("--samples", picture.samples, "Rays a pixel; more are smoother at edges")
      ->type_name("N")
      ->check(whole_number(1, kMaxPictureSamples))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--background",
          [&picture](const std::string& name) {
            picture.background = name == "white" ? Background::kWhite : Background::kTransparent;
          },
          "What is behind the object")
      ->type_name("white|transparent")
      ->check(one_of({"white", "transparent"}))
      ->default_str("white")
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--shading",
          [&picture](const std::string& name) { picture.shading = name == "flat" ? Shading::kFlat : Shading::kSmooth; },
          "Smooth but for sharp edges, or every triangle for itself")
      ->type_name("smooth|flat")
      ->check(one_of({"smooth", "flat"}))
      ->default_str("smooth")
      ->group(kGroup);
  command
      .add_flag_callback(
          "--no-ground", [&picture] { picture.ground = false; }, "No shadow on the ground below the object")
      ->group(kGroup);
}

}  // namespace p2mpp::cli
