#include "server/spool.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/evaluation_fixture.h"

namespace p2mpp {
namespace {

TEST(ResultStore, KeepsTheLatestForATime) {
  const TemporaryFolder parent;
  Spool spool(parent.path(), 1000);
  ResultStore store(2, std::chrono::seconds(60));
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) {
    auto folder = std::make_shared<SpoolFolder>(spool);
    names.push_back(folder->name());
    store.keep(std::move(folder));
  }
  EXPECT_FALSE(store.find(names[0]));
  EXPECT_FALSE(std::filesystem::exists(spool.path() / names[0]));
  EXPECT_TRUE(store.find(names[1]));
  EXPECT_TRUE(store.find(names[2]));
  EXPECT_FALSE(store.find(""));
  EXPECT_EQ(store.size(), 2U);
  ResultStore forgetful(2, std::chrono::seconds(0));
  auto folder = std::make_shared<SpoolFolder>(spool);
  const std::string name = folder->name();
  forgetful.keep(std::move(folder));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_FALSE(forgetful.find(name));
}

}  // namespace
}  // namespace p2mpp
