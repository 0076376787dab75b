#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "pipeline/steps.h"
#include "support/drawn_masks.h"
#include "support/fake_engine.h"
#include "support/test_meshes.h"

namespace p2mpp {

inline std::vector<FitMask> masks_of_box(int count) { return testing::box_masks({0.13, 0.11, 0.12}, count); }

/// A sample of one view, whose camera is a row, and these masks.
inline Sample row_with(std::vector<FitMask> masks) {
  Sample sample;
  sample.views = {view_from_row({8, 8, std::vector<std::uint8_t>(256)}, {30, 20, 0, 0.75F, 0})};
  sample.fit_masks = std::move(masks);
  return sample;
}

/// Jobs for which the network has given a sphere.
class BoxJobTest : public ::testing::Test {
 protected:
  [[nodiscard]] Job job_with(Sample sample) const {
    Job job;
    job.result.id = "box";
    job.sample = std::move(sample);
    job.reconstruction.refined = {in_network_frame(sphere_, job.sample).vertices};
    return job;
  }

  Job made(Job job) {
    Steps(options_, engine_, trace_).make_meshes({&job, 1});
    return job;
  }

  PipelineOptions options_;
  SphereEngine engine_;
  Trace trace_;
  TriangleMesh sphere_ = testing::scaled(testing::icosphere(3), 0.12F);
};

}  // namespace p2mpp
