#include "base/archive/zip_file.h"

#include <gtest/gtest.h>

#include "base/thread_scopes.h"
#include "p2mpp/error.h"
#include "support/messages.h"
#include "support/mutations.h"
#include "support/zip_writer.h"

namespace p2mpp {
namespace {

std::string unpacked(const ZipEntry& entry) {
  std::string bytes;
  unpack_entry(entry, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

std::string refusal_of(const FileToPack& file) {
  const std::string archive = zip_archive({file});
  return message_of<InputError>([&] { static_cast<void>(unpacked(zip_entries(archive).front())); });
}

TEST(Zip, GivesTheFilesAsTheyWere) {
  std::string large(700'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 7) large[i] = static_cast<char>(i * 31 % 251);
  const std::vector<FileToPack> files = {{.name = "a.txt", .bytes = "text"},
                                         {.name = "b/large", .bytes = large, .deflate = true},
                                         {.name = "b/stored", .bytes = large},
                                         {.name = "none", .bytes = "", .deflate = true},
                                         {.name = "b/", .bytes = "", .mode = 0040755}};
  const std::string archive = zip_archive(files);
  const std::vector<ZipEntry> entries = zip_entries(archive, files.size());
  ASSERT_EQ(entries.size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(entries[i].name, files[i].name);
    EXPECT_EQ(unpacked(entries[i]), files[i].bytes) << files[i].name;
    EXPECT_EQ(entries[i].is_folder, files[i].name.ends_with('/'));
    EXPECT_FALSE(entries[i].is_special);
  }
  EXPECT_EQ(stored_files(archive).size(), 3U);
  EXPECT_THROW(static_cast<void>(zip_entries(archive, files.size() - 1)), InputError);
}

/// A bomb says that it is small.
TEST(Zip, NeverGivesMoreThanTheDirectorySays) {
  const std::string bytes(5'000'000, '\0');
  EXPECT_EQ(refusal_of({.name = "a", .bytes = bytes, .deflate = true, .size = 100}),
            "it has more bytes than the archive says");
  EXPECT_EQ(refusal_of({.name = "a", .bytes = bytes, .deflate = true, .size = 5'000'001}),
            "it has fewer bytes than the archive says");
  std::size_t most = 0;
  const std::string archive = zip_archive({{.name = "a", .bytes = bytes, .deflate = true, .size = 1'000'000}});
  EXPECT_THROW(unpack_entry(zip_entries(archive).front(), [&](std::string_view piece) { most += piece.size(); }),
               InputError);
  EXPECT_LE(most, 1'000'000U);
}

TEST(Zip, FindsDamage) {
  std::string archive = zip_archive({{.name = "a", .bytes = std::string(1000, 'x')}});
  archive[500] = 'y';
  EXPECT_THROW(static_cast<void>(unpacked(zip_entries(archive).front())), InputError);
}

TEST(Zip, IsGivenUpWhenItIsNotWanted) {
  const std::string archive = zip_archive({{.name = "a", .bytes = std::string(2'000'000, 'x'), .deflate = true}});
  int asked = 0;
  const StopQuestion question = [&] { return ++asked == 3; };
  const StopScope scope(&question);
  EXPECT_THROW(static_cast<void>(unpacked(zip_entries(archive).front())), Stopped);
}

TEST(Zip, SurvivesMutations) {
  const std::string archive = zip_archive({{.name = "a", .bytes = std::string(300, 'x'), .deflate = true},
                                           {.name = "b", .bytes = "text", .mode = 0120777},
                                           {.name = "c/d", .bytes = "more"}});
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = mutated(archive, random);
    try {
      for (const ZipEntry& entry : zip_entries(bytes, 100)) {
        if (entry.size < 1'000'000) {
          EXPECT_EQ(unpacked(entry).size(), entry.size);
        }
      }
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace p2mpp
