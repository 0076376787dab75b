#include "engine/computation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "backends/common/finding.h"
#include "backends/companion_library.h"
#include "backends/registry.h"
#include "base/machine/device_choice.h"
#include "base/with_prefix.h"
#include "engine/engine_options.h"
#include "geometry/similarity.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

template <typename... Arguments>
void require(bool is_fine, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  if (!is_fine) throw InputError(fmt::format(text, std::forward<Arguments>(arguments)...));
}

void check_view_counts(const Sample& sample) {
  const std::size_t views = sample.views.size();
  require(views >= kMinViews && views <= kMaxViews, "{} views; expected {} to {}", views, kMinViews, kMaxViews);
  for (const int stage : {1, 2}) {
    if (stage == 1 && sample.initial_mesh) continue;
    const std::size_t count = views_read(sample, stage);
    require(count >= kMinViews && count <= views, "stage {} reads {} views; expected {} to {}, or 0 for all", stage,
            count, kMinViews, views);
  }
}

// A camera and the row that it is said to be of must agree: backends read either.
void check_view_camera(const View& view) {
  if (view.row) {
    const Camera of_row = camera_from_row(*view.row);
    const Intrinsics &a = view.camera.intrinsics, &b = of_row.intrinsics;
    require(view.camera.rotation == of_row.rotation && view.camera.origin == of_row.origin && a.fx == b.fx &&
                a.fy == b.fy && a.cx == b.cx && a.cy == b.cy,
            "is not the one of its row; expected camera_from_row(), or no row");
  }
  check_camera(view.camera);
}

void check_image(const Image& image) {
  const bool has_pixels = image.width >= 1 && image.height >= 1 &&
                          image.rgba.size() == std::size_t{4} * static_cast<std::size_t>(image.width) *
                                                   static_cast<std::size_t>(image.height);
  require(has_pixels, "{} bytes for {}x{} pixels; expected 4 per pixel", image.rgba.size(), image.width, image.height);
  require(image.width == image.height, "{}x{} pixels; expected a square (padded_to_square())", image.width,
          image.height);
}

bool shows(const Camera& camera, const Eigen::Vector3f& vertex) {
  const Eigen::Vector3d seen = camera.cam_from_world(vertex.cast<double>());
  if (!(seen.z() < 0)) return false;
  const Intrinsics& lens = camera.intrinsics;
  const double row = lens.fy * (-seen.y() / -seen.z()) + lens.cy;
  const double column = lens.fx * (seen.x() / -seen.z()) + lens.cx;
  return row >= 0 && row <= kImageSize && column >= 0 && column <= kImageSize;
}

// Precondition: the sample's views can be computed.
void check_is_seen(const TriangleMesh& mesh, const Sample& sample) {
  for (const View& view : std::span(sample.views).first(views_read(sample, 2))) {
    const auto is_seen = [&view](const Eigen::Vector3f& vertex) { return shows(view.camera, vertex); };
    if (std::ranges::any_of(mesh.vertices, is_seen)) return;
  }
  throw InputError("no view shows a vertex of it; expected it around the object, in the world of the cameras");
}

}  // namespace

void check_computable(const Sample& sample) {
  check_view_counts(sample);
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    with_prefix(fmt::format("camera of view {}: ", i), [&] { check_view_camera(sample.views[i]); });
    with_prefix(fmt::format("image of view {}: ", i), [&] { check_image(sample.views[i].image); });
  }
  if (sample.network_frame) with_prefix("network's frame: ", [&] { check_camera(*sample.network_frame); });
  with_prefix("source_from_world: ", [&] { check_similarity(sample.source_from_world); });
  if (!sample.initial_mesh) return;
  with_prefix("initial mesh: ", [&] {
    check_initial_mesh(*sample.initial_mesh);
    check_is_seen(*sample.initial_mesh, sample);
  });
}

void check_initial_mesh(const TriangleMesh& mesh) {
  const std::size_t count = mesh.vertices.size();
  require(!mesh.triangles.empty(), "has no triangle; expected a mesh");
  require(count >= kMinInitialVertices && count <= kMaxInitialVertices, "has {} vertices; expected {} to {}", count,
          kMinInitialVertices, kMaxInitialVertices);
  for (std::size_t i = 0; i < count; ++i) {
    require(mesh.vertices[i].allFinite(), "vertex {}, counted from 1, is not finite; expected three numbers", i + 1);
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const std::int32_t vertex : mesh.triangles[i]) {
      require(vertex >= 0 && static_cast<std::size_t>(vertex) < count,
              "triangle {}, counted from 1, names vertex {}; expected 1 to {}", i + 1, vertex + std::int64_t{1}, count);
    }
  }
}

namespace {

/// The arguments of start_computation().
struct EngineStart {
  const EngineOptions& options;
  int threads;
  const ComputationSources& sources;
};

// A backend, or null if another one should be tried. `problems` then gets the reason (one clause).
std::unique_ptr<Backend> try_backend(const EngineStart& start, std::string_view name, const BackendOptions& options,
                                     bool is_last, std::vector<std::string>& problems) {
  try {
    start.sources.check(name, options.device);
  } catch (const Error& error) {
    problems.emplace_back(error.what());
    return nullptr;
  }
  try {
    return start.sources.make(name, options);
  } catch (const SelfCheckFailed& failure) {
    problems.push_back(fmt::format("{} on {}: {}", name, to_string(options.device), failure.what()));
    if (start.options.backend != kAuto) throw SelfCheckFailed(problems.back());
  } catch (const UsageError& error) {  // a model that this backend has no kernels for
    if (is_last) throw;
    problems.emplace_back(error.what());
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {  // the device may have failed an earlier backend, too
    if (problems.empty()) throw;
    problems.emplace_back(error.what());
  }
  return nullptr;
}

// The first of the backends that works on a device.
Computation compute_on(const EngineStart& start, const DeviceChoice& choice) {
  const Precision precision = choose_precision(start.options, choice.device);
  const InstructionSet instructions = choose_instruction_set(start.options, precision);
  const auto names = choose_backends(start.options.backend, choice.device, precision);
  const BackendOptions options{choice.device, precision, start.threads, instructions};
  std::vector<std::string> problems;
  for (const std::string_view name : names) {
    std::unique_ptr<Backend> backend = try_backend(start, name, options, name == names.back(), problems);
    if (backend == nullptr) continue;
    std::string note = choice.note;
    if (!problems.empty()) note = fmt::format("{}; the backend {} computes", fmt::join(problems, "; "), name);
    return {{choice.device, note}, precision, instructions, name, std::move(backend)};
  }
  throw Error(fmt::format("{}", fmt::join(problems, "; ")));
}

// Falls back from CUDA to the CPU because of `problem`. Throws Error if the user asked for a CUDA device.
Computation fall_back_to_cpu(const EngineStart& start, const std::string& problem) {
  const DeviceChoice cpu = without_cuda(start.options.device, problem);
  try {
    return compute_on(start, cpu);
  } catch (const UsageError& error) {  // the CPU does not support the options either
    throw Error(fmt::format("no CUDA device: {}; and {}", problem, error.what()));
  }
}

}  // namespace

ComputationSources sources_for(const Model& model) {
  return {.choose_device = choose_device,
          .check = check_backend,
          .make = [&model](std::string_view name, const BackendOptions& options) {
            return make_backend(name, model, options);
          }};
}

Computation start_computation(const EngineOptions& options, int threads, const ComputationSources& sources) {
  const EngineStart start{options, threads, sources};
  const DeviceChoice choice = sources.choose_device(options.device);
  if (choice.device.kind == DeviceKind::kCpu) return compute_on(start, choice);
  try {
    return compute_on(start, choice);
  } catch (const UsageError&) {
    throw;
  } catch (const InputError&) {
    throw;
  } catch (const SelfCheckFailed&) {
    throw;
  } catch (const Error& error) {
    return fall_back_to_cpu(start, error.what());
  }
}

double measure_gemm_gflops(const Engine& engine) {
  const bool cpu = engine.device().device.kind == DeviceKind::kCpu;
  return cpu ? packed_gemm_gflops(engine.precision(), engine.threads()) : std::numeric_limits<double>::quiet_NaN();
}

NeighbourFinder neighbour_finder(Device device) {
  if (device.kind == DeviceKind::kCpu) return {};
  check_cuda_device(device.index);
  return [index = device.index](std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets) {
    return cuda_nearest_neighbours(index, queries, targets);
  };
}

}  // namespace p2mpp
