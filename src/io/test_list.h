#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/fit_views.h"
#include "io/sample_paths.h"
#include "p2mpp/sample.h"

namespace p2mpp {

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

/// The files of an entry: IMAGE_ROOT/CATEGORY/MODEL/rendering/ or IMAGE_ROOT/CATEGORY/MODEL/. images_root may be a
/// symbolic link, but links below it that lead out of it are refused. Throws InputError naming both folders if neither
/// exists, or with the entry's problem. `fit`: views whose images are checked in the same way.
[[nodiscard]] SamplePaths find_listed_sample(const std::filesystem::path& images_root, const ListEntry& entry,
                                             std::span<const std::size_t> view_indices, const FitViews& fit = {});

/// The first that exists of TRUTH_ROOT/{id}.dat, {id}_ground.xyz, {id}.xyz, {id}.ply and {id}.obj. Links that lead out
/// of truth_root are refused. Throws InputError naming the root and the names.
[[nodiscard]] std::filesystem::path find_ground_truth(const std::filesystem::path& truth_root, const std::string& id);

}  // namespace p2mpp
