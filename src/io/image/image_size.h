#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace p2mpp {

/// Throws InputError naming the file unless a declared size lies within the limits of image_file.h.
void check_image_size(std::int64_t width, std::int64_t height, const std::string& name);

/// Throws InputError if a file of byte_count bytes is too short for the pixels that it declares: no
/// encoder gets below least_bytes. Called before memory is taken for the pixels.
void check_encoded_size(std::int64_t width, std::int64_t height, std::uint64_t least_bytes, std::uint64_t byte_count,
                        std::string_view format, const std::string& name);

}  // namespace p2mpp
