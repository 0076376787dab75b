#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/test_list.h"

namespace p2mpp {

/// The I-th of N parts of a list: every N-th entry from the I-th on, I from 1.
struct Shard {
  std::size_t number = 1, count = 1;
};

/// "2/5". Throws UsageError for anything else than I/N with 1 <= I <= N.
[[nodiscard]] Shard parse_shard(std::string_view text);
[[nodiscard]] std::string to_string(const Shard& shard);

/// The shard's entries in their order; those of shards 1 to N together are all, each once.
[[nodiscard]] std::vector<ListEntry> take_shard(std::vector<ListEntry> entries, const Shard& shard);

}  // namespace p2mpp
