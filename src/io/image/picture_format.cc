#include "io/image/picture_format.h"

#include <fmt/format.h>

#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {

std::string_view to_string(PictureFormat format) { return format == PictureFormat::kPng ? "png" : "jpeg"; }

PictureFormat picture_format(std::string_view name) {
  for (const PictureFormat format : {PictureFormat::kPng, PictureFormat::kJpeg}) {
    if (to_string(format) == name) return format;
  }
  throw UsageError(fmt::format("'{}' is not a format of textures; expected png or jpeg", name));
}

std::string_view extension_of(PictureFormat format) { return format == PictureFormat::kPng ? ".png" : ".jpg"; }

std::string_view media_type_of(PictureFormat format) {
  return format == PictureFormat::kPng ? "image/png" : "image/jpeg";
}

std::string encode_picture(const Image& image, PictureFormat format) {
  return format == PictureFormat::kPng ? encode_png(image) : encode_jpeg(image);
}

}  // namespace p2mpp
