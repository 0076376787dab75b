#include <gtest/gtest.h>

#include <algorithm>

#include "io/test_list.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

TEST(Shard, IsReadAndWritten) {
  EXPECT_EQ(parse_shard("2/5").number, 2U);
  EXPECT_EQ(parse_shard("2/5").count, 5U);
  EXPECT_EQ(to_string(parse_shard("1/1")), "1/1");
  for (const char* text : {"", "1", "/", "1/", "/2", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "1.5/2", "a/b", " 1/2",
                           "99999999999999999999/99999999999999999999"}) {
    EXPECT_THROW(static_cast<void>(parse_shard(text)), UsageError) << text;
  }
}

TEST(TakeShard, PartsAreTheWhole) {
  std::vector<ListEntry> entries(23);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].line = i + 1;
  for (std::size_t count = 1; count < 30; ++count) {
    std::vector<std::size_t> lines;
    for (std::size_t number = 1; number <= count; ++number) {
      const auto part = select_shard(entries, {number, count});
      EXPECT_LE(part.size(), entries.size() / count + 1);
      EXPECT_TRUE(std::ranges::is_sorted(part, {}, &ListEntry::line));
      for (const ListEntry& entry : part) lines.push_back(entry.line);
    }
    std::ranges::sort(lines);
    ASSERT_EQ(lines.size(), entries.size());
    for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i], i + 1);
  }
}

}  // namespace
}  // namespace p2mpp
