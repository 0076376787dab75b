#pragma once

#include <array>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/append_log.h"
#include "base/json_text.h"
#include "pipeline/steps.h"

namespace p2mpp {

/// The options and inputs that the bytes of a run's results depend on: name to value.
using RunIdentity = Json;

/// Further information on a run: settings, batch, model and environment, see run_description().
using RunDescription = Json;

/// The files that are written at the end of a run, beside its meshes.
inline constexpr std::array kResultFiles = {"results.csv", "categories.csv", "summary.json", "report.html"};

/// OUT/manifest.jsonl: a run's finished samples, which a resumed run skips. The first line has the run's identity and
/// its description at the start. Each further line is a sample with the hashes of its files. The last line for the same
/// id and list line counts. Failed samples are recorded and tried again. A crash loses only results that were not yet
/// recorded. The folder is locked: a second run into it is refused.
class RunManifest {
 public:
  enum class Start { kNew, kResume, kOverwrite };

  /// kNew: starts a run in an existing folder that has none with recorded samples. kResume: continues the folder's run,
  /// or starts one if there is none. A finished sample whose files differ from the recorded hashes counts as not
  /// finished. kOverwrite: starts a run, removes an earlier one's kResultFiles and replaces its manifest. All remove
  /// the unfinished files of a run that was killed. Throws UsageError if kNew would lose recorded samples; InputError
  /// listing every difference to the recorded identity, naming a damaged line, or if the file is not the manifest of a
  /// run; Error if the disk fails, another run is writing into the folder or the file is a link. Then the file is as it
  /// was.
  RunManifest(const std::filesystem::path& folder, const RunIdentity& identity, Start start,
              const RunDescription& description = RunDescription::object());

  /// The result of a finished sample, or nullptr.
  [[nodiscard]] const SampleResult* find(const std::string& id) const;

  /// Records results in one write and one sync. Thread-safe. Throws Error if that fails.
  void record(std::span<const SampleResult> results);

 private:
  std::map<std::string, SampleResult> finished_;
  std::optional<AppendLog> log_;
  std::mutex mutex_;
};

/// Results by id and line of the list. A list may contain an id twice; the second entry is a failed sample.
using ResultsByIdAndLine = std::map<std::pair<std::string, std::size_t>, SampleResult>;

/// The contents of a run folder's manifest.
struct RecordedRun {
  RunIdentity identity;
  RunDescription description;
  ResultsByIdAndLine results;
};
/// Reads a run's manifest without locking it. Throws InputError if it is missing or damaged.
[[nodiscard]] RecordedRun read_run(const std::filesystem::path& folder);
[[nodiscard]] RecordedRun parse_run(std::string_view text, const std::filesystem::path& file);

/// "precision was fp32, is bf16; ..."; empty if the identities are equal.
[[nodiscard]] std::string differences(const RunIdentity& recorded, const RunIdentity& wanted);

}  // namespace p2mpp
