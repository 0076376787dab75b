#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include "base/atomic_file.h"
#include "io/mesh/mesh_file.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"
#include "pipeline/steps.h"
#include "support/fake_engine.h"
#include "support/temporary_folder.h"

namespace p2mpp {

/// A 4x4 gray PNG.
inline constexpr std::array<unsigned char, 73> kTinyPng = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x04, 0x00, 0x00, 0x00, 0x04, 0x08, 0x00, 0x00, 0x00, 0x00, 0x8c, 0x9a, 0xc1, 0xa2, 0x00, 0x00, 0x00, 0x10, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x6c, 0x60, 0x60, 0x60, 0x60, 0x62, 0x40, 0x21, 0x00, 0x09, 0xe4, 0x00, 0x88,
    0xba, 0x17, 0xe1, 0xd0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

/// IMAGE_ROOT/CATEGORY/MODEL/rendering of three views, and a truth that the fake engine meets exactly.
class EvaluationFixture : public ::testing::Test {
 protected:
  EvaluationFixture() {
    options_.images_root = folder_.path() / "images";
    options_.truth_root = folder_.path() / "truth";
    options_.out = folder_.path() / "out";
    options_.reading.trained_views = {0, 1, 2};
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
  PipelineOptions options_;
  FakeEngine engine_;
  Trace trace_;
  std::size_t line_ = 0;
};

}  // namespace p2mpp
