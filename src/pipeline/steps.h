#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "io/test_list.h"
#include "p2mpp/engine.h"
#include "pipeline/prediction_files.h"
#include "pipeline/scoring.h"
#include "pipeline/trace.h"

namespace p2mpp {

/// The engine as the pipeline sees it. The pipeline itself knows no engine, so its tests need no model.
struct Reconstructor {
  std::size_t batches_in_flight = 1;
  std::function<void(std::span<const Sample>)> submit;
  std::function<std::vector<ReconstructionResult>()> collect;
  std::function<std::vector<DeviceSpan>()> take_device_spans = [] { return std::vector<DeviceSpan>(); };
  std::function<TriangleMesh(const Sample&, const Reconstruction&, Frame)> mesh;
  std::function<std::vector<TriangleMesh>(const Sample&, const Reconstruction&, Frame)> coarse_meshes;
};

/// The functions of Engine by these names. The engine must outlive the result.
[[nodiscard]] Reconstructor reconstructor_of(Engine& engine);

/// Where samples come from and where results go.
struct EvaluationOptions {
  std::filesystem::path images_root;
  std::filesystem::path truth_root;       ///< empty: nothing is scored
  std::filesystem::path out;              ///< an existing folder
  std::vector<std::size_t> view_indices;  ///< of the sample folders' numbered views
  std::size_t batch = 1;                  ///< samples computed together, and held in memory at once
  Frame frame = Frame::kCamera0;          ///< of the files written; metrics are always computed in camera 0's
  MeshOutput meshes;                      ///< the files of each sample
  NeighbourFinder find_neighbours = {};   ///< of scoring, see ComparisonOptions
};

enum class SampleStatus {
  kDone,
  kNotScored,  ///< the mesh is written, its ground truth is missing or bad
  kFailed,     ///< no mesh
};
/// "done", "not_scored", "failed"
[[nodiscard]] std::string_view to_string(SampleStatus status);

/// The result of one sample.
struct SampleResult {
  std::size_t line = 0;  ///< of the list, from 1
  std::string id;
  std::string category;
  SampleStatus status = SampleStatus::kDone;
  std::string reason;  ///< one line, empty for kDone
  PartTimes times;     ///< milliseconds; those of computing are its batch's, divided by the batch's size
  /// Wall clock from decoded images to vertices on the host, of its batch, divided likewise; from the moment on at
  /// which the batch before had its vertices, if that was later. So what batches take adds up to no more than all took.
  double compute_ms = 0;
  std::optional<Scores> scores;
  std::map<std::string, std::string> files;  ///< written for it: name in the output folder, SHA-256

  [[nodiscard]] bool failed() const { return status == SampleStatus::kFailed; }
  /// Milliseconds of reading, computing and writing.
  [[nodiscard]] double total_ms() const { return times[Part::kRead] + compute_ms + times[Part::kWrite]; }
};

/// A sample on its way through the steps of the pipeline. A step leaves a failed one alone.
struct Job {
  std::size_t number = 0;  ///< that its caller knows it by
  ListEntry entry;
  SampleResult result;
  Sample sample;
  Reconstruction reconstruction;
  std::exception_ptr failure = nullptr;  ///< that the result's reason comes from, if an exception is
};

/// Runs one step of some jobs; an exception becomes the status, reason and failure of each.
void attempt(std::span<Job* const> jobs, SampleStatus status_of_failure, const std::function<void()>& step);
void attempt(Job& job, SampleStatus status_of_failure, const std::function<void()>& step);

/// Those that have not failed.
[[nodiscard]] std::vector<Job*> good_jobs(std::span<Job> jobs);

/// "chair_1_00 and 3 more", of which there is one at least.
[[nodiscard]] std::string batch_name(std::span<Job* const> jobs);

/// The steps of a sample beside Inference: read, write, score. A sample's failure stays in its job as a reason; no step
/// throws it.
class Steps {
 public:
  /// All three must outlive this object.
  Steps(const EvaluationOptions& options, const Reconstructor& reconstructor, Trace& trace)
      : options_(options), reconstructor_(reconstructor), trace_(trace) {}

  /// Opens and decodes the entry's files.
  [[nodiscard]] Job read(const ListEntry& entry) const;

  /// The same for a sample that no list names: `open` gives it, or throws the reason why not.
  [[nodiscard]] Job read(const ListEntry& entry, const std::function<Sample()>& open) const;

  /// Writes the jobs' meshes: all files are synced together, then get their names.
  void write(std::span<Job> jobs) const;

  /// Compares the mesh with its ground truth.
  void score(Job& job) const;

 private:
  static void put_in_place(std::vector<UnfinishedFile>& files, std::span<Job* const> owners);

  const EvaluationOptions& options_;
  const Reconstructor& reconstructor_;
  Trace& trace_;
};

}  // namespace p2mpp
