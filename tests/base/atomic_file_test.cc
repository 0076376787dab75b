#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <thread>
#include <vector>

#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

std::ptrdiff_t count_files(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

std::string jpeg_failure(const std::filesystem::path& path) {
  return message_of<Error>([&] { write_file_atomically(path, "new"); });
}

/// Files of this process cannot grow beyond a size: writing fails as it does on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(WriteFileAtomically, WritesAndReplaces) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  const std::string bytes("a\0b\n", 4);
  write_file_atomically(path, bytes);
  EXPECT_EQ(slurp(path), bytes);
  write_file_atomically(path, "");
  EXPECT_EQ(slurp(path), "");
  EXPECT_EQ(count_files(folder.path()), 1);
  const std::string longest(255, 'x');
  write_file_atomically(folder.path() / longest, "x");
  EXPECT_EQ(slurp(folder.path() / longest), "x");
}

TEST(UnfinishedFile, HasItsNameOnceItIsPutInPlace) {
  const TemporaryFolder folder;
  std::vector<UnfinishedFile> files;
  for (int i = 0; i < 20; ++i) files.emplace_back(folder.path() / std::to_string(i), std::string(i, 'x'));
  sync_to_disk(files);
  EXPECT_EQ(count_files(folder.path()), 20);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "7"));
  for (UnfinishedFile& file : files) file.put_in_place();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(slurp(folder.path() / std::to_string(i)), std::string(i, 'x'));
  files.clear();
  EXPECT_EQ(count_files(folder.path()), 20);
}

TEST(UnfinishedFile, LeavesNothingWithoutAName) {
  const TemporaryFolder folder;
  {
    UnfinishedFile file(folder.path() / "file", "bytes");
    const UnfinishedFile moved(std::move(file));
    sync_to_disk({&moved, 1});
    EXPECT_EQ(count_files(folder.path()), 1);
  }
  EXPECT_EQ(count_files(folder.path()), 0);
}

TEST(UnfinishedFile, NamesWhatCannotBeReplaced) {
  const TemporaryFolder folder;
  UnfinishedFile file(folder.path() / "file", "bytes");
  std::filesystem::create_directories(folder.path() / "file/not empty");
  EXPECT_EQ(message_of<Error>([&] { file.put_in_place(); }),
            (folder.path() / "file").string() +
                ": cannot be put in place: Is a directory; expected a folder with room that can be written");
}

TEST(WriteFileAtomically, WritesIntoTheWorkingFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file_atomically("file", "x");
  std::filesystem::current_path(before);
  EXPECT_EQ(slurp(folder.path() / "file"), "x");
}

TEST(WriteFileAtomically, HonoursTheUmask) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  const mode_t before = ::umask(0027);
  write_file_atomically(path, "x");
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(WriteFileAtomically, ReplacesALinkInsteadOfWritingThroughIt) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder.write("elsewhere/target", "old");
  std::filesystem::create_symlink(target, folder.path() / "link");
  write_file_atomically(folder.path() / "link", "new");
  EXPECT_EQ(slurp(folder.path() / "link"), "new");
  EXPECT_EQ(slurp(target), "old");
}

TEST(WriteFileAtomically, RefusesFoldersThatAreNotThere) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("file", "x");
  EXPECT_HOLDS(jpeg_failure(folder.path() / "missing" / "file"), "file: cannot be created: No such file");
  EXPECT_HOLDS(jpeg_failure(file / "below"), "below: cannot be created: Not a directory");
}

TEST(WriteFileAtomically, RefusesWhatIsNotAFile) {
  const TemporaryFolder folder;
  EXPECT_HOLDS(jpeg_failure(folder.path()), "is a folder or a device");
  EXPECT_HOLDS(jpeg_failure("/dev/null"), "/dev/null: is a folder or a device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_HOLDS(jpeg_failure(folder.path() / std::string("a\0b", 3)), "NUL");
  EXPECT_EQ(count_files(folder.path()), 0);
}

TEST(WriteFileAtomically, RefusesAFolderWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser writes everywhere";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_HOLDS(jpeg_failure(folder.path() / "file"), "cannot be created: Permission denied");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(WriteFileAtomically, KeepsTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("file", "old");
  const std::string large(1 << 20, 'x');
  std::string message;
  {
    const FileSizeLimit limit(4096);
    message = message_of<Error>([&] { write_file_atomically(path, large); });
  }
  EXPECT_HOLDS(message, "file: cannot be written: File too large");
  EXPECT_EQ(slurp(path), "old");
  EXPECT_EQ(count_files(folder.path()), 1);
}

TEST(WriteFileAtomically, LeavesOneWholeFileOfManyWriters) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  std::vector<std::thread> writers;
  for (char letter = 'a'; letter < 'e'; ++letter) {
    writers.emplace_back([&path, letter] {
      for (std::size_t i = 1; i <= 20; ++i) write_file_atomically(path, std::string(10000 * i, letter));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string bytes = slurp(path);
  EXPECT_EQ(bytes, std::string(200000, bytes.at(0)));
  EXPECT_EQ(count_files(folder.path()), 1);
}

TEST(RemoveUnfinishedFiles, TakesOnlyThese) {
  const TemporaryFolder folder;
  folder.write(".p2mpp-1-2-3.tmp", "half");
  folder.write(".p2mpp-ffff-2-30.tmp", "");
  folder.write("a.tmp", "mine");
  folder.write(".p2mpp-1-2-3.tmp.obj", "mine");
  EXPECT_EQ(remove_unfinished_files(folder.path()), 2U);
  EXPECT_EQ(count_files(folder.path()), 2);
  EXPECT_EQ(remove_unfinished_files(folder.path() / "missing"), 0U);
}

class OutputPaths : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(OutputPaths, FoldersAreCreatedWhereNoFileIs) {
  prepare_output_folder(folder_.path() / "a" / "b");
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path() / "a" / "b"));
  EXPECT_NO_THROW(prepare_output_folder(folder_.path() / "a" / "b"));
  EXPECT_NO_THROW(prepare_output_folder("."));
  const auto file = folder_.path() / "file";
  write_file_atomically(file, "text");
  EXPECT_THROW(prepare_output_folder(file), Error);
  EXPECT_THROW(prepare_output_folder(file / "below"), Error);
  EXPECT_EQ(slurp(file), "text");
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
