#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/temporary_folder.h"

namespace p2mpp {

/// Camera rows of views at equal steps of azimuth.
inline std::string rows(int count) {
  std::string text;
  for (int row = 0; row < count; ++row) text += std::to_string(10 * row) + " 30 0 0.8 25\n";
  return text;
}

/// A folder that gets images and camera files.
class ImageFolder : public ::testing::Test {
 protected:
  std::filesystem::path write_image(const std::filesystem::path& name) const {
    return folder.write(name, slurp(std::filesystem::path(P2MPP_TEST_DATA) / "io" / "images" / "rgba8.png"));
  }
  std::filesystem::path write_cameras(const std::string& text) const { return folder.write("cameras.txt", text); }

  TemporaryFolder folder;
};

}  // namespace p2mpp
