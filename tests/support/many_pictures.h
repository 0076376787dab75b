#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "io/image/png_file.h"
#include "support/pixels.h"
#include "support/temporary_folder.h"

namespace p2mpp::testing {

inline constexpr int kFew = 80, kTimes = 10;  ///< of records that are a file each
inline constexpr double kMostGrowth = 15;

inline std::string name_of(int i) { return fmt::format("p{:05}.png", i); }

/// images/p00000.png and so on, all of one content.
inline void write_pictures(const TemporaryFolder& folder, int count) {
  const std::filesystem::path first = folder.write("images/" + name_of(0), encode_png(uniform(64, 48, {9, 9, 9, 255})));
  for (int i = 1; i < count; ++i) std::filesystem::create_hard_link(first, folder.path() / "images" / name_of(i));
}

}  // namespace p2mpp::testing
