#include "io/image/decoders.h"

// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/thread_scopes.h"
#include "image/resize.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr std::uint64_t kMaxPixelsPerByte = 512;  ///< a block of 64 has at least a bit of its own
constexpr int kMaxScans = 200;                    ///< of a progressive file; crafted ones repeat scans to burn time

/// libjpeg reports errors through callbacks that must not return. They jump back into JpegDecoder, so its methods have
/// no local variables with destructors.
struct Failure {
  jpeg_error_mgr manager;  // first: libjpeg's pointer to it is a pointer to Failure
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

Failure& jpeg_failure(j_common_ptr info) { return *reinterpret_cast<Failure*>(info->err); }

[[noreturn]] void on_error(j_common_ptr info) {
  Failure& failure = jpeg_failure(info);
  failure.manager.format_message(info, failure.message);
  std::longjmp(failure.jump, 1);
}

/// libjpeg's warnings after which pixels are missing or wrong. It goes on with gray ones; here that is an error.
constexpr std::array kPixelsMissing{JWRN_ARITH_BAD_CODE, JWRN_HIT_MARKER,  JWRN_HUFF_BAD_CODE,
                                    JWRN_JPEG_EOF,       JWRN_MUST_RESYNC, JWRN_BOGUS_PROGRESSION};

/// Its other warnings: a header is odd, and the pixels are whole. Many phones write the parameters of a progressive
/// scan into a sequential one (JWRN_NOT_SEQUENTIAL). The decoder here cannot cause the last two.
constexpr std::array kHarmless{JWRN_ADOBE_XFORM,    JWRN_EXTRANEOUS_DATA, JWRN_JFIF_MAJOR,
                               JWRN_NOT_SEQUENTIAL, JWRN_BOGUS_ICC,       JWRN_TOO_MUCH_DATA};

/// A warning has the level -1. One of a newer libjpeg, which is in neither list, is an error, too.
void on_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level >= 0 || std::ranges::count(kHarmless, code) > 0) return;
  static_assert(kPixelsMissing.size() + kHarmless.size() == 12, "each of libjpeg-turbo's warnings is in one list");
  on_error(info);
}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  Failure& failure = jpeg_failure(info);
  std::snprintf(failure.message, sizeof failure.message, "more than %d scans", kMaxScans);
  std::longjmp(failure.jump, 1);
}

class JpegDecoder {
 public:
  JpegDecoder() {
    info_.err = jpeg_std_error(&failure_.manager);
    failure_.manager.error_exit = on_error;
    failure_.manager.emit_message = on_message;
    progress_.progress_monitor = on_progress;
  }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }

  [[nodiscard]] bool read_header(std::string_view bytes);
  [[nodiscard]] bool read_pixels(std::uint8_t* rgba);
  /// `row`: room for a row of the image.
  [[nodiscard]] bool read_pixels(AreaReduction& reduction, std::uint8_t* row);
  [[nodiscard]] const jpeg_decompress_struct& info() const { return info_; }
  [[nodiscard]] const char* message() const { return failure_.message; }
  [[nodiscard]] bool lacks_memory() const { return failure_.manager.msg_code == JERR_OUT_OF_MEMORY; }
  [[nodiscard]] std::string_view exif() const;

 private:
  jpeg_decompress_struct info_{};
  jpeg_progress_mgr progress_{};
  Failure failure_{};
};

bool JpegDecoder::read_header(std::string_view bytes) {
  if (setjmp(failure_.jump) != 0) return false;
  jpeg_create_decompress(&info_);
  info_.progress = &progress_;
  jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_save_markers(&info_, kExifMarker, 0xFFFF);
  jpeg_read_header(&info_, TRUE);
  return true;
}

bool JpegDecoder::read_pixels(std::uint8_t* rgba) {
  if (setjmp(failure_.jump) != 0) return false;
  info_.out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(&info_);
  while (info_.output_scanline < info_.output_height) {
    end_if_stopped();
    JSAMPROW row = rgba + std::size_t{info_.output_scanline} * info_.output_width * 4;
    jpeg_read_scanlines(&info_, &row, 1);
  }
  jpeg_finish_decompress(&info_);
  return true;
}

bool JpegDecoder::read_pixels(AreaReduction& reduction, std::uint8_t* row) {
  if (setjmp(failure_.jump) != 0) return false;
  info_.out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(&info_);
  while (info_.output_scanline < info_.output_height) {
    end_if_stopped();
    jpeg_read_scanlines(&info_, &row, 1);
    reduction.add_row(row);
  }
  jpeg_finish_decompress(&info_);
  return true;
}

std::string_view JpegDecoder::exif() const {
  for (const jpeg_marker_struct* marker = info_.marker_list; marker != nullptr; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (marker->marker == kExifMarker && is_exif(data)) return data;
  }
  return {};
}

[[noreturn]] void refuse(const JpegDecoder& decoder, const std::string& name) {
  if (decoder.lacks_memory()) throw std::bad_alloc();
  throw InputError(fmt::format("{}: damaged JPEG: {}; expected a complete one", name, decoder.message()));
}

constexpr std::string_view kExifSignature{"Exif\0\0", 6};
constexpr std::size_t kEntryBytes = 12;
// CIPA DC-008 (Exif 2.3), 4.6.4 to 4.6.5.
constexpr std::uint32_t kOrientationTag = 0x0112, kExifDirectoryTag = 0x8769, kFocalLengthTag = 0x920A,
                        kPixelWidthTag = 0xA002, kPlaneResolutionTag = 0xA20E, kPlaneUnitTag = 0xA210,
                        kEquivalentTag = 0xA405;

/// A TIFF header and its data. Reads beyond the end return 0.
class Tiff {
 public:
  explicit Tiff(std::string_view bytes) : bytes_(bytes), little_endian_(bytes.starts_with("II")) {}

  [[nodiscard]] std::uint32_t read(std::size_t offset, std::size_t byte_count) const {
    if (offset > bytes_.size() || bytes_.size() - offset < byte_count) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < byte_count; ++i) {
      const std::size_t at = little_endian_ ? offset + byte_count - 1 - i : offset + i;
      value = value << 8 | static_cast<unsigned char>(bytes_[at]);
    }
    return value;
  }

  /// Of the first directory.
  [[nodiscard]] std::size_t directory() const { return read(4, 4); }

  /// The offset of a tag's entry; 0 if the directory lacks it.
  [[nodiscard]] std::size_t entry(std::size_t directory, std::uint32_t tag) const {
    const std::size_t count = directory == 0 ? 0 : read(directory, 2);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = directory + 2 + i * kEntryBytes;
      if (read(at, 2) == tag) return at;
    }
    return 0;
  }

  /// A tag's number: a SHORT, a LONG or a RATIONAL; 0 if it is missing, of another type or infinite.
  [[nodiscard]] double number(std::size_t directory, std::uint32_t tag) const {
    constexpr std::uint32_t kShort = 3, kLong = 4, kRational = 5;
    const std::size_t at = entry(directory, tag);
    const std::uint32_t type = at == 0 ? 0 : read(at + 2, 2);
    if (type == kShort) return read(at + 8, 2);
    if (type == kLong) return read(at + 8, 4);
    if (type != kRational) return 0;
    const std::size_t value = read(at + 8, 4);
    const std::uint32_t divisor = read(value + 4, 4);
    return divisor == 0 ? 0 : static_cast<double>(read(value, 4)) / divisor;
  }

 private:
  std::string_view bytes_;
  bool little_endian_;
};

/// Millimetres of Exif's units of the focal plane's resolution; 0 for another number. Inches if it is missing.
double unit_mm(double unit) {
  if (unit == 0 || unit == 2) return 25.4;
  return unit == 3 ? 10 : unit == 4 ? 1 : unit == 5 ? 1e-3 : 0;
}

}  // namespace

bool is_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"); }

Image decode_jpeg(std::string_view bytes, const std::string& name, bool upright, int most_side) {
  JpegDecoder decoder;
  if (!decoder.read_header(bytes)) refuse(decoder, name);
  const jpeg_decompress_struct& info = decoder.info();
  check_image_size(info.image_width, info.image_height, name);
  if (info.num_components == 4) {
    throw InputError(fmt::format(
        "{}: a CMYK JPEG; expected a gray or an RGB one (ImageMagick converts: magick FILE -colorspace sRGB FILE.png)",
        name));
  }
  const std::uint64_t pixels = std::uint64_t{info.image_width} * info.image_height;
  check_encoded_size(info.image_width, info.image_height, pixels / kMaxPixelsPerByte, bytes.size(), "JPEG", name);
  const int orientation = upright ? exif_orientation(decoder.exif()) : 1;  // released together with the pixels
  const ImageSize whole{static_cast<int>(info.image_width), static_cast<int>(info.image_height)};
  const ImageSize size = reduced_size(whole, most_side);
  if (size != whole) {
    AreaReduction reduction(whole, size);
    std::vector<std::uint8_t> row(4 * static_cast<std::size_t>(whole.width));
    if (!decoder.read_pixels(reduction, row.data())) refuse(decoder, name);
    return turned_upright(std::move(reduction).result(), orientation);
  }
  Image image{whole.width, whole.height, {}};
  image.rgba.resize(pixels * 4);
  if (!decoder.read_pixels(image.rgba.data())) refuse(decoder, name);
  return turned_upright(std::move(image), orientation);
}

ImageSize jpeg_size(std::string_view bytes, const std::string& name) {
  JpegDecoder decoder;
  if (!decoder.read_header(bytes)) refuse(decoder, name);
  const jpeg_decompress_struct& info = decoder.info();
  check_image_size(info.image_width, info.image_height, name);
  ImageSize size{static_cast<int>(info.image_width), static_cast<int>(info.image_height)};
  if (exif_orientation(decoder.exif()) >= 5) std::swap(size.width, size.height);  // as turned_upright()
  return size;
}

bool is_exif(std::string_view segment) { return segment.starts_with(kExifSignature); }

int exif_orientation(std::string_view segment) {
  if (!is_exif(segment)) return 1;
  const Tiff tiff(segment.substr(kExifSignature.size()));
  const std::size_t at = tiff.entry(tiff.directory(), kOrientationTag);
  const std::uint32_t orientation = at == 0 ? 1 : tiff.read(at + 8, 2);
  return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
}

std::optional<FocalLength> exif_focal_length(std::string_view segment, const ImageSize& stored) {
  if (!is_exif(segment)) return std::nullopt;
  const Tiff tiff(segment.substr(kExifSignature.size()));
  const auto directory = static_cast<std::size_t>(tiff.number(tiff.directory(), kExifDirectoryTag));
  const auto usual = [&](double pixels) {  // a field of view between 5 and 150 degrees
    const int longer = std::max(stored.width, stored.height);
    return pixels > 0.13 * longer && pixels < 12.0 * longer;
  };
  const double equivalent = tiff.number(directory, kEquivalentTag);
  constexpr double kFilmDiagonal = 43.266615;  // mm, of 36 x 24
  if (const double pixels = equivalent / kFilmDiagonal * std::hypot(stored.width, stored.height); usual(pixels)) {
    return FocalLength{pixels, fmt::format("{:g} mm (35 mm equivalent)", equivalent)};
  }
  const double focal = tiff.number(directory, kFocalLengthTag), unit = unit_mm(tiff.number(directory, kPlaneUnitTag));
  const double width = tiff.number(directory, kPixelWidthTag);  // to which the resolution refers
  if (unit == 0) return std::nullopt;
  const double pixels = focal * tiff.number(directory, kPlaneResolutionTag) / unit *
                        (width > 0 ? std::max(stored.width, stored.height) / width : 1);
  if (!usual(pixels)) return std::nullopt;
  return FocalLength{pixels, fmt::format("{:g} mm and the sensor's resolution", focal)};
}

std::optional<FocalLength> jpeg_focal_length(std::string_view bytes, const std::string& name) {
  JpegDecoder decoder;
  if (!decoder.read_header(bytes)) refuse(decoder, name);
  const jpeg_decompress_struct& info = decoder.info();
  return exif_focal_length(decoder.exif(), {static_cast<int>(info.image_width), static_cast<int>(info.image_height)});
}

Image turned_upright(Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  // The stored position of the upright pixel (row, column): transposed for 5 to 8, then mirrored along the stored axes.
  const bool transposed = orientation >= 5;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image upright{image.width, image.height, {}};
  if (transposed) std::swap(upright.width, upright.height);
  upright.rgba.resize(image.rgba.size());
  std::uint8_t* target = upright.rgba.data();
  for (int row = 0; row < upright.height; ++row) {
    for (int column = 0; column < upright.width; ++column, target += 4) {
      int x = transposed ? row : column;
      int y = transposed ? column : row;
      if (from_right) x = image.width - 1 - x;
      if (from_bottom) y = image.height - 1 - y;
      const auto pixel =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x);
      std::memcpy(target, image.rgba.data() + pixel * 4, 4);
    }
  }
  return upright;
}

}  // namespace p2mpp
