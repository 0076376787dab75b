#include "io/import_folder.h"

#include <gtest/gtest.h>

#include <set>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

class ImportFolderTest : public ::testing::Test {
 protected:
  ImportFolderTest() { fs::create_directory(out_); }

  using Files = std::vector<std::pair<std::string, std::string>>;

  void import(const Files& files, bool overwrite = true) const {
    ImportFolder folder(out_, overwrite);
    std::vector<std::string> names;
    for (const auto& [name, bytes] : files) names.push_back(name);
    folder.check_free(names);
    for (const auto& [name, bytes] : files) folder.add(name, bytes);
    folder.finish([&](const std::string& below) { return below + files.front().first; });
  }

  [[nodiscard]] std::string refused(const Files& files, bool overwrite = true) const {
    return refusal_by<Error>([&] { import(files, overwrite); });
  }

  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(out_)) {
      if (!entry.is_directory() || entry.is_symlink()) found.insert(fs::relative(entry.path(), out_).string());
    }
    return found;
  }

  [[nodiscard]] std::string text(const std::string& name) const { return read_file(out_ / name); }

  const TemporaryFolder parent_;
  const fs::path out_ = parent_.path() / "out";
  const Files first_ = {{"a.png", "A"}, {"b.png", "B"}, {"masks/a.png.png", "mask"}};
  const Files second_ = {{"a.png", "other A"}, {"c.png", "C"}};
};

TEST_F(ImportFolderTest, AnImportReplacesTheEarlierOneAndNothingElse) {
  import(first_, false);
  EXPECT_EQ(names(), (std::set<std::string>{"a.png", "b.png", "masks/a.png.png", "cameras.json", "import.json"}));
  write_file_atomically(out_ / "notes", "mine");
  write_file_atomically(out_ / "b.png", "mine now");
  import(second_);
  EXPECT_EQ(names(), (std::set<std::string>{"a.png", "b.png", "c.png", "cameras.json", "import.json", "notes"}));
  EXPECT_EQ(text("a.png"), "other A");
  EXPECT_EQ(text("b.png"), "mine now");
  EXPECT_EQ(text("cameras.json"), "a.png");
}

TEST_F(ImportFolderTest, WhatNoImportWroteIsNotReplaced) {
  write_file_atomically(out_ / "notes", "mine");
  EXPECT_HOLDS(refused(first_, false), "is not empty");
  write_file_atomically(out_ / "a.png", "mine");
  EXPECT_HOLDS(refused(first_), "a.png was changed after the import");
  write_file_atomically(out_ / "cameras.json", "mine");
  EXPECT_HOLDS(refused(second_), "that no import listed");
  EXPECT_EQ(names(), (std::set<std::string>{"a.png", "cameras.json", "notes"}));
}

TEST_F(ImportFolderTest, NoLinkIsFollowedAndNoListedPlaceIsElsewhere) {
  import(first_);
  const fs::path elsewhere = parent_.path() / "elsewhere";
  fs::create_directory(elsewhere);
  write_file_atomically(elsewhere / "a.png.png", "mask");  // as listed, but for its place
  write_file_atomically(elsewhere / "b.png", "B");
  fs::remove_all(out_ / "masks");
  fs::create_directory_symlink(elsewhere, out_ / "masks");
  fs::remove(out_ / "b.png");
  fs::create_symlink(elsewhere / "b.png", out_ / "b.png");
  EXPECT_HOLDS(refused(first_), "was changed after the import");
  EXPECT_HOLDS(refused(second_), "masks is not a folder");
  fs::remove(out_ / "masks");
  import(second_);
  EXPECT_EQ(read_file(elsewhere / "a.png.png") + read_file(elsewhere / "b.png"), "maskB");
  EXPECT_TRUE(fs::is_symlink(out_ / "b.png"));
  for (const char* name : {"../elsewhere/b.png", "/etc/passwd", "a/b.png", "masks/a/b.png", "masks/..", "", "..",
                           ".p2mpp-import-x/../../b.png", "masks/"}) {
    write_file_atomically(out_ / "import.json",
                          std::string(R"({"files": [{"path": ")") + name + R"(", "sha256": "x"}]})");
    EXPECT_HOLDS(refused(first_), "is not an import's list") << name;
  }
}

TEST_F(ImportFolderTest, AnImportThatFailsLeavesTheEarlierOne) {
  import(first_);
  const std::set<std::string> before = names();
  {
    ImportFolder folder(out_, true);
    folder.add("a.png", "other A");
    EXPECT_THROW(folder.add("no/such/folder", "x"), Error);
  }
  EXPECT_EQ(names(), before);
  EXPECT_EQ(text("a.png"), "A");
  EXPECT_EQ(text("cameras.json"), "a.png");
}

// Ends after the first or the second cameras.json as a killed program does: the file that it names is whole.
TEST_F(ImportFolderTest, AtAnyTimeTheFilesAreWholeAndTheNextImportCleansUp) {
  for (const int end : {1, 2}) {
    import(first_);
    {
      ImportFolder folder(out_, true);
      for (const auto& [name, bytes] : second_) folder.add(name, bytes);
      int asked = 0;
      EXPECT_THROW(folder.finish([&](const std::string& below) {
        if (++asked == end) throw Error("killed");
        return below + "a.png";
      }),
                   Error);
    }
    const std::string named = text("cameras.json");
    EXPECT_EQ(text(named), end == 1 ? "A" : "other A") << named;
    import({{ "d.png", "D" }});
    EXPECT_EQ(names(), (std::set<std::string>{"d.png", "cameras.json", "import.json"})) << end;
    EXPECT_EQ(std::distance(fs::directory_iterator(out_), fs::directory_iterator()), 4);  // masks, too
  }
}

TEST_F(ImportFolderTest, WhatAKilledFirstImportLeftIsRemoved) {
  fs::create_directories(out_ / ".p2mpp-import-abc123/masks");
  write_file_atomically(out_ / ".p2mpp-import-abc123/masks/a.png", "x");
  import(first_, false);
  EXPECT_FALSE(fs::exists(out_ / ".p2mpp-import-abc123"));
}

TEST_F(ImportFolderTest, TheSecondOfTwoImportsIsRefused) {
  const ImportFolder folder(out_, false);
  EXPECT_HOLDS(refused(first_), "another import is writing into");
}

}  // namespace
}  // namespace p2mpp
