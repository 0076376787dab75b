#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture.h"
#include "capture/hull/hull_projection.h"
#include "capture/object_frame.h"
#include "capture/pose_refinement.h"
#include "capture/view_choice.h"
#include "image/object_mask.h"
#include "io/cameras_json.h"
#include "io/fit_views.h"
#include "io/image/pixel_budget.h"
#include "p2mpp/sample.h"

namespace p2mpp {

struct PrepareOptions {
  BackgroundColour background;
  FrameOptions frame;
  std::filesystem::path masks;     ///< a folder with a mask for each photograph; empty: those that the capture names
  std::size_t view_count = 3;      ///< of the network, 2 to 5
  std::vector<std::size_t> views;  ///< photographs of the capture, from 0, the network's frame first; empty: chosen
  FitViews fit = {};               ///< photographs whose masks the mesh is fitted to: Sample::fit_masks
  bool refine_poses = true;        ///< small errors of the cameras are corrected from the silhouettes
  std::size_t max_pixels = kMaxPixelsInWork;  ///< of the photographs that are decoded at the same time
  int threads = 1;
};

/// The use of a photograph, or the reason why it was not used.
struct PhotographReport {
  std::string name;
  std::string mask;                       ///< where its mask comes from: "alpha", "mask file", "background 255,255,255"
  std::string problem;                    ///< why it is not used at all ("the mask is empty"); empty if it is
  std::optional<Colour> background = {};  ///< set if the mask was made from the background's colour
  bool contradicts = false;               ///< its silhouette contradicts the others: not used for the frame
  SilhouetteFit fit;                      ///< against the hull of all
  MaskFacts facts;
  ViewCandidate candidate;
};

/// A sample and the results of the steps that made it.
struct PreparedCapture {
  Sample sample;
  std::vector<Rigid3> cam_from_source;                          ///< of each photograph: the capture's, or corrected
  PoseRefinement refinement;                                    ///< their corrections, one per silhouette
  std::vector<std::size_t> chosen;                              ///< the photograph of each of the sample's views
  std::vector<PhotographReport> photographs;                    ///< as in the capture
  std::vector<std::pair<std::size_t, std::size_t>> duplicates;  ///< pairs that show one view
  ObjectFrame frame;
  int allowance = 0;                                ///< of the hull: above 0 if cameras or masks are not exact
  std::vector<Silhouette> silhouettes;              ///< of the photographs without a problem, in the source's frame
  std::vector<std::size_t> silhouette_photographs;  ///< the photograph of each
  Hull hull;                                        ///< in the source's frame
};

/// Masks, hull, frame, views and canonical images of a capture. Photographs are decoded one at a time per thread. The
/// object's parts of those that may become views are kept, up to 32 million pixels in all; only a view without a kept
/// part is decoded again. Throws InputError naming the capture or a file: if an image or a mask is missing or damaged,
/// if a photograph alone has more than options.max_pixels, if a background is not plain, if fewer than two silhouettes
/// are usable, if one that options.fit lists is not, or if they have nothing in common; UsageError for views that do
/// not exist.
[[nodiscard]] PreparedCapture sample_from_capture(const Capture& capture, std::string id,
                                                  const PrepareOptions& options = {});

/// cameras.json for a prepared capture: all photographs without a problem, in the normalised world. `image_of` and
/// `mask_of` are relative names, one for each photograph of the capture; a mask's may be empty.
[[nodiscard]] CamerasJson cameras_json_of(const Capture& capture, const PreparedCapture& prepared,
                                          const std::vector<std::string>& image_of,
                                          const std::vector<std::string>& mask_of);

}  // namespace p2mpp
