// The engine. It computes in a thread of its own (EngineThread), while the callers wait without the interpreter's lock.
#include "p2mpp/engine.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "capture/open_sample.h"
#include "p2mpp/error.h"
#include "p2mpp/files.h"
#include "python/background.h"
#include "python/bindings.h"
#include "python/engine_thread.h"
#include "results/initial_mesh.h"
#include "results/prediction_files.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace p2mpp::python {
namespace {

Frame checked_frame(const std::string& name) {
  if (const std::optional<Frame> frame = frame_named(name)) return *frame;
  throw UsageError(fmt::format("frame: '{}'; expected world, camera0 or source", name));
}

// A sample's id, its mesh, the line that says why there is none, and warnings.
using NamedResult = std::tuple<std::string, std::optional<Mesh>, std::string, std::vector<std::string>>;

// Closes an engine with its Python object.
struct EngineCloser {
  void operator()(EngineThread* thread) const {
    const nb::gil_scoped_release released;
    thread->close();
  }
};

class PythonEngine {
 public:
  explicit PythonEngine(const EngineOptions& options) : thread_(EngineThread::start(options)) {
    try {
      wait_interruptibly([this](auto time) { return thread_->wait_until_made(time); });
    } catch (...) {
      thread_->stop();
      throw;
    }
    closer_.reset(thread_.get());
  }

  [[nodiscard]] EngineThread& thread() const { return *thread_; }
  [[nodiscard]] const Engine& engine() const { return thread_->engine(); }

 private:
  std::shared_ptr<EngineThread> thread_;
  std::unique_ptr<EngineThread, EngineCloser> closer_;
};

// A batch that somebody waits for.
class PythonBatch {
 public:
  PythonBatch(const PythonEngine& engine, std::vector<PhotographedSample> samples, Frame frame, RunOptions run)
      : engine_(&engine), batch_(engine.thread().submit(std::move(samples), frame, std::move(run))) {}
  ~PythonBatch() {
    if (batch_) engine_->thread().abandon(*batch_);
  }
  PythonBatch(PythonBatch&&) noexcept = default;
  PythonBatch& operator=(PythonBatch&&) = delete;

  [[nodiscard]] std::vector<NamedResult> wait() {
    EngineThread& thread = engine_->thread();
    try {
      wait_interruptibly([&](auto time) { return thread.wait_for(*batch_, time); });
    } catch (...) {
      thread.abandon(*batch_);
      throw;
    }
    std::vector<NamedResult> results;
    for (ComputedSample& computed : thread.take_results(*batch_)) {
      std::vector<std::string> warnings;
      for (SampleWarning& warning : computed.warnings) warnings.push_back(std::move(warning.message));
      results.emplace_back(std::move(computed.id), std::move(computed.mesh), std::move(computed.problem),
                           std::move(warnings));
    }
    return results;
  }

  void abandon() { engine_->thread().abandon(*batch_); }

 private:
  const PythonEngine* engine_;  // kept alive by Python
  std::shared_ptr<EngineBatch> batch_;
};

// The samples that nobody else has are moved.
PythonBatch submit(const PythonEngine& engine, const nb::list& samples, const std::vector<bool>& owned,
                   const std::string& frame_name, const nb::dict& keywords) {
  const Frame frame = checked_frame(frame_name);
  RunOptions run = to_run_options(keywords);
  std::vector<PhotographedSample*> given;
  for (const nb::handle sample : samples) given.push_back(&nb::cast<PhotographedSample&>(sample));
  const nb::gil_scoped_release released;
  std::vector<PhotographedSample> taken;
  taken.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (owned.at(i)) {
      taken.push_back(std::move(*given[i]));
    } else {
      taken.push_back(*given[i]);
    }
  }
  return {engine, std::move(taken), frame, std::move(run)};
}

PhotographedSample read_sample_folder(const PythonEngine& engine, const std::filesystem::path& path,
                                      const std::vector<std::int64_t>& views,
                                      const std::optional<std::filesystem::path>& masks, const nb::dict& keywords) {
  const ModelInfo& model = engine.engine().model();
  RunOptions run = to_run_options(keywords);
  run.fit = fit_views_for(run.fit, model);
  SampleRequest request{.trained_views = model.view_indices,
                        .fit = views_read_for(run),
                        .threads = engine.engine().threads(),
                        .capture = std::move(run.capture)};
  if (masks) request.capture.masks = *masks;
  for (const std::int64_t view : views) {
    if (view < 0) throw UsageError(fmt::format("views: {}; expected numbers from 0", view));
    request.views.push_back(static_cast<std::size_t>(view));
  }
  return run_interruptibly([path, request] {
    OpenedSample opened = open_sample(path, request);
    return PhotographedSample{std::move(opened.sample), std::move(opened.photographs)};
  });
}

void bind_batch(nb::module_& module) {
  nb::class_<PythonBatch>(module, "Batch", "Samples that an engine computes together.")
      .def("wait", &PythonBatch::wait,
           "For each sample: its id; its mesh, or None; why there is none, one line; and warnings. Ctrl-C ends the "
           "wait.")
      .def("abandon", &PythonBatch::abandon, "Drops the results. Computes nothing if the batch is not begun.");
}

}  // namespace

void bind_engine(nb::module_& module) {
  bind_batch(module);
  nb::class_<PythonEngine>(module, "Engine")
      .def(
          "__init__",
          [](PythonEngine* self, const std::optional<std::filesystem::path>& model, const nb::dict& keywords) {
            EngineOptions options = to_engine_options(keywords);
            if (model) options.model = *model;
            new (self) PythonEngine(options);
          },
          "model"_a.none(), "keywords"_a)
      .def("submit", &submit, "samples"_a, "owned"_a, "frame"_a, "keywords"_a, nb::keep_alive<0, 1>(),
           nb::sig(
               "def submit(self, samples: list[Sample], owned: Sequence[bool], frame: str, keywords: dict) -> Batch"),
           "Starts a batch. Samples that are owned by nobody else are moved: they are empty afterwards.")
      .def("read_sample", &read_sample_folder, "path"_a, "views"_a, "masks"_a.none(), "keywords"_a)
      .def(
          "take_warnings", [](const PythonEngine& self) { return self.thread().take_warnings(); },
          "What deviated from the options since the previous call, one line each.")
      .def_prop_ro(
          "note", [](const PythonEngine& self) { return self.engine().device().note; },
          "Why the engine computes on this device, one line; empty if there is nothing to say.")
      .def_prop_ro("device", [](const PythonEngine& self) { return to_string(self.engine().device().device); })
      .def_prop_ro("backend", [](const PythonEngine& self) { return std::string(self.engine().backend()); })
      .def_prop_ro("precision",
                   [](const PythonEngine& self) { return std::string(to_string(self.engine().precision())); })
      .def_prop_ro("batch", [](const PythonEngine& self) { return self.engine().batch(); })
      .def_prop_ro("batches_in_flight", [](const PythonEngine& self) { return self.engine().batches_in_flight(); })
      .def_prop_ro("threads", [](const PythonEngine& self) { return self.engine().threads(); })
      .def_prop_ro("model", [](const PythonEngine& self) { return self.engine().model().name; });
  bind_keywords(module);
  module.def(
      "check_options",
      [](const std::string& frame, const nb::dict& keywords) {
        static_cast<void>(checked_frame(frame));
        static_cast<void>(to_run_options(keywords));
      },
      "frame"_a, "keywords"_a,
      "Raises UsageError unless the frame is \"world\", \"camera0\" or \"source\", and for an option that is none.");
}

}  // namespace p2mpp::python
