#include "cameras/camera_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/thread_scopes.h"
#include "base/with_prefix.h"
#include "cameras/named_files.h"
#include "cameras/parsing/fitted_lens.h"
#include "cameras/parsing/left_out.h"
#include "io/image/image_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

Lens listed_lens(const ListedCamera& camera, int width, int height) {
  Lens lens = camera.lens;
  if (camera.unit == LensUnit::kLongerSide) {
    const int side = std::max(width, height);
    for (double* value : {&lens.fx, &lens.fy, &lens.cx, &lens.cy}) *value *= side;
  }
  if (camera.unit != LensUnit::kPixels) {
    lens.cx += width / 2.0;
    lens.cy += height / 2.0;
  }
  with_prefix(camera.where + ": ", [&] { check_lens(lens); });
  if (!camera.undistorted) return lens;
  if (const std::optional<Lens> fitted = fitted_lens(lens, width, height, camera.undistorted)) return *fitted;
  throw InputError(fmt::format("{}: the lens distorts too much; expected undistorted photographs", camera.where));
}

Photograph photograph_of_listed(const ListedCamera& camera, const std::filesystem::path& image) {
  ImageSize size{camera.width, camera.height};
  if (size.width == 0 || size.height == 0) size = read_image_size(image);
  Photograph photograph;
  photograph.image = image;
  photograph.lens = listed_lens(camera, size.width, size.height);
  photograph.width = size.width;
  photograph.height = size.height;
  photograph.cam_from_source = camera.cam_from_source;
  photograph.lens_name = camera.lens_name;
  return photograph;
}

}  // namespace

Capture make_capture(CameraList list, std::string kind, const std::filesystem::path& where,
                     const std::filesystem::path& folder, const std::vector<std::filesystem::path>& also) {
  Capture capture;
  capture.kind = std::move(kind);
  capture.where = display(where);
  capture.folder = folder;
  capture.version = std::move(list.version);
  capture.up = list.up;
  capture.up_is_measured = list.up_is_measured;
  capture.metres_per_unit = list.metres_per_unit;
  capture.points = std::move(list.points);
  for (const std::string& note : list.notes) capture.notes.push_back(fmt::format("{}: {}", capture.where, note));
  NamedFiles files(folder, also);
  std::vector<std::string> missing;
  LeftOut left_out;
  for (const ListedCamera& camera : list.cameras) {
    const std::filesystem::path image = files.find(camera.file);
    if (image.empty()) {
      missing.push_back(camera.file);
      continue;
    }
    left_out.read([&] {
      Photograph photograph = photograph_of_listed(camera, image);
      photograph.name = image.lexically_relative(folder).string();
      if (!camera.mask.empty()) photograph.mask = files.find(camera.mask, NamedFiles::Kind::kMask);
      capture.photographs.push_back(std::move(photograph));
    });
  }
  for (const std::string& note : left_out.notes(capture.where, capture.photographs.size() + missing.size())) {
    capture.notes.push_back(fmt::format("{}: {}", capture.where, note));
  }
  std::ranges::copy(files.notes(capture.where), std::back_inserter(capture.notes));
  std::string hint = missing.empty() ? "" : files.nearest(missing.front());
  if (capture.photographs.empty() && reading_folder().empty()) hint += "; --photographs FOLDER names another folder";
  capture = check_images(std::move(capture), missing, folder, hint);
  add_pose_alternatives(capture);
  return capture;
}

}  // namespace p2mpp
