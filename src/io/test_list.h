#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

inline constexpr std::size_t kMaxIdLength = 200;  ///< of a sample, in bytes

/// A line of a test list, `CATEGORY_MODEL_00.dat`.
struct ListEntry {
  std::size_t line = 0;  ///< from 1
  std::string id;        ///< without .dat; printable: control characters are escaped, long ids are truncated
  std::string category;
  std::string model;
  std::string problem;  ///< why this line is invalid (one clause); empty if it is valid
};

/// Reads a test list. Lines end with LF or CRLF. A byte order mark and blank lines are skipped. A repeated id is an
/// entry with a problem. An id consists of letters, digits, '-', '_' and '.', without '..', does not begin with '.',
/// and has at most 200 characters, so that no path leaves its root. The category ends at the first '_', the model at
/// the last. Throws InputError if the file is missing or contains no id.
[[nodiscard]] std::vector<ListEntry> read_test_list(const std::filesystem::path& path);

/// The same from memory; `name` stands in messages.
[[nodiscard]] std::vector<ListEntry> parse_test_list(std::string_view text, const std::string& name);

/// The entry of a line with this id.
[[nodiscard]] ListEntry list_entry(std::string_view id, std::size_t line);

/// The root of a list's files without symbolic links. Throws InputError unless it is a folder.
[[nodiscard]] std::filesystem::path listed_root(const std::filesystem::path& root);

/// Refuses a path whose symbolic links lead out of listed_root(). Missing files are accepted; opening them fails.
void check_below_root(const std::filesystem::path& root, const std::filesystem::path& path);

/// The first that exists of TRUTH_ROOT/{id}.dat, {id}_ground.xyz, {id}.xyz, {id}.ply and {id}.obj. Links that lead out
/// of truth_root are refused. Throws InputError naming the root and the names.
[[nodiscard]] std::filesystem::path find_ground_truth(const std::filesystem::path& truth_root, const std::string& id);

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
