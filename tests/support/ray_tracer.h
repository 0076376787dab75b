#pragma once

#include <gtest/gtest.h>

#include "rays/ray_scene.h"

/// At the front of a test that needs a ray tracer.
#define P2MPP_NEEDS_RAY_TRACER() \
  if (p2mpp::RayScene::tracer().empty()) GTEST_SKIP() << "this build has no ray tracer"

namespace p2mpp {

/// Tests all of which need one.
class RayTracerTest : public ::testing::Test {
 protected:
  void SetUp() override { P2MPP_NEEDS_RAY_TRACER(); }
};

}  // namespace p2mpp
