#include "texture/view_photographs.h"

#include <fmt/format.h>

#include "image/object_mask.h"

namespace p2mpp {
namespace {

class ViewPhotographs final : public PhotographSource {
 public:
  explicit ViewPhotographs(const Sample& sample) : sample_(sample) {
    for (std::size_t i = 0; i < sample.views.size(); ++i) {
      const View& view = sample.views[i];
      const double scale = view.image.width / kImageSize;
      const Intrinsics& in = view.camera.intrinsics;
      photographs_.push_back(
          {.name = view.name.empty() ? fmt::format("view {}", i) : view.name,
           .lens = {.fx = in.fx * scale, .fy = in.fy * scale, .cx = in.cx * scale, .cy = in.cy * scale},
           .width = view.image.width,
           .height = view.image.height,
           .cam_from_world = flip_y_and_z(cam_from_world(view.camera))});
    }
  }

  [[nodiscard]] DecodedSource decode(std::size_t photograph) const override {
    const Image& image = sample_.views[photograph].image;
    return {image, object_mask(image, photographs_[photograph].name).mask, photographs_[photograph].lens};
  }

 private:
  const Sample& sample_;
};

}  // namespace

std::shared_ptr<const PhotographSource> views_as_photographs(const Sample& sample) {
  return std::make_shared<ViewPhotographs>(sample);
}

}  // namespace p2mpp
