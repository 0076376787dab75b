#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <span>
#include <string>

#include "base/table.h"

namespace p2mpp {

/// Tries inputs just below a bound and just above it, by what is bounded.
using BoundProbes = std::map<std::string, std::function<void()>>;

/// Runs the probe of each bound. Fails for a bound without a probe, and for a probe without a bound.
inline void expect_kept(std::span<const Bound> bounds, const BoundProbes& probes) {
  for (const Bound& bound : bounds) {
    SCOPED_TRACE(bound.what);
    const auto probe = probes.find(bound.what);
    ASSERT_NE(probe, probes.end()) << "has no probe";
    probe->second();
  }
  EXPECT_EQ(probes.size(), bounds.size());
}

}  // namespace p2mpp
