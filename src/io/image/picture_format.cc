// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
// clang-format on
#include "io/image/picture_format.h"

#include <fmt/format.h>

#include <csetjmp>
#include <cstdint>
#include <cstdlib>

#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// libjpeg reports errors through a callback that must not return. It jumps back into JpegEncoder, so its methods have
/// no local variables with destructors.
struct EncoderFailure {
  jpeg_error_mgr manager;  // first: libjpeg's pointer to it is a pointer to EncoderFailure
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void on_encoder_error(j_common_ptr info) {
  EncoderFailure& failure = *reinterpret_cast<EncoderFailure*>(info->err);
  failure.manager.format_message(info, failure.message);
  std::longjmp(failure.jump, 1);
}

class JpegEncoder {
 public:
  JpegEncoder() {
    info_.err = jpeg_std_error(&failure_.manager);
    failure_.manager.error_exit = on_encoder_error;
  }
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;
  ~JpegEncoder() {
    jpeg_destroy_compress(&info_);
    std::free(bytes_);
  }

  [[nodiscard]] bool encode(const Image& image, int quality) {
    if (setjmp(failure_.jump) != 0) return false;
    jpeg_create_compress(&info_);
    jpeg_mem_dest(&info_, &bytes_, &size_);
    info_.image_width = static_cast<JDIMENSION>(image.width);
    info_.image_height = static_cast<JDIMENSION>(image.height);
    info_.input_components = 4;
    info_.in_color_space = JCS_EXT_RGBA;
    jpeg_set_defaults(&info_);
    jpeg_set_quality(&info_, quality, TRUE);
    for (int i = 0; i < info_.num_components; ++i)
      info_.comp_info[i].h_samp_factor = info_.comp_info[i].v_samp_factor = 1;
    info_.optimize_coding = TRUE;
    jpeg_start_compress(&info_, TRUE);
    while (info_.next_scanline < info_.image_height) {
      // libjpeg takes pointers to data that it does not change.
      JSAMPROW row =
          const_cast<std::uint8_t*>(image.rgba.data()) + std::size_t{info_.next_scanline} * 4 * info_.image_width;
      jpeg_write_scanlines(&info_, &row, 1);
    }
    jpeg_finish_compress(&info_);
    return true;
  }

  [[nodiscard]] std::string bytes() const { return {reinterpret_cast<const char*>(bytes_), size_}; }
  [[nodiscard]] const char* message() const { return failure_.message; }

 private:
  jpeg_compress_struct info_{};
  EncoderFailure failure_{};
  unsigned char* bytes_ = nullptr;
  unsigned long size_ = 0;
};

}  // namespace

std::string encode_jpeg(const Image& image, int quality) {
  const std::size_t pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (image.width < 1 || image.height < 1 || image.rgba.size() != 4 * pixels) {
    throw Error(fmt::format("{} bytes for a picture of {}x{} pixels; expected 4 a pixel", image.rgba.size(),
                            image.width, image.height));
  }
  JpegEncoder encoder;
  if (!encoder.encode(image, quality)) throw Error(fmt::format("a JPEG could not be encoded: {}", encoder.message()));
  return encoder.bytes();
}

std::string_view to_string(PictureFormat format) { return format == PictureFormat::kPng ? "png" : "jpeg"; }

PictureFormat picture_format(std::string_view name) {
  for (const PictureFormat format : {PictureFormat::kPng, PictureFormat::kJpeg}) {
    if (to_string(format) == name) return format;
  }
  throw UsageError(fmt::format("'{}' is not a format of textures; expected png or jpeg", name));
}

std::string_view file_extension(PictureFormat format) { return format == PictureFormat::kPng ? ".png" : ".jpg"; }

std::string_view media_type_of(PictureFormat format) {
  return format == PictureFormat::kPng ? "image/png" : "image/jpeg";
}

std::string encode_picture(const Image& image, PictureFormat format) {
  return format == PictureFormat::kPng ? encode_png(image) : encode_jpeg(image);
}

}  // namespace p2mpp
