#include "io/test_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "base/input_file.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

bool is_id_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.';
}

/// Throws InputError (one clause) if an id cannot be part of a path.
void check_id(std::string_view id) {
  if (id.empty()) throw InputError("is empty; expected CATEGORY_MODEL_NN.dat");
  if (id.size() > kMaxIdLength) {
    throw InputError(fmt::format("has {} characters; expected at most {}", id.size(), kMaxIdLength));
  }
  if (const auto bad = std::find_if_not(id.begin(), id.end(), is_id_character); bad != id.end()) {
    throw InputError(fmt::format("holds '{}'; expected letters, digits, '-', '_' and '.'", printable({bad, bad + 1})));
  }
  if (id.front() == '.' || id.find("..") != std::string_view::npos) {
    throw InputError("starts with '.' or holds '..'; expected CATEGORY_MODEL_NN.dat");
  }
}

void split_id(ListEntry& entry) {
  const std::size_t first = entry.id.find('_');
  const std::size_t last = entry.id.rfind('_');
  if (first == 0 || last == first || last - first == 1 || last + 1 == entry.id.size() || entry.id[first + 1] == '.') {
    throw InputError("is not CATEGORY_MODEL_NN.dat");
  }
  entry.category = entry.id.substr(0, first);
  entry.model = entry.id.substr(first + 1, last - first - 1);
}

}  // namespace

ListEntry list_entry(std::string_view id, std::size_t line) {
  if (id.ends_with(".dat")) id.remove_suffix(4);
  ListEntry entry;
  entry.line = line;
  entry.id = printable(id, kMaxIdLength);
  try {
    check_id(id);
    split_id(entry);
  } catch (const InputError& error) {
    entry.problem = error.what();
  }
  return entry;
}

std::vector<ListEntry> read_test_list(const fs::path& path) { return parse_test_list(read_file(path), display(path)); }

std::vector<ListEntry> parse_test_list(std::string_view text, const std::string& name) {
  std::vector<ListEntry> entries;
  std::unordered_map<std::string, std::size_t> line_of_id;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(line);
    if (line.empty()) continue;
    ListEntry entry = list_entry(line, lines.number());
    const auto [first, is_new] = line_of_id.emplace(entry.id, entry.line);
    if (!is_new && entry.problem.empty()) entry.problem = fmt::format("repeats line {}", first->second);
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) throw InputError(fmt::format("{}: holds no id; expected one a line", name));
  return entries;
}

fs::path listed_root(const fs::path& root) {
  constexpr std::string_view kExpected = "the root of a list's files";
  require_folder(root, kExpected);
  return real_path(root, kExpected);
}

void check_below_root(const fs::path& root, const fs::path& path) {
  if (!is_inside(root, real_path(path, "a readable file or folder"))) {
    throw InputError(
        fmt::format("{}: leads out of {}; expected no symbolic link to another place", display(path), display(root)));
  }
}

fs::path find_ground_truth(const fs::path& truth_root, const std::string& id) {
  with_prefix(printable(id) + ": ", [&] { check_id(id); });
  const fs::path root = listed_root(truth_root);
  for (const char* ending : {".dat", "_ground.xyz", ".xyz", ".ply", ".obj"}) {
    fs::path path = truth_root / (id + ending);
    if (!may_exist(path)) continue;
    check_below_root(root, path);
    return path;
  }
  throw InputError(fmt::format("{}: no ground truth for {}; expected {}.dat, {}_ground.xyz, {}.xyz, {}.ply or {}.obj",
                               display(truth_root), id, id, id, id, id, id));
}

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
