#include "cameras/named_files.h"

#include <gtest/gtest.h>

#include "base/thread_scopes.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

TEST(Folded, ForgetsCaseAccentsAndNormalForms) {
  EXPECT_EQ(folded("IMG_1.JPG"), "img_1.jpg");
  EXPECT_EQ(folded("Caf\u00e9"), "cafe");
  EXPECT_EQ(folded("Cafe\u0301"), "cafe");
  EXPECT_EQ(folded("\uac01"), folded("\u1100\u1161\u11a8"));  // Hangul
  EXPECT_EQ(folded("\u304c"), folded("\u304b\u3099"));        // kana
  EXPECT_NE(folded("\u304b"), folded("\u304d"));
  EXPECT_EQ(folded("\xff\xc3"), folded("\xff\xc3"));
}

class NamedFilesTest : public ::testing::Test {
 protected:
  std::string find(const std::string& name, NamedFiles::Kind kind = NamedFiles::Kind::kPhotograph) {
    NamedFiles files(folder.path());
    const fs::path found = files.find(name, kind);
    return found.empty() ? "" : found.lexically_relative(folder.path()).string();
  }
  TemporaryFolder folder;
};

TEST_F(NamedFilesTest, FindsOtherFormsOfAName) {
  folder.write("images/IMG_1.png", "");
  folder.write("masks/IMG_1.png", "");
  folder.write("depth/IMG_1.png", "");
  for (const char* name : {"images/IMG_1.png", "./images/IMG_1", "images/IMG_1.jpg", "images/img_1.PNG",
                           "images\\IMG_1.png", "C:\\Users\\me\\images\\IMG_1.JPG", "/home/me/scan/images/IMG_1.png",
                           "IMG_1.png", "images_2/IMG_1.png", "input/IMG_1.png"}) {
    EXPECT_EQ(find(name), "images/IMG_1.png") << name;
    const ReadingScope scope(folder.path());
    EXPECT_EQ(find(name), "images/IMG_1.png") << name;
  }
  EXPECT_EQ(find("somewhere/IMG_1.jpg", NamedFiles::Kind::kMask), "masks/IMG_1.png");
  EXPECT_EQ(find("IMG_2.png"), "");
  EXPECT_EQ(find(""), "");
}

TEST_F(NamedFilesTest, TakesAnotherFormOnlyIfItIsTheOnlyOne) {
  folder.write("left/a.png", "");
  folder.write("right/a.png", "");
  EXPECT_EQ(find("a.png"), "");
  EXPECT_EQ(find("D:/x/right/a.jpg"), "right/a.png");
  folder.write("images_4/b.png", "");
  folder.write("images_2/b.png", "");
  EXPECT_EQ(find("images/b.png"), "images_2/b.png");  // the larger of the reduced ones
}

TEST_F(NamedFilesTest, OneFolderUnderTwoNamesHasEachFileOnce) {
  folder.write("photos/a.png", "");
  NamedFiles files(fs::relative(folder.path()), {fs::absolute(folder.path())});
  EXPECT_EQ(files.find("images/a.png").filename(), "a.png");
}

TEST_F(NamedFilesTest, NotesWhatDiffersAndNamesTheNearest) {
  folder.write("images/IMG_0010.png", "");
  folder.write("images/IMG_0011.png", "");
  NamedFiles files(folder.path());
  EXPECT_FALSE(files.find("images/IMG_0010.png").empty());
  EXPECT_FALSE(files.differed());
  EXPECT_TRUE(files.notes("t.json").empty());
  EXPECT_FALSE(files.find("IMG_0011.jpg").empty());
  EXPECT_TRUE(files.differed());
  EXPECT_EQ(files.notes("t.json"), std::vector<std::string>{"t.json: 1 photographs were found under other names: "
                                                            "'IMG_0011.jpg' is images/IMG_0011.png"});
  EXPECT_EQ(files.nearest("DSC_0010.png"), "; the nearest file is images/IMG_0010.png");
}

}  // namespace
}  // namespace p2mpp
