#pragma once

#include <gtest/gtest.h>

#include <string>

#include "capture/drawn_capture.h"
#include "io/image/png_file.h"
#include "support/temporary_folder.h"

namespace p2mpp {

/// A capture of a drawn chair, whose photographs of 200x150 are PREFIX0.png and so on in a folder.
class DrawnCaptureFolder : public ::testing::Test {
 protected:
  DrawnCaptureFolder(int views, std::uint64_t seed, std::string prefix) : prefix_(std::move(prefix)) {
    drawn = draw_capture(drawn_chair(), {.views = views, .width = 200, .height = 150, .samples = 1}, seed);
    for (std::size_t i = 0; i < drawn.images.size(); ++i) {
      Photograph& photograph = drawn.capture.photographs[i];
      photograph.name = name(i);
      photograph.image = write(i, drawn.images[i]);
    }
  }

  [[nodiscard]] std::string name(std::size_t i) const { return prefix_ + std::to_string(i) + ".png"; }
  /// Replaces a photograph's file.
  std::filesystem::path write(std::size_t i, const Image& image) const {
    return folder.write(name(i), encode_png(image));
  }

  TemporaryFolder folder;
  DrawnCapture drawn;

 private:
  std::string prefix_;
};

}  // namespace p2mpp
