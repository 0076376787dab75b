#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture.h"
#include "capture/masks.h"
#include "capture/object_frame.h"
#include "capture/robust_hull.h"
#include "capture/view_choice.h"
#include "io/cameras_json.h"
#include "p2mpp/sample.h"

namespace p2mpp {

struct PrepareOptions {
  BackgroundColour background;
  FrameOptions frame;
  std::filesystem::path masks;     ///< a folder with a mask for each photograph; empty: those that the capture names
  std::size_t view_count = 3;      ///< of the network, 2 to 5
  std::vector<std::size_t> views;  ///< photographs of the capture, from 0, the network's frame first; empty: chosen
  int threads = 1;
};

/// What became of a photograph.
struct PhotographReport {
  std::string name;
  std::string mask;          ///< where its mask comes from: "alpha", "mask file", "background 255,255,255"
  std::string problem;       ///< why it is not used at all ("the mask is empty"); empty if it is
  bool contradicts = false;  ///< its silhouette contradicts the others: not used for the frame
  SilhouetteFit fit;         ///< against the hull of all
  MaskFacts facts;
  ViewCandidate candidate;
};

/// A sample and what was found on the way.
struct PreparedCapture {
  Sample sample;
  std::vector<std::size_t> chosen;                              ///< the sample's views, as photographs of the capture
  std::vector<PhotographReport> photographs;                    ///< as in the capture
  std::vector<std::pair<std::size_t, std::size_t>> duplicates;  ///< pairs that show one view
  ObjectFrame frame;
  int allowance = 0;                                ///< of the hull: above 0 if cameras or masks are not exact
  std::vector<Silhouette> silhouettes;              ///< of the photographs without a problem, in the source's frame
  std::vector<std::size_t> silhouette_photographs;  ///< the photograph of each
  Hull hull;                                        ///< in the source's frame
};

/// Masks, hull, frame, views and canonical images of a capture. Photographs are decoded one at a time per thread.
/// Throws InputError naming the capture or a file: if an image or a mask is missing or damaged, if a background is not
/// plain, if fewer than two silhouettes are usable, or if they have nothing in common; UsageError for views that do not
/// exist.
[[nodiscard]] PreparedCapture sample_from_capture(const Capture& capture, std::string id,
                                                  const PrepareOptions& options = {});

/// The mask of a photograph in a folder: its name with any extension that is an image's, with the folders of the
/// photograph's name or without, or with ".png" after the whole name (COLMAP's way). Throws InputError naming the
/// folder and the photograph if there is none.
[[nodiscard]] std::filesystem::path find_mask(const std::filesystem::path& folder, const Photograph& photograph);

/// cameras.json for a prepared capture: all photographs without a problem, in the normalised world. `image_of` and
/// `mask_of` are relative names, one for each photograph of the capture; a mask's may be empty.
[[nodiscard]] CamerasJson cameras_json_of(const Capture& capture, const PreparedCapture& prepared,
                                          const std::vector<std::string>& image_of,
                                          const std::vector<std::string>& mask_of);

}  // namespace p2mpp
