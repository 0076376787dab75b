#include <fmt/format.h>

#include "base/input_file.h"
#include "base/text.h"
#include "capture/formats/capture_images.h"
#include "capture/formats/transforms_json.h"
#include "capture/pose_alternatives.h"
#include "io/image/image_file.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMasksFolder = "masks";
constexpr std::uintmax_t kMaxPointFileBytes = std::uintmax_t{1} << 30;

/// The file of a name with or without its extension; empty if there is none. NeRF-synthetic writes "./train/r_0".
fs::path image_named(const fs::path& folder, const std::string& name) {
  fs::path path = (folder / name).lexically_normal();
  if (is_file(path)) return path;
  for (const char* extension : {".png", ".jpg", ".jpeg", ".webp", ".PNG", ".JPG", ".JPEG", ".WEBP"}) {
    fs::path candidate = path;
    candidate += extension;
    if (is_file(candidate)) return candidate;
  }
  return {};
}

/// The same. If nothing outside the folder may be read, the file's name alone is also tried, in the folder and in
/// `subfolder`.
fs::path image_named(const fs::path& folder, const std::string& name, const char* subfolder, bool confined) {
  if (!confined) return image_named(folder, name);
  fs::path image = is_name_below(name) ? image_named(folder, name) : fs::path();
  const std::string bare = fs::path(name).filename().string();
  if (bare.empty() || bare == "..") return {};
  if (image.empty()) image = image_named(folder / subfolder, bare);
  return image;
}

/// nullopt if a file is missing, which is then added to `missing`.
std::optional<Photograph> find_photograph(const TransformsFrame& frame, const fs::path& folder, bool confined,
                                          const std::string& where, std::vector<std::string>& missing) {
  Photograph photograph;
  photograph.name = fs::path(frame.file_path).lexically_normal().string();
  photograph.image = image_named(folder, frame.file_path, "", confined);
  if (photograph.image.empty()) {
    missing.push_back(frame.file_path);
    return std::nullopt;
  }
  // Masks are looked for beside the place that the name says.
  if (confined) photograph.name = photograph.image.lexically_relative(folder).string();
  if (!frame.mask_path.empty()) {
    photograph.mask = image_named(folder, frame.mask_path, kMasksFolder, confined);
    if (photograph.mask.empty()) {
      missing.push_back(fmt::format("{} (its mask {})", frame.file_path, frame.mask_path));
      return std::nullopt;
    }
  }
  const TransformsIntrinsics& intrinsics = frame.intrinsics;
  const ImageSize size =
      intrinsics.w && intrinsics.h ? ImageSize{*intrinsics.w, *intrinsics.h} : read_image_size(photograph.image);
  photograph.width = intrinsics.w.value_or(size.width);
  photograph.height = intrinsics.h.value_or(size.height);
  photograph.lens = intrinsics.lens_for(photograph.width, photograph.height, where);
  photograph.cam_from_source = frame.cam_from_source;
  return photograph;
}

/// The points of structure from motion that nerfstudio keeps beside the frames.
void read_sparse_points(const std::string& name, const fs::path& folder, Capture& capture) {
  if (name.empty()) return;
  const fs::path file = (folder / name).lexically_normal();
  if (!is_file(file)) {
    capture.notes.push_back(fmt::format("{}: no such file; the object is found without its points", display(file)));
    return;
  }
  for (const Eigen::Vector3f& point : parse_ply_points(read_file(file, kMaxPointFileBytes), display(file))) {
    capture.points.emplace_back(point.cast<double>());
  }
}

}  // namespace

std::optional<fs::path> find_transforms(const fs::path& path) {
  if (is_file(path)) {
    return lower_extension(path) == ".json" ? std::optional(path) : std::nullopt;
  }
  for (const char* name : {"transforms.json", "transforms_train.json"}) {
    if (is_file(path / name)) return path / name;
  }
  return std::nullopt;
}

Capture read_transforms(const fs::path& file, bool confined) {
  Capture capture;
  capture.kind = "transforms.json";
  capture.where = display(file);
  // The worlds of NeRF-synthetic (Blender), instant-ngp and nerfstudio have z up. This is Blender's convention. The
  // other two programs turn the world so that the cameras' mean up vector is +z.
  capture.up = Eigen::Vector3d::UnitZ();
  std::vector<std::string> missing;
  const Transforms transforms = parse_transforms(read_file(file), capture.where);
  const std::vector<TransformsFrame>& frames = transforms.frames;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::string where = fmt::format("{}: frames[{}]", capture.where, i);
    std::optional<Photograph> photograph = find_photograph(frames[i], file.parent_path(), confined, where, missing);
    if (photograph) capture.photographs.push_back(*std::move(photograph));
  }
  if (!confined || is_name_below(transforms.points_path)) {
    read_sparse_points(transforms.points_path, file.parent_path(), capture);
  }
  capture = check_images(std::move(capture), missing,
                         missing.empty() || confined ? file.parent_path() : fs::path(missing.front()).parent_path());
  capture.alternatives.push_back(turned_about_x(capture.photographs));
  return capture;
}

}  // namespace p2mpp
