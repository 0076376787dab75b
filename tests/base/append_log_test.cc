#include "base/append_log.h"

#include <sys/stat.h>

#include <vector>

#include "base/input_file.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

std::vector<std::string> lines_in(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  const AppendLog log(file, [&](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

void ignore(std::string_view) {}

TEST(AppendLog, KeepsWhatWasAppended) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "log";
  EXPECT_TRUE(lines_in(file).empty());
  AppendLog(file, ignore).append("one\ntwo\n");
  AppendLog(file, ignore).append("three\n");
  EXPECT_EQ(lines_in(file), (std::vector<std::string>{"one", "two", "three"}));
}

TEST(AppendLog, CutsATornLineOffAndGoesOn) {
  const TemporaryFolder folder;
  const auto file = folder.write("log", "one\ntwo\nthr");
  EXPECT_EQ(lines_in(file), (std::vector<std::string>{"one", "two"}));
  AppendLog(file, ignore).append("three\n");
  EXPECT_EQ(lines_in(file), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_TRUE(lines_in(folder.write("torn", "no end")).empty());
}

TEST(AppendLog, IsUnchangedIfACallbackThrows) {
  const TemporaryFolder folder;
  const auto file = folder.write("log", "one\ntwo\nthr");
  const auto refuse = [](std::string_view line) { throw InputError(std::string(line)); };
  EXPECT_THROW(AppendLog(file, refuse), InputError);
  EXPECT_THROW(AppendLog(file, ignore, refuse), InputError);
  EXPECT_EQ(read_file(file, 100), "one\ntwo\nthr");
}

TEST(AppendLog, FollowsNoLinkAndOpensNoPipe) {
  const TemporaryFolder folder;
  const auto file = folder.write("log", "one\n");
  std::filesystem::create_symlink(file, folder.path() / "link");
  EXPECT_THROW(AppendLog(folder.path() / "link", ignore), Error);
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(AppendLog(folder.path() / "pipe", ignore), Error);
}

TEST(AppendLog, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "log";
  {
    const AppendLog log(file, ignore);
    EXPECT_THROW(AppendLog(file, ignore), Error);
  }
  AppendLog(file, ignore).append("one\n");
}

TEST(AppendLog, CanBeReplacedAndStaysHeld) {
  const TemporaryFolder folder;
  const auto file = folder.write("log", "one\ntwo\n");
  {
    AppendLog log(file, ignore);
    log.replace("three\n");
    EXPECT_THROW(AppendLog(file, ignore), Error);
    log.append("four\n");
  }
  EXPECT_EQ(lines_in(file), (std::vector<std::string>{"three", "four"}));
}

TEST(AppendLog, ChangesNoOtherNameOfAFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("log", "one\nto"), other = folder.path() / "other";
  std::filesystem::create_hard_link(file, other);
  AppendLog(file, ignore).append("two\n");
  EXPECT_EQ(read_file(other, 100), "one\nto");
  EXPECT_EQ(lines_in(file), (std::vector<std::string>{"one", "two"}));
}

TEST(AppendLog, AFileLargerThanALogMayBeIsNamed) {
  const TemporaryFolder folder;
  const auto file = folder.write("log", "one\n");
  std::filesystem::resize_file(file, kMaxLogBytes + 1);
  EXPECT_REFUSED(lines_in(file), file.string() + ": has 4294967297 bytes");
}

TEST(AppendLog, NamesTheFileThatCannotBeWritten) {
  const TemporaryFolder folder;
  for (const auto& file : {folder.path() / "missing" / "log", folder.path()}) {
    EXPECT_HOLDS(message_of<Error>([&] { const AppendLog log(file, ignore); }), file.string() + ": cannot be opened");
  }
}

TEST(WholeLines, EndWhereACrashMayHaveTornThem) {
  EXPECT_EQ(whole_lines(""), "");
  EXPECT_EQ(whole_lines("a"), "");
  EXPECT_EQ(whole_lines("a\nb\nc"), "a\nb\n");
  EXPECT_EQ(whole_lines(std::string_view("a\nb\0\0\nc\n", 8)), "a\n");
  EXPECT_EQ(whole_lines(std::string_view("\0\0\nc\n", 5)), "");
}

}  // namespace
}  // namespace p2mpp
