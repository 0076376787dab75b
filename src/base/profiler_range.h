#pragma once

#include <cstdint>
#include <string>

namespace p2mpp {

/// What lasts as long as this object, with a name in the timeline of NVIDIA's profilers (NVTX). Where p2mpp was built
/// without a CUDA toolkit, or no profiler looks on, it costs next to nothing. Ranges may overlap.
class ProfilerRange {
 public:
  explicit ProfilerRange(const std::string& name);
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange();

 private:
  std::uint64_t id_ = 0;
};

}  // namespace p2mpp
