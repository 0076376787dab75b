#include "base/profiler_range.h"

#ifdef P2MPP_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace p2mpp {

#ifdef P2MPP_HAS_NVTX
ProfilerRange::ProfilerRange(const std::string& name) : id_(nvtxRangeStartA(name.c_str())) {}
ProfilerRange::~ProfilerRange() { nvtxRangeEnd(id_); }
#else
ProfilerRange::ProfilerRange(const std::string& /*name*/) {}
ProfilerRange::~ProfilerRange() = default;
#endif

}  // namespace p2mpp
