#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "base/thread_scopes.h"
#include "capture/open_sample.h"
#include "capture/sample_request.h"
#include "check/sample_check.h"
#include "io/image/pixel_budget.h"
#include "io/test_list.h"
#include "p2mpp/engine.h"
#include "pipeline/scoring.h"
#include "pipeline/trace.h"
#include "results/initial_mesh.h"
#include "results/make_meshes.h"
#include "results/run_options.h"

namespace p2mpp {

/// The source of samples and the destination of results.
struct PipelineOptions {
  std::filesystem::path images_root = {};
  std::filesystem::path truth_root = {};  ///< empty: nothing is scored
  std::filesystem::path out = {};         ///< an existing folder
  SampleRequest reading =
      {};  ///< of every sample; `run` completes it, see to_reading_options(). All steps use its threads
  StageViews stage_views = {};           ///< of every sample
  std::size_t batch = 1;                 ///< samples that are read, computed and written together
  RunOptions run = {};                   ///< metrics are always computed in camera 0's frame, not in that of the files
  InitialMesh start = {};                ///< the file of run.initial
  NeighbourFinder find_neighbours = {};  ///< for scoring, see ComparisonOptions
  TrainedViews trained_views = {};       ///< of the model, for check_sample()
  /// Ends the steps of a sample, which has failed then; null: nothing does.
  std::shared_ptr<const StopQuestion> stop = {};
  std::filesystem::path readable = {};  ///< the steps of a sample read nothing outside: see ReadingScope
  /// Called with one line for each warning, by the reading and writing threads, several at a time.
  std::function<void(const std::string&)> on_warning = [](const std::string&) {};
  /// Called with a sample's id when a step of it begins: "read", "compute", "fit", "surface" or "write". By the reading
  /// and writing threads.
  std::function<void(std::string_view, const std::string&)> on_step = [](std::string_view, const std::string&) {};
};

/// How samples are read: `reading` with the options of `run`.
[[nodiscard]] SampleRequest to_reading_options(const PipelineOptions& options);

enum class SampleStatus {
  kDone,
  kNotScored,  ///< the mesh is written, but its ground truth is missing or bad
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
  std::string reason;          ///< one line, empty for kDone
  bool not_its_input = false;  ///< it failed for a reason other than its files, such as memory; not recorded
  bool is_too_large = false;   ///< it failed because of TooManyPixels; not recorded
  PartTimes times;             ///< computing: the time of its batch divided by the batch's size
  /// Wall clock time from decoded images to vertices on the host: the time of its batch divided by the batch's size. If
  /// the previous batch was still in flight, the time starts when that batch was collected, so that overlapping batches
  /// are not counted twice.
  double compute_ms = 0;
  std::optional<Scores> scores;
  std::optional<FitFigures> fit = {};          ///< empty if the mesh was not fitted
  std::optional<SurfaceFigures> surface = {};  ///< empty if the surface is not a volume's
  std::string no_volume = {};                  ///< why an automatic choice made no volume of a capture, or empty
  std::optional<TextureFigures> texture = {};  ///< empty if the mesh has no colours
  std::vector<SampleWarning> warnings;         ///< what check_sample() and the fit found, one line each
  std::map<std::string, std::string> files;    ///< the written files: name in the output folder to SHA-256

  [[nodiscard]] bool failed() const { return status == SampleStatus::kFailed; }
  /// Milliseconds of reading, computing and writing.
  [[nodiscard]] double total_ms() const { return times[Part::kRead] + compute_ms + times[Part::kWrite]; }
};

/// A sample in the pipeline. Steps skip a job that has failed.
struct Job {
  std::size_t number = 0;  ///< assigned by the caller to identify the job
  ListEntry entry;
  SampleResult result;
  Sample sample;
  std::shared_ptr<const PhotographSource> photographs = {};  ///< a capture's
  Reconstruction reconstruction = {};                        ///< what the network computed
  std::vector<TriangleMesh> coarse = {};                     ///< stage 1's, coarse to fine, in the network's frame
  std::vector<NamedMesh> meshes = {};                        ///< see MadeMeshes
  std::exception_ptr failure = nullptr;           ///< the exception that the result's reason comes from, if any
  std::shared_ptr<void> pixels = {};              ///< its share of a PixelBudget
  std::shared_ptr<const StopQuestion> stop = {};  ///< PipelineOptions::stop
  std::filesystem::path readable = {};            ///< PipelineOptions::readable
  bool is_stopped = false;                        ///< it has failed because it was given up

  /// The result in a frame. Precondition: Steps::make_meshes(), and it has not failed.
  [[nodiscard]] TriangleMesh mesh_in(Frame frame) const { return meshes.back().in(frame, sample); }
};

/// Runs a step for some jobs. If it throws, each of them gets the status, the message as its reason, and the exception.
/// The step of a single job ends when the job's `stop` says so, and reads nothing but what is `readable`.
void run_step(std::span<Job* const> jobs, SampleStatus status_of_failure, const std::function<void()>& step);
void run_step(Job& job, SampleStatus status_of_failure, const std::function<void()>& step);

/// The jobs have failed because nobody wants their results any more.
void give_up(std::span<Job* const> jobs);

/// Rethrows a job's DiskError, if any has one: no later sample could be written either.
void rethrow_disk_error(std::span<const Job> jobs);

/// Holds the pixels of the job's images until the job and its copies are destroyed.
void charge(PixelBudget& budget, Job& job);

/// The jobs that have not failed.
[[nodiscard]] std::vector<Job*> good_jobs(std::span<Job> jobs);

/// "chair_1_00 and 3 more". Precondition: not empty.
[[nodiscard]] std::string describe_batch(std::span<Job* const> jobs);

/// The steps other than Inference: read, make meshes, write, score. A sample's failure is recorded in its job and not
/// thrown.
class Steps {
 public:
  /// All three must outlive this object.
  Steps(const PipelineOptions& options, const Reconstructor& reconstructor, Trace& trace)
      : options_(options), reconstructor_(reconstructor), trace_(trace) {}

  /// The same; steps that share `fitters` prepare for the mesh's triangles only once.
  Steps(const PipelineOptions& options, const Reconstructor& reconstructor, Trace& trace, MaskFitters& fitters)
      : options_(options), reconstructor_(reconstructor), trace_(trace), fitters_(&fitters) {}

  /// Opens and decodes the entry's files.
  [[nodiscard]] Job read(const ListEntry& entry) const;

  /// The same for a sample that is not in a list. `open` returns it, or throws the reason why it cannot be read.
  [[nodiscard]] Job read(const ListEntry& entry, const std::function<OpenedSample()>& open) const;

  /// Gives a sample that was opened elsewhere its initial mesh, if the options ask for one.
  void begin(Job& job) const;

  /// Makes the meshes of what the network computed: p2mpp::make_meshes().
  void make_meshes(std::span<Job> jobs) const;

  /// Writes the jobs' meshes. All files are synced together before they get their final names.
  void write(std::span<Job> jobs) const;

  /// Compares the mesh with its ground truth.
  void score(Job& job) const;

 private:
  void set_initial_mesh(Job& job) const;
  void make_meshes(Job& job) const;
  /// Warns once, in the log and in the result.
  void warn(Job& job, SampleWarning warning) const;
  /// Warns of everything suspicious about a sample; throws InputError if options.strict is set.
  void check(Job& job) const;
  static void put_in_place(std::vector<UnfinishedFile>& files, std::span<Job* const> owners);

  const PipelineOptions& options_;
  const Reconstructor& reconstructor_;
  Trace& trace_;
  mutable MaskFitters own_fitters_;
  MaskFitters* fitters_ = &own_fitters_;
};

}  // namespace p2mpp
