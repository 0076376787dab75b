#include "pipeline/run_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "p2mpp/error.h"
#include "pipeline/sample_result_json.h"

namespace p2mpp {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "p2mpp-run";
constexpr int kVersion = 1;

std::filesystem::path manifest_file(const std::filesystem::path& folder) { return folder / "manifest.jsonl"; }

// Bytes that are not UTF-8 (a path may contain any) become U+FFFD.
std::string line_of(const auto& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// What every manifest begins with, without the spaces that a writer may add.
constexpr std::string_view kBeginning = R"({"format":"p2mpp-run")";

bool may_begin_a_manifest(std::string_view torn) {
  std::string text(torn);
  std::erase(text, ' ');
  const std::size_t shared = std::min(text.size(), kBeginning.size());
  return std::string_view(text).substr(0, shared) == kBeginning.substr(0, shared);
}

std::string header_line(const RunIdentity& identity, const RunDescription& description) {
  return line_of(
      Json{{"format", kFormat}, {"version", kVersion}, {"identity", identity}, {"description", description}});
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
        read_header(Json::parse(line));
      } else if (with_results) {
        SampleResult result = sample_result_from(nlohmann::json::parse(line));
        const std::pair key(result.id, result.line);
        run.results[key] = std::move(result);
      }
    } catch (const nlohmann::json::exception&) {
      if (number_ == 1) refuse_foreign();
      throw InputError(fmt::format("{}:{}: is damaged; expected a line of `p2mpp eval`", display(file_), number_));
    }
  }

  void read_torn(std::string_view line) const {
    if (number_ == 0 && !may_begin_a_manifest(line)) refuse_foreign();
  }

  [[nodiscard]] bool empty() const { return number_ == 0; }
  [[nodiscard]] std::size_t result_count() const { return number_ > 0 ? number_ - 1 : 0; }

  RecordedRun run;

 private:
  [[noreturn]] void refuse_foreign() const {
    throw InputError(fmt::format(
        "{}: is not the manifest of a run of p2mpp; expected another --out, or none of that name", display(file_)));
  }

  void read_header(const Json& header) {
    if (header.at("format") != kFormat || header.at("version") != kVersion) {
      throw InputError(
          fmt::format("{}: has another format; expected {}, version {}", display(file_), kFormat, kVersion));
    }
    run.identity = header.at("identity");
    run.description = header.at("description");
  }

  std::filesystem::path file_;
  std::size_t number_ = 0;
};

bool has_recorded_files(const std::filesystem::path& folder, const SampleResult& result) {
  return std::ranges::all_of(result.files, [&](const auto& file) {
    try {
      return sha256_hex(read_file(folder / file.first, std::numeric_limits<std::uintmax_t>::max())) == file.second;
    } catch (const InputError&) {
      return false;
    }
  });
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
    log_->clear();
    log_->append(header_line(identity, description));
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
  for (const SampleResult& result : results) lines += line_of(to_json(result));
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
  const std::string text = read_file(file, std::numeric_limits<std::uintmax_t>::max());
  ManifestReader reader(file);
  LineReader lines(std::string_view(text).substr(0, text.rfind('\n') + 1));
  for (std::string_view line; lines.next(line);) reader.read(line);
  if (reader.empty())
    throw InputError(fmt::format("{}: is empty; expected a file written by `p2mpp eval`", display(file)));
  return std::move(reader.run);
}

}  // namespace p2mpp
