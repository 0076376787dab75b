#include <gtest/gtest.h>

#include <vector>

#include "base/archive/zip_file.h"

namespace p2mpp {
namespace {

std::vector<PackedFile> files_to_pack() {
  std::string large(70'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 7) large[i] = static_cast<char>(i * 31 % 251);
  std::vector<PackedFile> files = {
      {"a.txt", "text"}, {"b/large", large, true}, {"empty", ""}, {"b/empty", "", true}, {"b/stored", large}};
  for (std::size_t i = 0; i < 70; ++i) files.push_back({"name" + std::string(i, 'n'), std::string(i, 'c')});
  return files;
}

TEST(ZipWriter, OurReaderFindsTheFiles) {
  const std::vector<PackedFile> files = files_to_pack();
  for (const std::size_t alignment : {1, 64}) {
    const std::string archive = make_zip_archive(files, alignment);
    const std::vector<ZipEntry> entries = zip_entries(archive);
    ASSERT_EQ(entries.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(entries[i].name, files[i].name);
      std::string bytes;
      unpack_entry(entries[i], [&](std::string_view piece) { bytes += piece; });
      EXPECT_EQ(bytes, files[i].bytes) << files[i].name;
      EXPECT_EQ((entries[i].stored.data() - archive.data()) % static_cast<std::ptrdiff_t>(alignment), 0);
    }
    EXPECT_LT(entries[1].stored.size(), files[1].bytes.size()) << "compressed";
    EXPECT_EQ(entries[4].stored, files[4].bytes) << "stored";
  }
}

}  // namespace
}  // namespace p2mpp
