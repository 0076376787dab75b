#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "p2mpp/engine.h"
#include "p2mpp/error.h"
#include "support/test_meshes.h"

namespace p2mpp {

/// A tetrahedron whose size tells which camera it was made for.
inline TriangleMesh tetrahedron(float size) {
  return {{{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

/// Stands in for an engine: the mesh is a tetrahedron of the first camera's distance. Samples whose first azimuth is
/// `failing_azimuth` cannot be computed, together with others or alone; of azimuth 359, no vertex is finite.
class FakeEngine : public Reconstructor {
 public:
  float failing_azimuth = -1;
  std::size_t most_batches = 1;  // in flight
  std::vector<std::size_t> batch_sizes;
  std::size_t most_in_flight = 0;
  std::deque<std::span<const Sample>> submitted;
  std::vector<DeviceSpan> device_spans;  // of each batch
  // Called first by the function of this name.
  std::function<void()> on_submit = [] {}, on_collect = [] {}, on_mesh = [] {};

  void submit(std::span<const Sample> samples) override {
    on_submit();
    submitted.push_back(samples);
    most_in_flight = std::max(most_in_flight, submitted.size());
  }

  std::vector<ReconstructionResult> collect() override {
    on_collect();
    const std::span<const Sample> samples = submitted.front();
    submitted.pop_front();
    return reconstruct(samples);
  }

  /// A distance network's answer; null: the model has none.
  std::shared_ptr<const DistanceField> field = nullptr;
  [[nodiscard]] bool has_distances() const override { return field != nullptr; }
  [[nodiscard]] std::shared_ptr<const DistanceField> distances(const Sample& /*sample*/,
                                                               const TriangleMesh& /*refined*/) const override {
    return field;
  }

  [[nodiscard]] std::size_t batches_in_flight() const override { return most_batches; }
  std::vector<DeviceSpan> take_device_spans() override { return device_spans; }

  [[nodiscard]] TriangleMesh mesh(const Sample& /*sample*/, const Reconstruction& reconstruction) const override {
    on_mesh();
    return {reconstruction.vertices(), tetrahedron(1).triangles};
  }

  [[nodiscard]] std::vector<TriangleMesh> coarse_meshes(const Reconstruction& reconstruction) const override {
    std::vector<TriangleMesh> meshes;
    for (const Points& level : reconstruction.coarse) meshes.push_back({level, tetrahedron(1).triangles});
    return meshes;
  }

 private:
  std::vector<ReconstructionResult> reconstruct(std::span<const Sample> samples) {
    batch_sizes.push_back(samples.size());
    std::vector<ReconstructionResult> results;
    for (const Sample& sample : samples) {
      const CameraRow& camera = *sample.views.at(0).row;
      if (camera.azimuth_deg == failing_azimuth) throw Error(sample.id + ": the device is gone");
      ReconstructionResult& result = results.emplace_back();
      for (const float part : {1.0F, 2.0F}) {
        result.reconstruction.coarse.push_back(tetrahedron(part * camera.distance / 3).vertices);
      }
      result.reconstruction.refined = {tetrahedron(camera.distance).vertices};
      result.times[Part::kCnn1] = 2;
      result.times[Part::kDrb] = 5;
      if (camera.azimuth_deg == 359) result.problem = "the network gave vertices that are not finite";
    }
    return results;
  }
};

/// Its meshes have the triangles of a sphere.
class SphereEngine : public FakeEngine {
 public:
  [[nodiscard]] TriangleMesh mesh(const Sample& /*sample*/, const Reconstruction& reconstruction) const override {
    return {reconstruction.vertices(), testing::icosphere(3).triangles};
  }
};

}  // namespace p2mpp
