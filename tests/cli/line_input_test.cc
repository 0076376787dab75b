#include "cli/support/line_input.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace p2mpp::cli {
namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  return ends;
}

class LineInputTest : public ::testing::Test {
 protected:
  ~LineInputTest() override {
    ::close(ends_[0]);
    close_writer();
  }

  void send(std::string_view text) {
    ASSERT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

  std::vector<std::string> all(std::string_view text) {
    send(text);
    close_writer();
    std::vector<std::string> lines;
    while (auto line = input_.next()) lines.push_back(line->too_long ? "LONG" : line->text);
    return lines;
  }

  std::array<int, 2> ends_ = make_pipe();
  std::atomic<bool> stop_ = false;
  LineInput input_{ends_[0], 10, [this] { return stop_.load(); }};
};

using Lines = std::vector<std::string>;

TEST_F(LineInputTest, GivesLines) { EXPECT_EQ(all("one\n\ntwo\r\nthree\n"), (Lines{"one", "", "two", "three"})); }

TEST_F(LineInputTest, TheLastMayLackItsEnd) { EXPECT_EQ(all("one\ntwo"), (Lines{"one", "two"})); }

TEST_F(LineInputTest, OfNothingIsNothing) { EXPECT_EQ(all(""), Lines{}); }

TEST_F(LineInputTest, PassesOverWhatIsTooLong) {
  EXPECT_EQ(all("one\n" + std::string(1000, 'x') + "\ntwo\n0123456789\n"), (Lines{"one", "LONG", "two", "0123456789"}));
}

TEST_F(LineInputTest, WhatIsTooLongMayComeInPieces) {
  const std::jthread other([this] {
    for (int i = 0; i < 5; ++i) {
      send("xxxxxxxx");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    send("\nshort\n");
    close_writer();
  });
  EXPECT_TRUE(input_.next()->too_long);
  EXPECT_EQ(input_.next()->text, "short");
  EXPECT_FALSE(input_.next());
}

TEST_F(LineInputTest, AStopEndsTheWaiting) {
  send("one\nhalf");
  EXPECT_EQ(input_.next()->text, "one");
  const std::jthread other([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop_ = true;
  });
  EXPECT_FALSE(input_.next());
}

TEST(LineInput, AClosedFileIsAnError) {
  LineInput input(987'654, 10, [] { return false; });
  EXPECT_ANY_THROW(static_cast<void>(input.next()));
}

}  // namespace
}  // namespace p2mpp::cli
