#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// A line of a test list, `CATEGORY_MODEL_00.dat`.
struct ListEntry {
  std::size_t line = 0;  ///< from 1
  std::string id;        ///< without .dat; printable: control characters are escaped, 10,000 characters are cut
  std::string category;
  std::string model;
  std::string problem;  ///< why this line cannot be used (one clause), empty if it can
};

/// Reads a test list: LF or CRLF, a UTF-8 mark and blank lines skipped, a repeated id is an entry
/// with a problem. An id is letters, digits, '-', '_' and '.', without '..' and not starting with
/// '.', at most 200 characters, so that no path can leave its root. The category ends at the first
/// '_', the model at the last. Throws InputError if the file is missing or holds no id.
[[nodiscard]] std::vector<ListEntry> read_test_list(const std::filesystem::path& path);

/// The same from memory; `name` stands in messages.
[[nodiscard]] std::vector<ListEntry> parse_test_list(std::string_view text, const std::string& name);

/// The entry that a line with this id would give.
[[nodiscard]] ListEntry list_entry(std::string_view id, std::size_t line);

/// The files of a list's sample: IMAGE_ROOT/CATEGORY/MODEL/rendering/ or
/// IMAGE_ROOT/CATEGORY/MODEL/. images_root may be a symbolic link, but what lies below it must stay
/// inside: a folder or file that is a link to another place is refused. Throws InputError naming
/// both places if neither is there, or the entry's own problem.
[[nodiscard]] SamplePaths find_listed_sample(const std::filesystem::path& images_root, const ListEntry& entry,
                                             std::span<const std::size_t> view_indices);

/// TRUTH_ROOT/{id}.dat, {id}_ground.xyz, {id}.xyz, {id}.ply or {id}.obj, the first that is there.
/// Links out of truth_root are refused as above. Throws InputError naming the root and the names
/// tried.
[[nodiscard]] std::filesystem::path find_ground_truth(const std::filesystem::path& truth_root, const std::string& id);

}  // namespace p2mpp
