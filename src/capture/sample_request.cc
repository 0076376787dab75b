#include "capture/sample_request.h"

#include <algorithm>

#include "p2mpp/sample.h"

namespace p2mpp {

void SampleRequest::check_total_pixels(const Capture& photographs) const {
  if (max_total_pixels == PixelTotal::kUnlimited) return;
  PixelTotal total(max_total_pixels);
  for (const Photograph& photograph : photographs.photographs) {
    total.add(photograph.image);
    if (!photograph.mask.empty()) total.add(photograph.mask);
  }
}

std::size_t SampleRequest::photograph_count() const {
  if (!views.empty()) return views.size();
  return view_count != 0 ? view_count : std::clamp(trained_views.size(), kMinViews, kMaxViews);
}

}  // namespace p2mpp
