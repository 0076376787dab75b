#include "io/image/image_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "image/resize.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

const fs::path kImages = fs::path(P2MPP_TEST_DATA) / "io" / "images";

std::vector<fs::path> images_with(const std::string& extension) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(kImages)) {
    if (entry.path().extension() == extension && entry.path().stem() != "jpeg_cmyk") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The largest difference from what PIL or OpenCV decoded.
int largest_difference(const Image& image, const fs::path& path) {
  const std::string expected = slurp(fs::path(path).replace_extension(".rgba"));
  EXPECT_EQ(image.rgba.size(), expected.size()) << path;
  if (image.rgba.size() != expected.size()) return 255;
  int largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(image.rgba[i] - static_cast<unsigned char>(expected[i])));
  }
  return largest;
}

/// An IHDR with a right checksum is all that libspng reads before the sizes are checked.
std::string png_header(const std::string& ihdr_and_crc) {
  return std::string("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16) + ihdr_and_crc;
}

TEST(ReadImage, DecodesEveryKindOfPng) {
  const std::vector<fs::path> paths = images_with(".png");
  ASSERT_EQ(paths.size(), 25u);
  for (const fs::path& path : paths) {
    const Image image = read_image(path);
    EXPECT_EQ(image.width, 13) << path;
    EXPECT_EQ(image.height, 11) << path;
    EXPECT_EQ(largest_difference(image, path), 0) << path;
  }
}

TEST(ReadImageSize, IsThatOfTheDecodedImage) {
  for (const char* extension : {".png", ".jpg", ".webp", ".bmp"}) {
    for (const fs::path& path : images_with(extension)) {
      if (path.stem() == "webp_animated") continue;
      const Image image = read_image(path);
      EXPECT_EQ(read_image_size(path), (ImageSize{image.width, image.height})) << path;
    }
  }
}

TEST(ReadImageSize, RefusesWhatReadImageRefuses) {
  const TemporaryFolder folder;
  EXPECT_REFUSED(read_image_size(folder.path() / "no.png"), "no.png: cannot be opened: no such file");
  EXPECT_REFUSED(read_image_size(folder.write("a.png", "PIF89a")), "a.png: is not an image");
  EXPECT_REFUSED(read_image_size(folder.write("b.png", std::string("\x89PNG\r\n\x1a\n"))), "b.png: damaged PNG");
  EXPECT_REFUSED(read_image_size(folder.write("c.jpg", "\xff\xd8\xff")), "c.jpg: damaged JPEG");
}

TEST(ReadImage, DecodesEveryKindOfJpegUpright) {
  const std::vector<fs::path> paths = images_with(".jpg");
  ASSERT_EQ(paths.size(), 13u);
  for (const fs::path& path : paths) {
    const Image image = read_image(path);
    EXPECT_EQ(image.width + image.height, 50) << path;
    EXPECT_LE(largest_difference(image, path), 2) << path;
  }
  EXPECT_EQ(read_image(kImages / "jpeg_rgb.jpg").width, 29);
  EXPECT_EQ(read_image(kImages / "jpeg_orientation6.jpg").width, 21);
  EXPECT_REFUSED(
      read_image(kImages / "jpeg_cmyk.jpg"),
      "jpeg_cmyk.jpg: a CMYK JPEG; expected a gray or an RGB one (ImageMagick converts: magick FILE -colorspace");
}

TEST(ReadImage, DecodesStillWebPs) {
  for (const char* name : {"webp_lossy", "webp_lossless", "webp_lossy_alpha", "webp_lossless_alpha"}) {
    const fs::path path = kImages / (std::string(name) + ".webp");
    EXPECT_EQ(read_image(path).width, 29) << name;
    EXPECT_LE(largest_difference(read_image(path), path), 1) << name;
  }
  EXPECT_REFUSED(read_image(kImages / "webp_animated.webp"),
                 "webp_animated.webp: an animated WebP; expected a still one");
  std::string bytes = slurp(kImages / "webp_lossless.webp");
  bytes.replace(21, 4, "\xff\xff\xff\x0f");
  EXPECT_REFUSED(decode_image(bytes, "file"), "file: declares 16384x16384 pixels");
}

TEST(ReadImage, DecodesBmps) {
  const std::vector<fs::path> paths = images_with(".bmp");
  ASSERT_EQ(paths.size(), 3U);
  for (const fs::path& path : paths) EXPECT_EQ(largest_difference(read_image(path), path), 0) << path;
}

/// Two pixels of two rows, with 32 bits and masks as GIMP writes them: blue in the highest byte, and alpha.
TEST(ReadImage, DecodesBmpsWithMasks) {
  std::string header("BM\0\0\0\0\0\0\0\0\x7a\0\0\0\x6c\0\0\0\2\0\0\0\2\0\0\0\1\0\x20\0\3", 31);
  header.resize(54);
  for (const char* mask : {"\xff\0\0\0", "\0\xff\0\0", "\0\0\0\xff", "\0\0\xff\0"}) header.append(mask, 4);
  header.resize(122);
  const std::string pixels = "1234567890abcdef";
  const Image image = decode_image(header + pixels, "a");
  ASSERT_EQ(image.rgba.size(), 16U);
  const std::string expected =
      "90ba"
      "cdfe"
      "1243"
      "5687";
  EXPECT_EQ(std::string(image.rgba.begin(), image.rgba.end()), expected);
  header[22 + 3] = header[22 + 2] = header[22 + 1] = '\xff';  // a height of -2: from the top
  header[22] = '\xfe';
  EXPECT_EQ(decode_image(header + pixels, "a").rgba[0], '1');
  header[28] = 16;
  EXPECT_REFUSED(decode_image(header + pixels, "a"), "a: is a BMP of 16 bits a pixel, compression 3; expected 1, 4, 8");
  header[14] = 12;
  EXPECT_REFUSED(decode_image(header + pixels, "a"), "a: is a BMP of OS/2; expected one of Windows");
}

TEST(ReadImage, NamesTheFormatsOfCameras) {
  const auto heif = [](const std::string& brand) { return std::string("\0\0\0\x18", 4) + "ftyp" + brand + "...."; };
  EXPECT_REFUSED(decode_image(heif("heic"), "a.HEIC"),
                 "a.HEIC: is a HEIC image; expected a PNG, a JPEG, a WebP or a BMP (ImageMagick");
  EXPECT_REFUSED(decode_image(heif("avif"), "a"), "a: is an AVIF image");
  EXPECT_REFUSED(decode_image(heif("crx "), "a"), "a: is a raw photograph (CR3)");
  EXPECT_REFUSED(decode_image({"II*\0....", 8}, "a"), "a: is a TIFF image or a raw photograph");
  EXPECT_REFUSED(decode_image("GIF89a....", "a.gif"),
                 "a.gif: is a GIF image; expected a PNG, a JPEG, a WebP or a BMP (ImageM");
  EXPECT_REFUSED(decode_image("BM, said the file", "a"), "a: is not an image");
  EXPECT_REFUSED(decode_image("8BPS\1", "a"), "a: is a Photoshop image");
  EXPECT_REFUSED(decode_image({"\0\0\0\x0CJXL \r\n", 10}, "a"), "a: is a JPEG XL image");
}

/// libwebp reduces WebPs by itself; of lossy ones, the hues to half the resolution.
TEST(DecodeImage, ReducesWhileItReads) {
  for (const char* extension : {".png", ".jpg", ".webp", ".bmp"}) {
    for (const fs::path& path : images_with(extension)) {
      if (path.stem() == "webp_animated") continue;
      const Image whole = read_image(path), half = read_reduced_image(path, 7);
      const ImageSize size = reduced_size({whole.width, whole.height}, 7);
      ASSERT_EQ((ImageSize{half.width, half.height}), size) << path;
      AreaReduction expected({whole.width, whole.height}, size);
      for (std::size_t row = 0; row < whole.rgba.size(); row += 4 * static_cast<std::size_t>(whole.width)) {
        expected.add_row(&whole.rgba[row]);
      }
      const Image mean = std::move(expected).result();
      int largest = 0, sum = 0;
      for (std::size_t i = 0; i < mean.rgba.size(); ++i) {
        if (mean.rgba[i / 4 * 4 + 3] == 0) continue;
        const int difference = std::abs(half.rgba[i] - mean.rgba[i]);
        largest = std::max(largest, difference);
        sum += difference;
      }
      EXPECT_LE(sum, 8 * static_cast<int>(mean.rgba.size())) << path;
      const int allowed = path.extension() == ".webp" ? 255 : path.extension() == ".jpg" ? 1 : 0;
      EXPECT_LE(largest, allowed) << path;
      EXPECT_EQ(read_reduced_image(path, 29).rgba, whole.rgba) << path;
    }
  }
}

TEST(DecodeImage, GoesByTheBytesAndTheOrientation) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("wrong.jpg", slurp(kImages / "rgb8.png"));
  EXPECT_EQ(read_image(path).width, 13);
  const std::string bytes = slurp(kImages / "jpeg_orientation6.jpg");
  EXPECT_EQ(decode_image(bytes, "a").width, 21);
  EXPECT_EQ(decode_image(bytes, "a", Orientation::kAsStored).width, 29);
}

TEST(DecodeImage, RefusesWhatIsNotAnImage) {
  for (const char* bytes : {"", "x", "PIF89a", "<html>", "\x89PNG", "\xff\xd8"}) {
    EXPECT_REFUSED(decode_image(bytes, "file"), "file: is not an image; expected a PNG, a JPEG, a WebP or a BMP");
  }
  EXPECT_REFUSED(decode_image("\xff\xd8\xff\xd9", "file"), "file: damaged JPEG");
  EXPECT_REFUSED(read_image(kImages), "is a folder");
  EXPECT_REFUSED(read_image(kImages / "missing.png"), "no such file");
}

TEST(DecodeImage, RefusesEveryTruncation) {
  for (const char* name :
       {"rgba8.png", "palette4.png", "gray16_interlaced.png", "jpeg_rgb.jpg", "jpeg_progressive.jpg", "jpeg_gray.jpg",
        "webp_lossy.webp", "webp_lossless.webp", "webp_lossy_alpha.webp", "bmp8.bmp", "bmp24.bmp"}) {
    const std::string bytes = slurp(kImages / name);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      for (const int most_side : {kMaxImageSide, 7}) {
        EXPECT_THROW(static_cast<void>(decode_image(bytes.substr(0, length), name, Orientation::kUpright, most_side)),
                     InputError)
            << name << ' ' << length << ' ' << most_side;
      }
    }
  }
}

TEST(DecodeImage, IgnoresBytesBehindTheImage) {
  for (const fs::path& path : {kImages / "rgba8.png", kImages / "jpeg_orientation1.jpg"}) {
    EXPECT_LE(largest_difference(decode_image(slurp(path) + "garbage\xff\xd9", "file"), path), 2);
  }
}

TEST(DecodeImage, RefusesEveryFlippedBitOfPngPixels) {
  const std::string bytes = slurp(kImages / "rgb8.png");
  const std::size_t data = bytes.find("IDAT");
  ASSERT_NE(data, std::string::npos);
  for (std::size_t bit = data * 8; bit < (bytes.size() - 12) * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_THROW(static_cast<void>(decode_image(flipped, "file")), InputError) << bit;
    EXPECT_THROW(static_cast<void>(decode_image(flipped, "file", Orientation::kUpright, 7)), InputError) << bit;
  }
}

TEST(DecodeImage, SurvivesMutations) {
  unsigned seed = 0;
  for (const std::string extension : {".png", ".jpg", ".webp", ".bmp"}) {
    ++seed;
    for (const fs::path& path : images_with(extension)) {
      const int decoded = survive_mutations(slurp(path), 400, seed, [](const std::string& bytes) {
        EXPECT_FALSE(decode_image(bytes, "file").rgba.empty());
      });
      EXPECT_TRUE(extension != ".png" || decoded < 200) << path;
      EXPECT_TRUE(extension != ".jpg" || decoded > 0) << path;
      survive_mutations(slurp(path), 200, 4, [](const std::string& bytes) {
        EXPECT_LE(decode_image(bytes, "file", Orientation::kUpright, 7).width, 7);
      });
    }
  }
}

/// The largest memory of this process so far.
long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(DecodeImage, RefusesSizesFromTheHeaderAlone) {
  const long before = peak_kib();
  EXPECT_REFUSED(decode_image(png_header({"\0\0\x75\x30\0\0\x75\x30\x08\x06\0\0\0\x66\x27\xf8\xba", 17}), "file"),
                 "file: declares 30000x30000 pixels; expected at most 16384 a side");
  EXPECT_REFUSED(decode_image(png_header({"\0\0\x40\0\0\0\x40\0\x08\x06\0\0\0\xa9\xc8\x10\x84", 17}), "file"),
                 "file: declares 16384x16384 pixels");
  EXPECT_REFUSED(decode_image(png_header({"\0\0\x1f\x40\0\0\x1f\x40\x08\x06\0\0\0\x06\xf1\xad\xf4", 17}), "file"),
                 "file: damaged PNG: declares 8000x8000 pixels but has 33 bytes; expected at least 248062");
  EXPECT_REFUSED(decode_image(png_header({"\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89", 17}), "file"),
                 "file: has 1x1 pixels; expected at least 2 a side");
  EXPECT_REFUSED(decode_image(png_header({"\0\0\0\0\0\0\0\0\x08\x06\0\0\0\x3b\x8b\x7c\x12", 17}), "file"),
                 "damaged PNG");
  EXPECT_LT(peak_kib() - before, 256 * 1024) << "what the test before took does not count";
}

TEST(DecodeImage, RefusesAJpegThatDeclaresTooMuch) {
  std::string bytes = slurp(kImages / "jpeg_progressive.jpg");
  const std::size_t frame = bytes.find("\xff\xc2");
  ASSERT_NE(frame, std::string::npos);
  bytes.replace(frame + 5, 4, "\x75\x30\x75\x30");
  EXPECT_REFUSED(decode_image(bytes, "file"), "declares 30000x30000 pixels");
  bytes.replace(frame + 5, 4, "\x1f\x40\x1f\x40");
  EXPECT_REFUSED(decode_image(bytes, "file"), "damaged JPEG: declares 8000x8000 pixels");
  bytes.replace(frame + 5, 4, std::string("\0\x01\0\x01", 4));
  EXPECT_REFUSED(decode_image(bytes, "file"), "has 1x1 pixels");
}

}  // namespace
}  // namespace p2mpp
