#pragma once

#include <memory>
#include <string>
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

/// The message if masks and cameras contradict each other as a whole. Empty if they do not.
[[nodiscard]] std::string contradiction(const PreparedCapture& prepared);

/// Warns of the photographs that are left out, and of those that show one view.
void doubt_photographs(PreparedCapture& prepared);

/// An addition to a failure's message if the masks seem to be of the background.
[[nodiscard]] std::string of_inverted(const PreparedCapture& prepared);

/// The same if most masks were made from a background's colour, and may therefore be wrong.
[[nodiscard]] std::string of_guessed_masks(const PreparedCapture& prepared);

/// The same if the principal points are in the middle of images of another size, or the masks are of another size.
[[nodiscard]] std::string of_other_size(const Capture& capture);

}  // namespace p2mpp
