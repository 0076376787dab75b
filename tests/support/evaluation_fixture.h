#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/atomic_file.h"
#include "io/image/png_file.h"
#include "io/mesh/mesh_file.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"
#include "pipeline/steps.h"
#include "support/fake_engine.h"
#include "support/pixels.h"
#include "support/temporary_folder.h"

namespace p2mpp {

/// A PNG of 4x4 gray pixels.
inline std::string tiny_png() { return encode_png(uniform(4, 4, {128, 128, 128, 255})); }

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
      write_file_atomically(rendering / ("0" + std::to_string(view) + ".png"), tiny_png());
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
