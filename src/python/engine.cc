// The engine. The interpreter's lock is released while it computes; a lock of its own lets one thread at a time use it.
#include "p2mpp/engine.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <mutex>
#include <optional>
#include <tuple>

#include "p2mpp/error.h"
#include "p2mpp/files.h"
#include "p2mpp/reconstruct.h"
#include "pipeline/prediction_files.h"
#include "python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace p2mpp::python {
namespace {

Frame checked_frame(const std::string& name) {
  if (const std::optional<Frame> frame = frame_named(name)) return *frame;
  throw UsageError("frame: '" + name + "'; expected world, camera0 or source");
}

// A sample's id, its mesh, and the reason why there is none.
using StreamedResult = std::tuple<std::string, std::optional<TriangleMesh>, std::string>;

class LockedEngine {
 public:
  explicit LockedEngine(const EngineOptions& options) : engine_(options) {}

  [[nodiscard]] TriangleMesh reconstruct(const Sample& sample, const std::string& frame) {
    const std::lock_guard lock(mutex_);
    if (!in_flight_.empty()) throw UsageError("reconstruct: a stream of this engine is not finished");
    return reconstruct_mesh(engine_, sample, checked_frame(frame));
  }

  void submit(std::vector<Sample> samples) {
    const std::lock_guard lock(mutex_);
    in_flight_.push_back(std::move(samples));
    try {
      engine_.submit(in_flight_.back());
    } catch (...) {
      in_flight_.pop_back();
      throw;
    }
  }

  [[nodiscard]] std::vector<StreamedResult> collect(const std::string& frame_name) {
    const std::lock_guard lock(mutex_);
    // Whatever fails below, this batch is no longer in flight.
    const std::vector<Sample> samples = std::move(in_flight_.front());
    in_flight_.pop_front();
    const std::vector<ReconstructionResult> computed = engine_.collect();
    const Frame frame = checked_frame(frame_name);
    std::vector<StreamedResult> results;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      StreamedResult& result = results.emplace_back(samples[i].id, std::nullopt, "");
      try {
        std::get<1>(result) = fitted_mesh(engine_, samples[i], computed[i], frame);
      } catch (const InputError& error) {
        std::get<2>(result) = error.what();
      }
    }
    return results;
  }

  [[nodiscard]] const Engine& engine() const { return engine_; }

 private:
  Engine engine_;
  std::mutex mutex_;
  std::deque<std::vector<Sample>> in_flight_;
};

}  // namespace

void bind_engine(nb::module_& module) {
  nb::class_<LockedEngine>(module, "Engine")
      .def(
          "__init__",
          [](LockedEngine* self, const std::optional<std::filesystem::path>& model, const std::string& device,
             const std::string& precision, const std::string& backend, int batch, int threads) {
            EngineOptions options;
            options.model = model ? *model : default_model_folder();
            options.device = device;
            options.precision = precision;
            options.backend = backend;
            options.batch = batch;
            options.threads = threads;
            new (self) LockedEngine(options);
          },
          "model"_a, "device"_a, "precision"_a, "backend"_a, "batch"_a, "threads"_a,
          nb::call_guard<nb::gil_scoped_release>())
      .def("reconstruct", &LockedEngine::reconstruct, "sample"_a, "frame"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("submit", &LockedEngine::submit, "samples"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_static("problem_of", &Engine::problem_of, "sample"_a)
      .def("collect", &LockedEngine::collect, "frame"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "read_sample",
          [](const LockedEngine& self, const std::filesystem::path& path, const std::vector<std::size_t>& views,
             const std::optional<std::filesystem::path>& masks, bool fit) {
            return read_sample(path, self.engine().model(),
                               {.views = views,
                                .masks = masks.value_or(std::filesystem::path()),
                                .keep_fit_masks = fit,
                                .threads = self.engine().threads()});
          },
          "path"_a, "views"_a, "masks"_a, "fit"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("device", [](const LockedEngine& self) { return to_string(self.engine().device().device); })
      .def_prop_ro("backend", [](const LockedEngine& self) { return std::string(self.engine().backend()); })
      .def_prop_ro("precision",
                   [](const LockedEngine& self) { return std::string(to_string(self.engine().precision())); })
      .def_prop_ro("batch", [](const LockedEngine& self) { return self.engine().batch(); })
      .def_prop_ro("batches_in_flight", [](const LockedEngine& self) { return self.engine().batches_in_flight(); })
      .def_prop_ro("threads", [](const LockedEngine& self) { return self.engine().threads(); })
      .def_prop_ro("model", [](const LockedEngine& self) { return self.engine().model().name; });
}

}  // namespace p2mpp::python
