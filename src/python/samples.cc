// Samples from decoded pixels and from files.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <variant>

#include "image/network_frame.h"
#include "p2mpp/error.h"
#include "p2mpp/files.h"
#include "p2mpp/sample.h"
#include "python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace p2mpp::python {
namespace {

using Pixels = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::device::cpu>;  // any strides
using GivenCamera = std::variant<Camera, CameraRow>;

Image image_of(const Pixels& pixels, std::size_t number) {
  const std::size_t height = pixels.shape(0), width = pixels.shape(1), channels = pixels.shape(2);
  if (channels != 3 && channels != 4) {
    throw InputError(fmt::format("image {} has {} channels; expected 3 or 4", number, channels));
  }
  Image image{static_cast<int>(width), static_cast<int>(height), {}};
  if (width * height < 4) throw InputError(fmt::format("image {} is {} x {}", number, image.width, image.height));
  image.rgba.resize(4 * width * height);
  const std::int64_t stride = pixels.stride(1), channel_stride = pixels.stride(2);
  for (std::size_t row = 0; row < height; ++row) {
    const std::uint8_t* from = pixels.data() + static_cast<std::int64_t>(row) * pixels.stride(0);
    std::uint8_t* to = image.rgba.data() + 4 * width * row;
    if (channels == 4 && channel_stride == 1 && stride == 4) {
      std::memcpy(to, from, 4 * width);
      continue;
    }
    for (std::size_t column = 0; column < width; ++column, from += stride, to += 4) {
      to[0] = from[0];
      to[1] = from[channel_stride];
      to[2] = from[2 * channel_stride];
      to[3] = channels == 4 ? from[3 * channel_stride] : 255;
    }
  }
  return image;
}

View view_of(Image image, const GivenCamera& camera, std::size_t number) {
  if (const auto* row = std::get_if<CameraRow>(&camera)) return view_from_row(std::move(image), *row);
  if (image.width != image.height) {
    throw InputError(fmt::format("image {} is {} x {}; expected a square one, because a Camera's intrinsics are of one",
                                 number, image.width, image.height));
  }
  return {.image = std::move(image), .camera = std::get<Camera>(camera)};
}

PhotographedSample make_sample(const std::vector<Pixels>& images, const nb::sequence& cameras, const std::string& id) {
  const std::size_t count = nb::len(cameras);
  if (images.size() != count) {
    throw InputError(fmt::format("{} images and {} cameras; expected one camera for each", images.size(), count));
  }
  if (count < kMinViews || count > kMaxViews) {
    throw InputError(fmt::format("{} views; expected {} to {}", count, kMinViews, kMaxViews));
  }
  std::vector<GivenCamera> given;
  for (std::size_t i = 0; i < count; ++i) {
    const nb::object camera(cameras[i]);
    if (nb::isinstance<Camera>(camera)) {
      given.emplace_back(nb::cast<const Camera&>(camera));
    } else {
      given.emplace_back(to_camera_row(camera, fmt::format("camera {}:", i)));
    }
  }
  const nb::gil_scoped_release released;
  PhotographedSample made;
  made.sample.id = id;
  for (std::size_t i = 0; i < count; ++i) made.sample.views.push_back(view_of(image_of(images[i], i), given[i], i));
  made.sample.network_frame = network_frame_for_given(made.sample.views.front());
  return made;
}

using PixelArray = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, -1, 4>>;

PixelArray read_pixels(const std::filesystem::path& path) {
  auto image = std::make_unique<Image>();
  {
    const nb::gil_scoped_release released;
    *image = read_image(path);
  }
  const std::size_t shape[3] = {static_cast<std::size_t>(image->height), static_cast<std::size_t>(image->width), 4};
  std::uint8_t* pixels = image->rgba.data();
  const nb::capsule owner(image.release(), [](void* owned) noexcept { delete static_cast<Image*>(owned); });
  return {pixels, 3, shape, owner};
}

}  // namespace

void bind_samples(nb::module_& module) {
  using Given = PhotographedSample;
  nb::class_<Given>(module, "Sample", "The input for one mesh: images of an object, with their cameras.")
      .def_prop_rw(
          "id", [](const Given& given) { return given.sample.id; },
          [](Given& given, const std::string& id) { given.sample.id = id; }, "names the sample in results")
      .def_prop_ro(
          "view_count", [](const Given& given) { return given.sample.views.size(); },
          "number of images that the network reads")
      .def_prop_ro(
          "fit_mask_count", [](const Given& given) { return given.sample.fit_masks.size(); },
          "number of masks that the mesh is fitted to; 0: no fit")
      .def_prop_ro(
          "note", [](const Given& given) { return given.sample.note; },
          "what reading it decided, one line; empty if nothing")
      .def_prop_ro(
          "doubts",
          [](const Given& given) {
            std::vector<std::string> lines;
            for (const SampleWarning& doubt : given.sample.doubts) lines.push_back(doubt.message);
            return lines;
          },
          "what looks wrong about a capture, one line each")
      .def("__repr__", [](const Given& given) {
        return fmt::format("p2mpp.Sample('{}', {} views)", given.sample.id, given.sample.views.size());
      });
  module.def("sample_from_arrays", &make_sample, "images"_a, "cameras"_a, "id"_a = "sample",
             nb::sig("def sample_from_arrays(images: Sequence[numpy.typing.NDArray[numpy.uint8]], "
                     "cameras: Sequence[Camera | numpy.typing.ArrayLike], id: str = 'sample') -> Sample"),
             "images: uint8 [H, W, 3 or 4] each, red, green, blue (and alpha: the object's mask). cameras: a Camera or "
             "a row of five numbers for each (Camera.from_row()).");
  module.def("read_image", &read_pixels, "path"_a,
             "A PNG, JPEG, WebP or BMP as uint8 [H, W, 4]: red, green, blue, alpha, rows from the top.");
}

}  // namespace p2mpp::python
