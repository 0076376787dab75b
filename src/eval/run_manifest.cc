#include "eval/run_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/sha256.h"
#include "base/text.h"
#include "p2mpp/error.h"
#include "pipeline/sample_result_json.h"

namespace p2mpp {
namespace {
constexpr std::uintmax_t kMaxMeshBytes = std::uintmax_t{4} << 30;
constexpr const char* kFormat = "p2mpp-run";
constexpr int kVersion = 2;

std::filesystem::path manifest_file(const std::filesystem::path& folder) { return folder / "manifest.jsonl"; }

std::string header_line(const RunIdentity& identity, const RunDescription& description) {
  return json_line(
      Json{{"format", kFormat}, {"version", kVersion}, {"identity", identity}, {"description", description}});
}

bool is_plain_name(std::string_view name) {
  return name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The files of a mesh that a run of this identity writes.
std::vector<std::string> written_files(const std::string& id, const RunIdentity& identity) {
  const auto formats = identity.find("formats");
  if (formats == identity.end() || !formats->is_array() || formats->empty()) {
    throw InputError("its run names no formats");
  }
  std::vector<std::string> files;
  for (const Json& format : *formats) {
    if (!format.is_string()) throw InputError("its run's formats are not names");
    files.push_back(fmt::format("{}_predict.{}", id, format.get<std::string>()));
  }
  return files;
}

// Throws InputError (a clause) for a result that a run of this identity cannot have recorded.
void check_recorded(const SampleResult& result, const RunIdentity& identity) {
  if (result.line == 0) throw InputError("it names line 0 of the list");
  if (!is_plain_name(result.category)) throw InputError("its category cannot name files");
  if (result.failed()) {
    if (!result.files.empty() || result.scores) throw InputError("it failed, and has files or scores");
    return;
  }
  if (result.id.empty() || !is_plain_name(result.id)) throw InputError("its id cannot name files");
  if (result.status == SampleStatus::kDone && !result.reason.empty()) throw InputError("it is done, and has a reason");
  const std::vector<std::string> written = written_files(result.id, identity);
  for (const std::string& name : written) {
    const auto found = result.files.find(name);
    if (found == result.files.end()) throw InputError(fmt::format("it has no hash of {}", printable(name)));
    if (!is_sha256(found->second)) throw InputError(fmt::format("it has no SHA-256 of {}", printable(name)));
  }
  if (result.files.size() != written.size()) throw InputError("it has files that its run does not write");
  const auto truth_root = identity.find("truth_root");
  const bool is_scored = truth_root != identity.end() && truth_root->is_string() && *truth_root != "";
  const bool has_to_have_scores = is_scored && result.status == SampleStatus::kDone;
  if (result.scores.has_value() != has_to_have_scores || (!is_scored && result.status == SampleStatus::kNotScored)) {
    throw InputError(fmt::format("it is {}, and has {}scores", to_string(result.status), result.scores ? "" : "no "));
  }
}

// Reads a manifest line by line.
class ManifestReader {
 public:
  explicit ManifestReader(std::filesystem::path file) : file_(std::move(file)) {}

  // `with_results`: otherwise lines after the first are only counted.
  void read(std::string_view line, bool with_results = true) {
    ++number_;
    try {
      if (number_ == 1) {
        read_header(parse_ordered_json(line));
      } else if (with_results) {
        SampleResult result = sample_result_from(parse_json(line));
        check_recorded(result, run.identity);
        const std::pair key(result.id, result.line);
        run.results[key] = std::move(result);
      }
    } catch (const nlohmann::json::exception&) {
      refuse_line("it is not one that p2mpp writes");
    } catch (const InputError& error) {
      refuse_line(error.what());
    }
  }

  // Reads the text after the last whole line. A manifest gets its first line by a rename, so it always has that.
  void read_torn(std::string_view text) const {
    if (number_ == 0 && !text.empty()) refuse_foreign();
  }

  [[nodiscard]] bool empty() const { return number_ == 0; }
  [[nodiscard]] std::size_t result_count() const { return number_ > 0 ? number_ - 1 : 0; }

  RecordedRun run;

 private:
  [[noreturn]] void refuse_foreign() const {
    throw InputError(fmt::format(
        "{}: is not the manifest of a run of p2mpp; expected another --out, or none of that name", display(file_)));
  }

  [[noreturn]] void refuse_line(const std::string& problem) const {
    if (!is_ours_) refuse_foreign();
    throw InputError(
        fmt::format("{}:{}: is damaged: {}; expected a line of `p2mpp eval`", display(file_), number_, problem));
  }

  void read_header(const Json& header) {
    if (header.at("format").is_string()) is_ours_ = header["format"] == kFormat;
    if (header.at("format") != kFormat || header.at("version") != kVersion) {
      throw InputError(fmt::format("has another format; expected {}, version {}", kFormat, kVersion));
    }
    run.identity = header.at("identity");
    run.description = header.at("description");
    if (!run.identity.is_object() || !run.description.is_object()) throw InputError("its identity is not an object");
  }

  std::filesystem::path file_;
  std::size_t number_ = 0;
  bool is_ours_ = false;
};

bool has_recorded_files(const std::filesystem::path& folder, const SampleResult& result) {
  return std::ranges::all_of(result.files, [&](const auto& file) {
    try {
      return sha256_hex(read_file(folder / file.first, kMaxMeshBytes)) == file.second;
    } catch (const InputError&) {
      return false;
    }
  });
}

// They would contradict the manifest of a run that takes an earlier one's place.
void remove_results(const std::filesystem::path& folder) {
  for (const char* name : kResultFiles) {
    std::error_code error;
    std::filesystem::remove(folder / name, error);
    if (error) throw Error(fmt::format("{}: cannot be removed: {}", display(folder / name), error.message()));
  }
}

}  // namespace

RunManifest::RunManifest(const std::filesystem::path& folder, const RunIdentity& identity, Start start,
                         const RunDescription& description) {
  const std::filesystem::path file = manifest_file(folder);
  ManifestReader reader(file);
  log_.emplace(
      file, [&](std::string_view line) { reader.read(line, start == Start::kResume); },
      [&](std::string_view line) { reader.read_torn(line); });
  if (start == Start::kNew && reader.result_count() > 0) {
    throw UsageError(
        fmt::format("{}: holds a run with {} recorded samples; expected --resume to continue it, --overwrite to "
                    "replace it, or another "
                    "--out",
                    display(folder), reader.result_count()));
  }
  remove_unfinished_files(folder);  // the log is locked: no other run is writing here
  if (reader.empty() || start != Start::kResume) {
    if (start == Start::kOverwrite) remove_results(folder);
    log_->replace(header_line(identity, description));
    return;
  }
  if (const std::string text = differences(reader.run.identity, identity); !text.empty()) {
    throw InputError(
        fmt::format("{}: of another run: {}; expected the same options, or another --out", display(file), text));
  }
  for (auto& [key, result] : reader.run.results) {
    if (result.status == SampleStatus::kDone && has_recorded_files(folder, result)) {
      finished_[key.first] = std::move(result);
    }
  }
}

const SampleResult* RunManifest::find(const std::string& id) const {
  const auto found = finished_.find(id);
  return found == finished_.end() ? nullptr : &found->second;
}

void RunManifest::record(std::span<const SampleResult> results) {
  std::string lines;
  for (const SampleResult& result : results) lines += json_line(to_json(result));
  const std::lock_guard lock(mutex_);
  log_->append(lines);
}

std::string differences(const RunIdentity& recorded, const RunIdentity& wanted) {
  std::string text;
  const auto value = [](const RunIdentity& identity, const std::string& name) {
    const auto found = identity.find(name);
    return found == identity.end() ? std::string("nothing") : found->dump();
  };
  RunIdentity names = recorded;
  names.update(wanted);
  for (const auto& [name, unused] : names.items()) {
    if (value(recorded, name) == value(wanted, name)) continue;
    text +=
        fmt::format("{}{} was {}, is {}", text.empty() ? "" : "; ", name, value(recorded, name), value(wanted, name));
  }
  return text;
}

RecordedRun read_run(const std::filesystem::path& folder) {
  const std::filesystem::path file = manifest_file(folder);
  return parse_run(read_file(file, kMaxLogBytes), file);
}

RecordedRun parse_run(std::string_view text, const std::filesystem::path& file) {
  ManifestReader reader(file);
  LineReader lines(whole_lines(text));
  for (std::string_view line; lines.next(line);) reader.read(line);
  reader.read_torn(text.substr(whole_lines(text).size()));
  if (reader.empty()) {
    throw InputError(fmt::format("{}: is empty; expected a file written by `p2mpp eval`", display(file)));
  }
  return std::move(reader.run);
}

}  // namespace p2mpp
