#include "capture/sample_request.h"

#include <algorithm>

#include "p2mpp/sample.h"

namespace p2mpp {

std::size_t SampleRequest::photograph_count() const {
  if (!views.empty()) return views.size();
  return view_count != 0 ? view_count : std::clamp(trained_views.size(), kMinViews, kMaxViews);
}

}  // namespace p2mpp
