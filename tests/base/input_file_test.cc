#include "base/input_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/parallel.h"
#include "base/thread_scopes.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

TEST(ReadFile, GivesTheBytes) {
  const TemporaryFolder folder;
  const std::string bytes("a\0\r\n\xff", 5);
  EXPECT_EQ(read_file(folder.write("file", bytes)), bytes);
  EXPECT_EQ(read_file(folder.write("empty", "")), "");
  const std::filesystem::path path = folder.write("file", "12345");
  EXPECT_EQ(read_file(path, 5), "12345");
  EXPECT_REFUSED(read_file(path, 4), "has 5 bytes; expected at most 4");
}

TEST(ReadFile, FollowsLinksButNoLoops) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder.write("file", "x"), folder.path() / "link");
  EXPECT_EQ(read_file(folder.path() / "link"), "x");
  std::filesystem::create_symlink("b", folder.path() / "a");
  std::filesystem::create_symlink("a", folder.path() / "b");
  EXPECT_REFUSED(read_file(folder.path() / "a"), "cannot be opened");
}

TEST(ReadFile, RefusesWhatIsNotThere) {
  const TemporaryFolder folder;
  folder.write("file", "x");
  EXPECT_REFUSED(read_file(folder.path() / "missing"), "missing: cannot be opened: no such file; expected");
  EXPECT_REFUSED(read_file(folder.path() / "file" / "below"), "no such file");
  EXPECT_REFUSED(read_file(""), "no such file");
  EXPECT_REFUSED(read_file(folder.path() / std::string(10000, 'x')), "too long");
  EXPECT_REFUSED(read_file(folder.path() / std::string("file\0x", 6)), "file\\x00x: a name with a NUL");
}

TEST(ReadFile, RefusesWhatIsNotARegularFileAtOnce) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_REFUSED(read_file(pipe), "pipe: is a named pipe; expected a regular file");
  EXPECT_REFUSED(read_file(folder.path()), "is a folder");
  EXPECT_REFUSED(read_file("/dev/zero"), "/dev/zero: is a device");
  EXPECT_REFUSED(read_file("/dev/null"), "is a device");
}

TEST(ReadingScope, FindsNothingOutsideItsFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path secret = folder.write("theirs/secret", "x");
  const std::filesystem::path mine = folder.write("mine/below/file", "y").parent_path().parent_path();
  std::filesystem::create_symlink(secret, mine / "absolute");
  std::filesystem::create_symlink("../theirs/secret", mine / "relative");
  std::filesystem::create_symlink("../theirs", mine / "folder");
  std::filesystem::create_symlink(mine / "below/file", mine / "inside");
  const std::filesystem::path scope_folder = real_path(mine, "a folder");
  const ReadingScope scope(scope_folder);
  for (const char* name : {"../theirs/secret", "below/../../theirs/secret", "absolute", "relative", "folder/secret",
                           "missing", "..", "folder"}) {
    const std::filesystem::path path = mine / name;
    EXPECT_FALSE(is_file(path) || is_folder(path) || may_exist(path)) << name;
    EXPECT_REFUSED(read_file(path), "cannot be opened: no such file") << name;  // as if it were missing
    EXPECT_EQ(file_head(path), "") << name;
    EXPECT_EQ(file_bytes(path), 0U) << name;
    EXPECT_TRUE(list_folder(path).empty()) << name;
    EXPECT_FALSE(is_same_file(path, path)) << name;
    EXPECT_THROW(MappedFile{path}, Error) << name;
  }
  EXPECT_FALSE(may_exist(secret));
  EXPECT_EQ(read_file(mine / "below/file"), "y");
  EXPECT_EQ(read_file(mine / "below/../below/file"), "y");
  EXPECT_EQ(read_file(mine / "inside"), "y");
  EXPECT_EQ(file_head(mine / "below/file"), "y");
  EXPECT_EQ(file_bytes(mine / "inside"), 1U);
  EXPECT_TRUE(is_same_file(mine / "inside", mine / "below/file"));
  std::vector<std::string> names;
  for (const FolderEntry& entry : list_folder(mine)) {
    if (entry.is_file || entry.is_folder) names.push_back(entry.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"below", "inside"}));  // links elsewhere lead nowhere
  {
    const ReadingScope everything{std::filesystem::path()};
    EXPECT_EQ(read_file(secret), "x");
  }
  std::atomic<int> found = 0;
  for_each_task(8, 4, [&](std::size_t) { found += may_exist(secret) ? 1 : 0; });
  EXPECT_EQ(found, 0);
}

TEST(ListFolder, SaysWhatThingsAre) {
  const TemporaryFolder folder;
  folder.write("b", "x");
  std::filesystem::create_directory(folder.path() / "a");
  std::filesystem::create_symlink("b", folder.path() / "c");
  std::filesystem::create_symlink("missing", folder.path() / "d");
  std::string text;
  for (const FolderEntry& entry : list_folder(folder.path())) {
    text += fmt::format("{} {}{}{} ", entry.name, entry.is_file ? "file" : "", entry.is_folder ? "folder" : "",
                        entry.is_link ? "link" : "");
  }
  EXPECT_EQ(text, "a folder b file c filelink d link ");
  std::error_code error;
  EXPECT_TRUE(list_folder(folder.path() / "b", error).empty());
  EXPECT_EQ(error, std::errc::not_a_directory);
  EXPECT_TRUE(list_folder(folder.path() / "missing", error).empty());
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
}

TEST(ReadFile, RefusesAnUnreadableFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser reads every file";
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("file", "x");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_REFUSED(read_file(path), "cannot be opened: Permission denied");
}

TEST(ReadFile, RefusesAHugeFileBeforeTakingMemory) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("huge", "");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_REFUSED(read_file(path), "has 1099511627776 bytes; expected at most 268435456");
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 512 * 1024) << "KiB";
}

// That no descriptor is left is not the file's fault: not an InputError.
TEST(ReadFile, RunningOutOfDescriptorsIsNotBadInput) {
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "UBSan needs descriptors of its own";
#endif
#endif
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("file", "x");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto read = [&] { static_cast<void>(read_file(path)); };
  std::string message;
  try {
    message = "an InputError: " + refusal_by<InputError>(read);
  } catch (const Error& error) {
    message = error.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_HOLDS(message, "file: cannot be opened: Too many open files");
}

TEST(RequireFolder, SaysWhyItIsNone) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  EXPECT_NO_THROW(require_folder(folder.path(), "X"));
  EXPECT_REFUSED(require_folder(folder.path() / "missing", "X"), "missing: no such folder; expected X");
  EXPECT_REFUSED(require_folder(folder.write("file", "x"), "X"), "file: is not a folder; expected X");
  EXPECT_REFUSED(require_folder(folder.path() / "loop", "X"), "loop: Too many levels of symbolic links; expected X");
}

}  // namespace
}  // namespace p2mpp
