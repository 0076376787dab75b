#include <gtest/gtest.h>

// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
// clang-format on

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "io/image/decoders.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

using namespace std::string_literals;

/// A JPEG of 32x32 pixels of a pattern. `choose`: sets libjpeg's options.
std::string encoded(const std::function<void(jpeg_compress_struct&)>& choose = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): libjpeg's type
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = info.image_height = 32;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  if (choose) choose(info);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < 32; ++y) {
    std::vector<JSAMPLE> row;
    for (int x = 0; x < 3 * 32; ++x) row.push_back(static_cast<JSAMPLE>((x * 37 + y * 91 + x * y) % 251));
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  std::string result(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return result;
}

std::vector<std::uint8_t> pixels(const std::string& bytes) { return decode_jpeg(bytes, "a.jpg", true, 1 << 14).rgba; }

/// Where a marker begins, after a place.
std::size_t marker(const std::string& bytes, char code, std::size_t from = 0) {
  const std::size_t at = bytes.find("\xff"s + code, from);
  EXPECT_NE(at, std::string::npos);
  return at;
}

std::size_t scan_data(const std::string& bytes, std::size_t from = 0) {
  const std::size_t at = marker(bytes, '\xda', from);
  return at + 2 + static_cast<unsigned char>(bytes[at + 2]) * 256 + static_cast<unsigned char>(bytes[at + 3]);
}

TEST(JpegWarnings, ThatAreHarmlessLeaveThePixels) {
  const std::string whole = encoded();
  std::string sequential = whole;  // Se of SOS: some phones write 0
  sequential[scan_data(whole) - 2] = '\0';
  std::string jfif = whole;  // version 3
  jfif[whole.find("JFIF") + 5] = '\3';
  std::string extraneous = whole;
  extraneous.insert(marker(whole, '\xda'), "\x11\x22");
  for (const std::string& odd : {sequential, jfif, extraneous}) EXPECT_EQ(pixels(odd), pixels(whole));

  const auto without_jfif = encoded([](jpeg_compress_struct& info) { info.write_JFIF_header = FALSE; });
  std::string adobe = without_jfif;
  adobe.insert(2,
               "\xff\xee\0\x0e"
               "Adobe\0\x64\0\0\0\0\x07"s);
  EXPECT_EQ(pixels(adobe), pixels(without_jfif));
}

TEST(JpegWarnings, OfMissingPixelsAreErrors) {
  const std::string whole = encoded();
  const std::size_t data = scan_data(whole);
  std::string ended = whole;
  ended.replace(data + 40, 2, "\xff\xd9");
  EXPECT_REFUSED(pixels(ended), "a.jpg: damaged JPEG: Corrupt JPEG data: premature end of data segment; expected a");
  EXPECT_REFUSED(pixels(whole.substr(0, data + 40)), "a.jpg: damaged JPEG: Premature end of JPEG file");
  std::string ones = whole.substr(0, data);  // no code is all ones; a zero follows each byte that is no marker
  for (int i = 0; i < 100; ++i) ones += "\xff\0"s;
  ones += "\xff\xd9";
  EXPECT_REFUSED(pixels(ones), "a.jpg: damaged JPEG: Corrupt JPEG data: bad Huffman code");

  std::string restarted = encoded([](jpeg_compress_struct& info) { info.restart_interval = 1; });
  restarted[marker(restarted, '\xd0', scan_data(restarted)) + 1] = '\xd5';
  EXPECT_REFUSED(pixels(restarted), "a.jpg: damaged JPEG: Corrupt JPEG data: found marker 0xd5 instead of RST0");

  std::string progressive = encoded([](jpeg_compress_struct& info) { jpeg_simple_progression(&info); });
  std::size_t parameters = scan_data(progressive) - 1;
  while (progressive[parameters] != '\x21') parameters = scan_data(progressive, parameters) - 1;
  progressive[parameters] = '\x32';  // refines a bit that no scan before it had
  EXPECT_REFUSED(pixels(progressive), "a.jpg: damaged JPEG: Inconsistent progression sequence");
}

TEST(JpegWarnings, OfArithmeticCodesAreErrors) {
#ifndef C_ARITH_CODING_SUPPORTED
  GTEST_SKIP() << "libjpeg was built without arithmetic codes";
#endif
  const std::string arithmetic = encoded([](jpeg_compress_struct& info) { info.arith_code = TRUE; });
  const std::size_t data = scan_data(arithmetic);
  int found = 0;
  for (int value = 0; value < 255 && found == 0; ++value) {
    std::string bad = arithmetic;
    std::fill(bad.begin() + static_cast<std::ptrdiff_t>(data), bad.end() - 2, static_cast<char>(value));
    try {
      (void)pixels(bad);
    } catch (const InputError& error) {
      found += std::string(error.what()).find("bad arithmetic code") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace p2mpp
