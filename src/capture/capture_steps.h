#pragma once

#include <memory>
#include <vector>

#include "capture/sample_from_capture.h"

// The way of a capture to its sample. sample_from_capture() takes these steps in this order, and each uses the results
// of those before it. They throw InputError and UsageError as sample_from_capture() does.
namespace p2mpp {

/// A capture on this way.
struct CaptureWork {
  const SampleRequest& request;
  PixelBudget budget;
  PreparedCapture prepared;                          ///< its capture is set at the start, the rest by the steps
  std::shared_ptr<MaskContext> context;              ///< what masks are made and corrected by
  std::vector<InspectedPhotograph> inspected;        ///< of each photograph
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  ///< of the source's frame, which messages add
};

/// 1. Decodes each photograph once and finds the object in it: MaskContext, silhouettes, reports. All masks that are
/// too wide or too narrow are made again, once it is known by how much.
void inspect_photographs(CaptureWork& work);

/// 2. Takes the poses of the format's other convention if the silhouettes agree only with them.
void settle_convention(CaptureWork& work);

/// 3. Fills pieces that masks lack, if the request allows it, and inspects these photographs again.
void fill_masks(CaptureWork& work);

/// 4. Carves the hull, corrects the poses, and finds the object's frame.
void find_object(CaptureWork& work);

/// 5. Chooses the photographs that enter the network.
void choose_views(CaptureWork& work);

/// 6. Draws their canonical views: the sample has views, and the network a frame.
void draw_views(CaptureWork& work);

/// 7. Gives the sample the masks to fit to. From the silhouettes, so that no photograph is decoded again.
void add_fit_masks(CaptureWork& work);

}  // namespace p2mpp
