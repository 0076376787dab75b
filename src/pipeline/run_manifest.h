#pragma once

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/append_log.h"
#include "pipeline/steps.h"

namespace p2mpp {

/// What the bytes of a run's results depend on: name and value.
using RunIdentity = nlohmann::ordered_json;

/// What else is to be told of a run: settings, batch, model and environment, see run_description().
using RunDescription = nlohmann::ordered_json;

/// OUT/manifest.jsonl: what of a run is done and will not be done again. The first line holds the run's identity and
/// its description as it was at the beginning, each further one a sample with the hashes of its files; of several of
/// one id and line the last counts. Samples that failed are recorded, and tried again. A crash costs what was not yet
/// recorded, nothing else. Another run into the same folder is refused while this one lives.
class RunManifest {
 public:
  enum class Start { kNew, kResume };

  /// kNew: begins a run in an existing folder; an earlier one's manifest is replaced. kResume: goes on with the
  /// folder's run, or begins one where there is none; a finished sample whose files are not as they were recorded is
  /// not finished. Either way, files that a dead run was about to write are removed. Throws InputError naming every
  /// difference to the recorded identity, or a damaged line; Error where the disk fails or another run is writing into
  /// the folder.
  RunManifest(const std::filesystem::path& folder, const RunIdentity& identity, Start start,
              const RunDescription& description = RunDescription::object());

  /// The result of an id that is finished, or nothing.
  [[nodiscard]] const SampleResult* find(const std::string& id) const;
  [[nodiscard]] std::size_t finished_count() const { return finished_.size(); }

  /// Records results in one write and one sync. Safe to call from several threads. Throws Error.
  void record(std::span<const SampleResult> results);

 private:
  std::map<std::string, SampleResult> finished_;
  std::optional<AppendLog> log_;
  std::mutex mutex_;
};

/// Results by id and line of the list: a list may name an id twice, and the second time is a failure.
using ResultsByIdAndLine = std::map<std::pair<std::string, std::size_t>, SampleResult>;

/// What a run folder's manifest holds.
struct RecordedRun {
  RunIdentity identity;
  RunDescription description;
  ResultsByIdAndLine results;
};
/// For those who merge runs. Throws InputError for a folder without a manifest or with a damaged one.
[[nodiscard]] RecordedRun read_run(const std::filesystem::path& folder);

/// "precision was fp32, is bf16; ..."; empty where the identities agree.
[[nodiscard]] std::string differences(const RunIdentity& recorded, const RunIdentity& wanted);

}  // namespace p2mpp
