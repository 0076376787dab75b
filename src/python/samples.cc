// Samples from decoded pixels and from files.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "p2mpp/error.h"
#include "p2mpp/files.h"
#include "p2mpp/sample.h"
#include "python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace p2mpp::python {
namespace {

using Pixels = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Image image_of(const Pixels& pixels, std::size_t number) {
  const std::size_t channels = pixels.shape(2);
  if (channels != 3 && channels != 4) {
    throw InputError(fmt::format("image {} has {} channels; expected 3 or 4", number, channels));
  }
  Image image{static_cast<int>(pixels.shape(1)), static_cast<int>(pixels.shape(0)), {}};
  const std::size_t count = pixels.shape(0) * pixels.shape(1);
  if (count < 4) throw InputError(fmt::format("image {} is {} x {}", number, image.width, image.height));
  image.rgba.resize(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < 4; ++c) image.rgba[4 * i + c] = c < channels ? pixels.data()[channels * i + c] : 255;
  }
  return image;
}

View view_of(Image image, const nb::handle& camera, std::size_t number) {
  if (!nb::isinstance<Camera>(camera)) {
    const auto row = nb::cast<std::vector<float>>(camera);
    if (row.size() != 5) {
      throw InputError(fmt::format("camera {} is a row of {} numbers; expected 5 or a Camera", number, row.size()));
    }
    return view_from_row(std::move(image), {row[0], row[1], row[2], row[3], row[4]});
  }
  if (image.width != image.height) {
    throw InputError(fmt::format("image {} is {} x {}; expected a square one, because a Camera's intrinsics are of one",
                                 number, image.width, image.height));
  }
  return {.image = std::move(image), .camera = nb::cast<const Camera&>(camera)};
}

Sample sample_of(const std::vector<Pixels>& images, const nb::sequence& cameras, const std::string& id) {
  const std::size_t count = nb::len(cameras);
  if (images.size() != count) {
    throw InputError(fmt::format("{} images and {} cameras; expected one camera for each", images.size(), count));
  }
  if (count < kMinViews || count > kMaxViews) {
    throw InputError(fmt::format("{} views; expected {} to {}", count, kMinViews, kMaxViews));
  }
  Sample sample;
  sample.id = id;
  for (std::size_t i = 0; i < count; ++i) {
    sample.views.push_back(view_of(image_of(images[i], i), nb::object(cameras[i]), i));
  }
  return sample;
}

nb::object pixels_of(const Image& image) {
  const nb::object array =
      nb::module_::import_("numpy").attr("empty")(nb::make_tuple(image.height, image.width, 4), "dtype"_a = "uint8");
  auto pixels = nb::cast<nb::ndarray<std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>>(array);
  std::ranges::copy(image.rgba, pixels.data());
  return array;
}

}  // namespace

void bind_samples(nb::module_& module) {
  nb::class_<Sample>(module, "Sample", "The input for one mesh: images of an object, with their cameras.")
      .def_rw("id", &Sample::id, "names the sample in results")
      .def_prop_ro(
          "view_count", [](const Sample& sample) { return sample.views.size(); }, "of the network")
      .def_prop_ro(
          "fit_mask_count", [](const Sample& sample) { return sample.fit_masks.size(); },
          "masks that the mesh is fitted to; 0: no fit")
      .def_ro("doubts", &Sample::doubts, "what looks wrong about a capture, one line each")
      .def("__repr__", [](const Sample& sample) {
        return fmt::format("p2mpp.Sample('{}', {} views)", sample.id, sample.views.size());
      });
  module.def("sample_from_arrays", &sample_of, "images"_a, "cameras"_a, "id"_a = "sample",
             "images: uint8 [H, W, 3 or 4] each, red, green, blue (and alpha: the object's mask). cameras: a Camera or "
             "a row of five numbers for each.");
  module.def(
      "read_image",
      [](const std::filesystem::path& path) {
        Image image;
        {
          const nb::gil_scoped_release released;
          image = read_image(path);
        }
        return pixels_of(image);
      },
      "path"_a, "A PNG, JPEG or WebP as uint8 [H, W, 4].");
}

}  // namespace p2mpp::python
