#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/test_list.h"

namespace p2mpp {

/// Part I of N of a list: every N-th entry, starting at the I-th. I is counted from 1.
struct Shard {
  std::size_t number = 1, count = 1;
};

/// Parses "2/5". Throws UsageError unless the text is I/N with 1 <= I <= N.
[[nodiscard]] Shard parse_shard(std::string_view text);
[[nodiscard]] std::string to_string(const Shard& shard);

/// The shard's entries in their order. Every entry is in exactly one of the shards 1 to N.
[[nodiscard]] std::vector<ListEntry> select_shard(std::vector<ListEntry> entries, const Shard& shard);

}  // namespace p2mpp
