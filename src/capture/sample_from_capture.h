#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cameras/capture.h"
#include "capture/frame/object_frame.h"
#include "capture/inspected_photograph.h"
#include "capture/mask_context.h"
#include "capture/poses/pose_refinement.h"
#include "capture/sample_request.h"
#include "hull/hull_projection.h"
#include "image/photograph_source.h"
#include "io/cameras_json.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// What was found in a capture, and the results of the steps that made its sample.
struct CaptureReport {
  Capture capture;  ///< its poses as they were used, possibly corrected
  std::shared_ptr<const MaskContext> mask_context;
  PoseRefinement refinement;                                    ///< their corrections, one per silhouette
  std::vector<std::size_t> chosen;                              ///< the photograph of each of the sample's views
  std::vector<PhotographReport> photographs;                    ///< as in the capture
  std::vector<std::pair<std::size_t, std::size_t>> duplicates;  ///< pairs that show one view
  ObjectFrame frame;
  int allowance = 0;                                ///< of the hull: above 0 if cameras or masks are not exact
  std::vector<MaskView> silhouettes;                ///< of the photographs without a problem, in the source's frame
  std::vector<std::size_t> silhouette_photographs;  ///< the photograph of each
  Hull hull;                                        ///< in the source's frame
  std::size_t decodings = 0;                        ///< of photographs, until the sample was made
};

struct PreparedCapture : CaptureReport {
  Sample sample;
};

/// Masks, hull, frame, views and canonical images of a capture. Photographs are decoded one at a time per thread. The
/// object's parts of those that may become views are kept, up to 32 million pixels in all; only a view without a kept
/// part is decoded again. Throws InputError naming the capture or a file: if an image or a mask is missing or damaged,
/// if a photograph alone has more than request.max_pixels, if a background is not plain, if fewer than two silhouettes
/// are usable, if one that request.fit lists is not, or if they have nothing in common; UsageError for views that do
/// not exist.
[[nodiscard]] PreparedCapture sample_from_capture(Capture capture, std::string id, const SampleRequest& request = {});

/// cameras.json for a capture: all photographs without a problem, in the normalised world. `image_names` and
/// `mask_names` are relative names, one for each photograph of the capture; a mask's may be empty.
[[nodiscard]] CamerasJson describe_cameras(const CaptureReport& report, const std::vector<std::string>& image_names,
                                           const std::vector<std::string>& mask_names);

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
