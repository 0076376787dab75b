#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "io/mesh/mesh_file.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"
#include "pipeline/steps.h"
#include "support/temporary_folder.h"

namespace p2mpp {

/// A 4x4 gray PNG.
inline constexpr std::array<unsigned char, 73> kTinyPng = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x04, 0x00, 0x00, 0x00, 0x04, 0x08, 0x00, 0x00, 0x00, 0x00, 0x8c, 0x9a, 0xc1, 0xa2, 0x00, 0x00, 0x00, 0x10, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x6c, 0x60, 0x60, 0x60, 0x60, 0x62, 0x40, 0x21, 0x00, 0x09, 0xe4, 0x00, 0x88,
    0xba, 0x17, 0xe1, 0xd0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

/// A tetrahedron whose size tells which camera it was made for.
inline TriangleMesh tetrahedron(float size) {
  return {{{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

/// Stands in for an engine: the mesh is a tetrahedron of the first camera's distance, moved by one in the world's
/// frame. Samples whose first azimuth is `failing_azimuth` cannot be computed, together with others or alone.
struct FakeEngine {
  float failing_azimuth = -1;
  std::size_t batches_in_flight = 1;
  std::vector<std::size_t> batch_sizes;
  std::size_t most_in_flight = 0;
  std::deque<std::span<const Sample>> submitted;
  std::vector<DeviceSpan> device_spans;  // of each batch

  Reconstructor reconstructor() {
    return {.batches_in_flight = batches_in_flight,
            .submit = [this](std::span<const Sample> samples) { submit(samples); },
            .collect = [this] { return collect(); },
            .take_device_spans = [this] { return device_spans; },
            .mesh =
                [](const Sample& sample, const Reconstruction& reconstruction, Frame frame) {
                  TriangleMesh mesh = tetrahedron(sample.views.front().row->distance);
                  mesh.vertices = reconstruction.vertices();
                  if (frame == Frame::kWorld) {
                    for (Eigen::Vector3f& vertex : mesh.vertices) vertex += Eigen::Vector3f::Ones();
                  }
                  return mesh;
                },
            .coarse_meshes =
                [](const Sample& sample, const Reconstruction& /*reconstruction*/, Frame /*frame*/) {
                  const float size = sample.views.front().row->distance;
                  return std::vector<TriangleMesh>{tetrahedron(size / 3), tetrahedron(2 * size / 3)};
                }};
  }

  void submit(std::span<const Sample> samples) {
    submitted.push_back(samples);
    most_in_flight = std::max(most_in_flight, submitted.size());
  }

  std::vector<ReconstructionResult> collect() {
    const std::span<const Sample> samples = submitted.front();
    submitted.pop_front();
    return reconstruct(samples);
  }

  std::vector<ReconstructionResult> reconstruct(std::span<const Sample> samples) {
    batch_sizes.push_back(samples.size());
    std::vector<ReconstructionResult> results;
    for (const Sample& sample : samples) {
      const CameraRow& camera = *sample.views.at(0).row;
      if (camera.azimuth_deg == failing_azimuth) throw Error(sample.id + ": the device is gone");
      ReconstructionResult& result = results.emplace_back();
      result.reconstruction.coarse = {{}, tetrahedron(camera.distance / 2).vertices};
      result.reconstruction.refined = {tetrahedron(camera.distance).vertices};
      result.times[Part::kCnn1] = 2;
      result.times[Part::kDrb] = 5;
      if (camera.azimuth_deg == 359) result.problem = "the network gave vertices that are not finite";
    }
    return results;
  }
};

/// IMAGE_ROOT/CATEGORY/MODEL/rendering of three views, and a truth that the fake engine meets exactly.
class EvaluationFixture : public ::testing::Test {
 protected:
  EvaluationFixture() {
    options_.images_root = folder_.path() / "images";
    options_.truth_root = folder_.path() / "truth";
    options_.out = folder_.path() / "out";
    options_.view_indices = {0, 1, 2};
    options_.run.meshes.encoding.comment = "a comment";
    std::filesystem::create_directories(options_.truth_root);
    std::filesystem::create_directories(options_.out);
  }

  ListEntry add_sample(const std::string& category, const std::string& model, float azimuth_deg = 10) {
    const auto rendering = options_.images_root / category / model / "rendering";
    std::filesystem::create_directories(rendering);
    std::string rows;
    for (int view = 0; view < 3; ++view) {
      const std::string_view png(reinterpret_cast<const char*>(kTinyPng.data()), kTinyPng.size());
      write_file_atomically(rendering / ("0" + std::to_string(view) + ".png"), png);
      rows += std::to_string(azimuth_deg) + " 27 0 0.75 25\n";
    }
    write_file_atomically(rendering / "rendering_metadata.txt", rows);
    return {.line = ++line_, .id = category + "_" + model + "_00", .category = category, .model = model, .problem = {}};
  }

  void add_truth(const ListEntry& entry) {
    write_file_atomically(options_.truth_root / (entry.id + ".obj"), format_obj(tetrahedron(0.75F), "truth"));
  }

  [[nodiscard]] bool has_mesh(const ListEntry& entry) const {
    return std::filesystem::exists(options_.out / (entry.id + "_predict.obj")) &&
           std::filesystem::exists(options_.out / (entry.id + "_predict.xyz"));
  }

  TemporaryFolder folder_;
  EvaluationOptions options_;
  FakeEngine engine_;
  Trace trace_;
  std::size_t line_ = 0;
};

}  // namespace p2mpp
