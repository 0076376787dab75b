#include "eval/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

std::optional<std::size_t> whole(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Shard parse_shard(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = whole(text.substr(0, slash));
  const auto count = slash < text.size() ? whole(text.substr(slash + 1)) : std::nullopt;
  if (!number || !count || *number < 1 || *number > *count) {
    throw UsageError(fmt::format("--shard: expected I/N with I from 1 to N, such as 2/5; got '{}'", text));
  }
  return {*number, *count};
}

std::string to_string(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.count); }

std::vector<ListEntry> select_shard(std::vector<ListEntry> entries, const Shard& shard) {
  std::vector<ListEntry> taken;
  for (std::size_t i = shard.number - 1; i < entries.size(); i += shard.count) taken.push_back(std::move(entries[i]));
  return taken;
}

}  // namespace p2mpp
