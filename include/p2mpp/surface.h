#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "p2mpp/figures.h"

namespace p2mpp {

/// Which surface a result has.
struct SurfaceChoice {
  enum class Kind : std::uint8_t {
    kAutomatic,  ///< a volume for photographs with masks from enough sides, else the template
    kTemplate,   ///< the mesh that the network and the fit deform
    kVolume,     ///< that of a volume between the masks' hull and the template's mesh, of any topology
  };
  Kind kind = Kind::kTemplate;
  int resolution = 0;  ///< voxels along the object's longest side, kLeastResolution to kMostResolution; 0: by the masks
  std::size_t target_vertices = 10'000;  ///< of a volume's surface, about; four times as many with full detail
  /// How far a volume's surface follows a capture's photographs.
  enum class Detail : std::uint8_t {
    kAutomatic,  ///< to their own pixels, if at least eight show it and those left out confirm it
    kCoarse,     ///< only as the volume does
    kFull,       ///< as automatic, with four times the vertices and finer depths
  };
  Detail detail = Detail::kAutomatic;
};
inline constexpr int kLeastResolution = 32, kMostResolution = 512;

/// What a volume's surface was made from.
struct SurfaceFigures {
  std::size_t masks = 0, used = 0;
  int allowance = 0;                   ///< masks that may object to a point of the hull
  std::size_t overruled = 0;           ///< masks that deny in places what photographs agree on: they have no vote there
  int resolution = 0;                  ///< voxels along the longest side
  double voxel = 0;                    ///< its side
  std::size_t parts = 0, dropped = 0;  ///< components, and small ones that were removed
  int steps = 0;                       ///< of the fit that were kept
  double iou = 0;                      ///< of the silhouettes with the masks, the mean
  /// Photographs at whose own pixels the surface was refined; 0: it was not.
  std::size_t photographs = 0;
  double refined = 0;           ///< the share of the surface whose changes photographs that were left out confirmed
  double agreement_before = 0;  ///< of those: the mean correlation of patches, before and after the refinement
  double agreement_after = 0;
  double milliseconds = 0;  ///< if the caller measures them
  std::string note;         ///< one line for the user, or empty

  /// See for_each_figure().
  template <typename Figures, typename Visit>
  static void visit_figures(Figures& figures, const Visit& visit) {
    visit("masks", figures.masks);
    visit("used", figures.used);
    visit("allowance", figures.allowance);
    visit("overruled", figures.overruled);
    visit("resolution", figures.resolution);
    visit("voxel", figures.voxel);
    visit("parts", figures.parts);
    visit("dropped", figures.dropped);
    visit("steps", figures.steps);
    visit("iou", figures.iou);
    visit("photographs", figures.photographs);
    visit("refined", figures.refined);
    visit("agreement_before", figures.agreement_before);
    visit("agreement_after", figures.agreement_after);
    visit("milliseconds", figures.milliseconds);
    visit("note", figures.note);
  }
};

}  // namespace p2mpp
