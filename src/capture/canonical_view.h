#pragma once

#include "cameras/capture.h"
#include "image/object_mask.h"
#include "image/reduced_part.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// The camera of a photograph's canonical view. It is at the photograph's centre and looks at the world's origin,
/// without roll (y up). Its focal length is 248 d / seen_distance(d) for the distance d, so that an object of the
/// world's size appears as large as in training. Throws InputError naming the photograph if the camera is at the
/// origin.
[[nodiscard]] Camera canonical_camera(const Photograph& photograph, const Similarity& source_from_world);

/// The object's part of a photograph, with its mask.
struct Cutout {
  int left = 0, top = 0;  ///< of the part, in the photograph
  Image image = {};
  ObjectMask mask = {};  ///< of the image's size
};

/// The part in covered_box(). `mask`: of the image's size.
[[nodiscard]] Cutout cut_out(const Image& image, const ObjectMask& mask);
/// The same if the box is known.
[[nodiscard]] Cutout cut_out(const Image& image, const ObjectMask& mask, const PixelBox& box);

/// Resamples a photograph into the 224x224 RGBA image of its canonical camera. Exact homography and lens; each pixel is
/// the mean over its area, with colours weighted by the mask. Pixels outside the cut-out are transparent. The
/// photograph's lens refers to the pixels of the image of which the part was cut out.
[[nodiscard]] View canonical_view(const Photograph& photograph, const Cutout& cutout,
                                  const Similarity& source_from_world);

}  // namespace p2mpp
