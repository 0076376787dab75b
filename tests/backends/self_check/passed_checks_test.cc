#include "backends/self_check/passed_checks.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

constexpr const char* kIdentity = "device H100\nbuild 12\n";

TEST(PassedChecks, AreRememberedForTheSameIdentityAlone) {
  const TemporaryFolder folder;
  const PassedChecks passed(folder.path() / "p2mpp" / "self-checks");
  EXPECT_FALSE(passed.has(kIdentity));
  passed.remember(kIdentity);
  EXPECT_TRUE(passed.has(kIdentity));
  EXPECT_FALSE(passed.has("device H100\nbuild 13\n"));
  EXPECT_TRUE(PassedChecks(folder.path() / "p2mpp" / "self-checks").has(kIdentity)) << "by another process";
}

TEST(PassedChecks, DamagedFilesDoNotCount) {
  const TemporaryFolder folder;
  const PassedChecks passed(folder.path());
  passed.remember(kIdentity);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    std::ofstream(entry.path()) << "device H100";
  }
  EXPECT_FALSE(passed.has(kIdentity));
  passed.remember(kIdentity);
  EXPECT_TRUE(passed.has(kIdentity));
}

TEST(PassedChecks, AFolderThatCannotBeWrittenIsNoError) {
  const TemporaryFolder folder;
  const PassedChecks below_a_file(folder.write("file", "x") / "p2mpp");
  const PassedChecks nowhere("");
  for (const PassedChecks* passed : {&below_a_file, &nowhere}) {
    passed->remember(kIdentity);
    EXPECT_FALSE(passed->has(kIdentity));
  }
}

// Of the process; put back at the end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* before = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (before != nullptr) before_ = before;
    had_one_ = before != nullptr;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(had_one_ ? before_.c_str() : nullptr); }

 private:
  void set(const char* value) const {
    value != nullptr ? setenv(name_, value, 1) : unsetenv(name_);  // NOLINT(concurrency-mt-unsafe)
  }

  const char* name_;
  std::string before_;
  bool had_one_ = false;
};

TEST(PassedChecks, AreInTheUsersCacheFolder) {
  const Variable home("HOME", "/home/somebody");
  {
    const Variable cache("XDG_CACHE_HOME", "/cache");
    EXPECT_EQ(PassedChecks::user_folder(), "/cache/p2mpp/self-checks");
  }
  for (const char* ignored : {"", "relative/cache"}) {
    const Variable cache("XDG_CACHE_HOME", ignored);
    EXPECT_EQ(PassedChecks::user_folder(), "/home/somebody/.cache/p2mpp/self-checks");
  }
  const Variable cache("XDG_CACHE_HOME", nullptr);
  const Variable no_home("HOME", nullptr);
  EXPECT_EQ(PassedChecks::user_folder(), "");
}

}  // namespace
}  // namespace p2mpp
