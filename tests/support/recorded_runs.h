#pragma once

#include "base/sha256.h"
#include "eval/run_manifest.h"
#include "support/evaluation_fixture.h"

namespace p2mpp {

/// A run that writes OBJ files and scores them.
inline RunIdentity identity_with(const RunIdentity& more) {
  RunIdentity identity = {{"formats", {"obj"}}, {"truth_root", "/truth"}};
  identity.update(more);
  return identity;
}

inline const RunIdentity kIdentity = identity_with({{"precision", "fp32"}, {"views", {0, 6, 7}}});

inline SampleResult result_of(const std::string& id, std::size_t line) {
  SampleResult result;
  result.line = line;
  result.id = id;
  result.category = "chair";
  result.compute_ms = 1.0 / 3;
  result.times[Part::kDrb] = 0.1;
  result.scores = Scores{.vertices = {.chamfer_distance = 1e-7 / 3, .f1_tau = 66.7}, .surface = {}, .coarse = {}};
  return result;
}

inline SampleResult failed_result_of(const std::string& id, std::size_t line) {
  SampleResult result = result_of(id, line);
  result.status = SampleStatus::kFailed;
  result.reason = "no image";
  result.scores.reset();
  return result;
}

class RunManifestTest : public ::testing::Test {
 protected:
  // Its files are there, too.
  SampleResult done(const std::string& id, std::size_t line = 1) {
    SampleResult result = result_of(id, line);
    write_file_atomically(out() / (id + "_predict.obj"), id);
    result.files[id + "_predict.obj"] = sha256_hex(id);
    return result;
  }

  void record(RunManifest::Start start, std::initializer_list<SampleResult> results) {
    RunManifest(out(), kIdentity, start).record(std::vector(results));
  }

  /// As a run that goes on finds it.
  [[nodiscard]] bool is_finished(const std::string& id) const {
    return RunManifest(out(), kIdentity, RunManifest::Start::kResume).find(id) != nullptr;
  }

  [[nodiscard]] std::filesystem::path out() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path file() const { return out() / "manifest.jsonl"; }

  TemporaryFolder folder_;
};

}  // namespace p2mpp
