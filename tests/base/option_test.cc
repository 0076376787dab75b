#include "base/option.h"

#include <gtest/gtest.h>

namespace p2mpp {
namespace {

std::string problem(const ValueCheck& check, std::string text) { return describe_problem(check, text); }

TEST(WholeNumber, TakesItsRangeAlone) {
  for (const char* text : {"0,0,1", "-2.5, 1e-3,2"}) EXPECT_EQ(problem(three_numbers(-3, 3), text), "") << text;
  for (const char* text : {"", "0,0", "0,0,1,2", "0,0,4", "a,0,1", ",,", "0,0,nan"}) {
    EXPECT_EQ(problem(three_numbers(-3, 3), text),
              "expected three numbers from -3 to 3, such as 0,0,1; got '" + std::string(text) + "'");
  }
  Eigen::Vector3d read;
  from_text("1,-2.5,3", read);
  EXPECT_EQ(read, Eigen::Vector3d(1, -2.5, 3));
  EXPECT_EQ(to_text(read), "1,-2.5,3");
  EXPECT_EQ(problem(whole_number(-1, 10), "-1"), "");
  EXPECT_EQ(problem(whole_number(-1, 10), "10"), "");
  EXPECT_EQ(problem(whole_number(-1, 10), "11"), "expected a whole number from -1 to 10; got '11'");
  for (const char* text : {"", " 1", "1 ", "1.0", "1e1", "0x1", "one", "99999999999999999999999", "+1", "-"}) {
    EXPECT_NE(problem(whole_number(0, 100), text), "") << text;
  }
}

TEST(OneOfAndShare, NameWhatTheyExpect) {
  EXPECT_EQ(problem(one_of({"fp32", "tf32"}), "tf32"), "");
  EXPECT_EQ(problem(one_of({"fp32", "tf32"}), "TF32"), "expected fp32, tf32; got 'TF32'");
  for (const char* text : {"1", "0.85", "1e-6"}) EXPECT_EQ(problem(share(), text), "") << text;
  for (const char* text : {"0", "-0.1", "1.001", "nan", "", "85%"}) {
    EXPECT_EQ(problem(share(), text), "expected a number above 0 and up to 1; got '" + std::string(text) + "'");
  }
}

TEST(AutoOrWholeNumber, TurnsTheWordIntoItsNumber) {
  const ValueCheck check = auto_or_whole_number(1, 1024, 0);
  const auto becomes = [&](std::string text) {
    EXPECT_EQ(describe_problem(check, text), "");
    return text;
  };
  EXPECT_EQ(becomes("auto"), "0");
  EXPECT_EQ(becomes("1"), "1");
  EXPECT_EQ(becomes("1024"), "1024");
  for (const char* text : {"", "0", "1025", "Auto", "4x", "-1"}) {
    EXPECT_EQ(problem(check, text), "expected auto or a whole number from 1 to 1024; got '" + std::string(text) + "'");
  }
}

TEST(DeviceName, TakesDevices) {
  for (const char* text : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"})
    EXPECT_EQ(problem(device_name(), text), "") << text;
  for (const char* text : {"", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda0", "CPU"}) {
    EXPECT_NE(problem(device_name(), text), "") << text;
  }
}

}  // namespace
}  // namespace p2mpp
