#include "base/output_paths.h"

#include <unistd.h>

#include "pipeline/evaluation_fixture.h"

namespace p2mpp {
namespace {

class OutputPaths : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(OutputPaths, FoldersAreCreated) {
  prepare_output_folder(folder_.path() / "a" / "b");
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path() / "a" / "b"));
  EXPECT_NO_THROW(prepare_output_folder(folder_.path() / "a" / "b"));
  EXPECT_NO_THROW(prepare_output_folder("."));
}

TEST_F(OutputPaths, AFileIsNoFolder) {
  const auto file = folder_.path() / "file";
  write_file_atomically(file, "text");
  EXPECT_THROW(prepare_output_folder(file), Error);
  EXPECT_THROW(prepare_output_folder(file / "below"), Error);
  EXPECT_EQ(read_text(file), "text");
}

TEST_F(OutputPaths, AFileNeedsAFolderAndAName) {
  EXPECT_NO_THROW(check_output_file(folder_.path() / "new.json"));
  EXPECT_NO_THROW(check_output_file("in_this_folder.json"));
  EXPECT_THROW(check_output_file(folder_.path() / "missing" / "new.json"), Error);
  EXPECT_THROW(check_output_file(folder_.path()), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(OutputPaths, AReadOnlyFolderIsFoundOutBefore) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_THROW(prepare_output_folder(folder_.path()), Error);
  EXPECT_THROW(check_output_file(folder_.path() / "new.json"), Error);
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace p2mpp
