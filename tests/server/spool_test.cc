#include "server/spool.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/atomic_file.h"
#include "support/evaluation_fixture.h"

namespace p2mpp {
namespace {

class SpoolTest : public ::testing::Test {
 protected:
  void write(const std::filesystem::path& file, std::size_t bytes) const {
    std::filesystem::create_directories(file.parent_path());
    write_file_atomically(file, std::string(bytes, 'x'));
  }

  TemporaryFolder parent_;
  Spool spool_{parent_.path(), 1000};
};

TEST_F(SpoolTest, FilesGoWithTheirFolderAndTheirBytesToo) {
  const std::filesystem::path path = spool_.path();
  {
    SpoolFolder folder(spool_, "a");
    EXPECT_TRUE(folder.reserve(400));
    EXPECT_FALSE(folder.reserve(101));
    EXPECT_EQ(spool_.bytes(), 400U);
    folder.drop_input();
    EXPECT_FALSE(std::filesystem::exists(folder.input()));
    EXPECT_EQ(spool_.bytes(), 0U);
    EXPECT_TRUE(std::filesystem::exists(folder.path()));
  }
  const std::filesystem::directory_iterator left(path);
  EXPECT_TRUE(std::none_of(begin(left), end(left), [](const auto& each) { return each.is_directory(); }));
  spool_.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(SpoolTest, NobodyTakesMoreThanHalfOfWhatTheOthersLeave) {
  SpoolFolder a(spool_, "a"), second_of_a(spool_, "a"), b(spool_, "b"), c(spool_, "c");
  EXPECT_TRUE(a.reserve(300));
  EXPECT_FALSE(second_of_a.reserve(201));
  EXPECT_TRUE(second_of_a.reserve(200));
  EXPECT_FALSE(b.reserve(251));
  EXPECT_TRUE(b.reserve(250));
  EXPECT_TRUE(c.reserve(125));
  EXPECT_FALSE(a.reserve(1));
  a.drop_input();
  EXPECT_FALSE(second_of_a.reserve(114));
  EXPECT_TRUE(second_of_a.reserve(113));
}

TEST_F(SpoolTest, WhatAProgramHasWrittenCounts) {
  SpoolFolder folder(spool_, "a");
  EXPECT_TRUE(folder.reserve(100));
  write(folder.input() / "a.png", 100);
  write(folder.output() / "work" / "database", 300);
  EXPECT_TRUE(folder.count_written());
  EXPECT_EQ(folder.written(), 300U);
  write(folder.path() / "temporary" / "a", 101);
  EXPECT_FALSE(folder.count_written());
  EXPECT_EQ(spool_.bytes(), 501U);  // it is there
  std::filesystem::remove_all(folder.output());
  EXPECT_TRUE(folder.count_written());
  EXPECT_EQ(spool_.bytes(), 201U);
}

TEST_F(SpoolTest, TextsAreWithoutItsNames) {
  const SpoolFolder folder(spool_, "a"), other(spool_, "b");
  const std::string input = folder.input().string(), spool = spool_.path().string(), name = folder.name();
  const auto plain = [&](const std::string& text) { return spool_.without_names(text); };
  EXPECT_EQ(plain(input + "/a.png: is bad; " + input + "/b/c.png, too"), "a.png: is bad; b/c.png, too");
  EXPECT_EQ(plain(folder.output().string() + ": cannot be created"), "the folder: cannot be created");
  EXPECT_EQ(plain(spool + "/" + name + "/work/a"), "work/a");
  EXPECT_EQ(plain(spool + "/" + name.substr(1) + "/a"), name.substr(1) + "/a");  // no request's name
  EXPECT_EQ(plain("'" + spool + "' and " + spool + "/lock"), "'the folder' and lock");
  EXPECT_EQ(plain("../../" + other.name() + "/input/a.png"), "../../.../input/a.png");
  EXPECT_EQ(plain("../../../" + spool_.path().filename().string() + "/a"), "../../../the folder/a");
  EXPECT_EQ(plain("nothing of it"), "nothing of it");
}

/// Keeps a folder, and returns its name.
std::string keep_in(ResultStore& store, Spool& spool, const std::string& client) {
  auto folder = std::make_shared<SpoolFolder>(spool, client);
  const std::string name = folder->name();
  store.keep(std::move(folder));
  return name;
}

TEST(ResultStore, TheClientWithMostLosesItsOldest) {
  const TemporaryFolder parent;
  Spool spool(parent.path(), 1000);
  ResultStore store(3, std::chrono::seconds(60));
  std::vector<std::string> names;
  for (const char* client : {"honest", "flood", "flood", "flood", "flood"}) {
    names.push_back(keep_in(store, spool, client));
  }
  EXPECT_TRUE(store.find(names[0]));
  EXPECT_FALSE(store.find(names[1]));
  EXPECT_FALSE(store.find(names[2]));
  EXPECT_TRUE(store.find(names[4]));
}

TEST(ResultStore, KeepsTheLatestForATime) {
  const TemporaryFolder parent;
  Spool spool(parent.path(), 1000);
  ResultStore store(2, std::chrono::seconds(60));
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) names.push_back(keep_in(store, spool, "client"));
  EXPECT_FALSE(store.find(names[0]));
  EXPECT_FALSE(std::filesystem::exists(spool.path() / names[0]));
  EXPECT_TRUE(store.find(names[1]));
  EXPECT_TRUE(store.find(names[2]));
  EXPECT_FALSE(store.find(""));
  EXPECT_EQ(store.size(), 2U);
  ResultStore forgetful(2, std::chrono::seconds(0));
  const std::string name = keep_in(forgetful, spool, "client");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_FALSE(forgetful.find(name));
}

}  // namespace
}  // namespace p2mpp
