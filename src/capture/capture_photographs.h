#pragma once

#include <memory>
#include <vector>

#include "cameras/capture.h"
#include "capture/sample_from_capture.h"
#include "image/photograph_source.h"

namespace p2mpp {

/// cam_from_world. The camera's frame has the world's unit.
[[nodiscard]] Rigid3 in_world(const Rigid3& cam_from_source, const Similarity& source_from_world);

/// The photographs of a capture whose masks show the object and do not contradict the others, with the poses that its
/// sample has. At most request.max_pixels are decoded at the same time.
class CapturePhotographs final : public PhotographSource {
 public:
  CapturePhotographs(const CaptureReport& report, const SampleRequest& request);
  [[nodiscard]] DecodedSource decode(std::size_t photograph) const override;

 private:
  std::vector<Photograph> files_;  ///< of each photograph
  SampleRequest request_;
  std::shared_ptr<const MaskContext> mask_context_;
  mutable PixelBudget budget_;
};

}  // namespace p2mpp
