#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/capture.h"
#include "cameras/named_files.h"
#include "cameras/parsing/left_out.h"
#include "cameras/transforms/transforms_json.h"
#include "io/image/image_file.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxPointFileBytes = std::uintmax_t{1} << 30;

/// nullopt if a file is missing, which is then added to `missing`.
std::optional<Photograph> find_photograph(const TransformsFrame& frame, const fs::path& folder, NamedFiles& files,
                                          const std::string& where, std::vector<std::string>& missing) {
  Photograph photograph;
  photograph.name = fs::path(frame.file_path).lexically_normal().string();
  photograph.image = files.find(frame.file_path);
  if (photograph.image.empty()) {
    missing.push_back(frame.file_path);
    return std::nullopt;
  }
  // Masks are looked for beside the place that the name says.
  if (files.differed()) photograph.name = photograph.image.lexically_relative(folder).string();
  if (!frame.mask_path.empty()) {
    photograph.mask = files.find(frame.mask_path, NamedFiles::Kind::kMask);
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
  photograph.lens_name = intrinsics.name;
  return photograph;
}

/// The points of structure from motion that nerfstudio keeps beside the frames.
void read_sparse_points(const std::string& name, NamedFiles& files, Capture& capture) {
  if (name.empty()) return;
  const fs::path file = files.find(name, NamedFiles::Kind::kPoints);
  if (file.empty()) {
    capture.notes.push_back(fmt::format("{}: its file of points, {}, is missing; p2mpp finds the object without it",
                                        capture.where, printable(name)));
    return;
  }
  try {
    capture.points = parse_ply_points(read_file(file, kMaxPointFileBytes), display(file));
  } catch (const InputError& error) {
    capture.notes.push_back(fmt::format("{}; p2mpp finds the object without the points", error.what()));
  }
}

/// A world that was scaled after its cameras were made, as by nerfstudio's exports.
void note_scaled_axes(const std::vector<TransformsFrame>& frames, Capture& capture) {
  constexpr double kDigits = 0.01;
  const auto scaled =
      std::ranges::find_if(frames, [](const TransformsFrame& frame) { return std::abs(frame.scale - 1) > kDigits; });
  if (scaled == frames.end()) return;
  capture.notes.push_back(fmt::format("{}: the axes of its matrices have the length {:.4g}; p2mpp makes it 1",
                                      capture.where, scaled->scale));
}

}  // namespace

std::optional<fs::path> find_transforms(const SearchedPath& path) {
  if (path.is_file()) return lower_extension(path.path()) == ".json" ? std::optional(path.path()) : std::nullopt;
  for (const char* name : {"transforms.json", "transforms_train.json"}) {
    if (path.has(name)) return path.path() / name;
  }
  return std::nullopt;
}

Capture read_transforms(const fs::path& file) {
  Capture capture;
  capture.kind = "transforms.json";
  capture.where = display(file);
  // The worlds of NeRF-synthetic (Blender), instant-ngp and nerfstudio have z up. This is Blender's convention. The
  // other two programs turn the world so that the cameras' mean up vector is +z.
  capture.up = Eigen::Vector3d::UnitZ();
  capture.folder = file.parent_path();
  std::vector<std::string> missing;
  NamedFiles files(capture.folder);
  const Transforms transforms = parse_transforms(read_file(file), capture.where);
  const std::vector<TransformsFrame>& frames = transforms.frames;
  LeftOut left_out;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::string where = fmt::format("{}: frames[{}]", capture.where, i);
    left_out.read([&] {
      std::optional<Photograph> photograph = find_photograph(frames[i], capture.folder, files, where, missing);
      if (photograph) capture.photographs.push_back(*std::move(photograph));
    });
  }
  std::vector<std::string> notes = left_out.notes(capture.where, capture.photographs.size() + missing.size());
  notes.insert(notes.begin(), transforms.notes.begin(), transforms.notes.end());
  for (const std::string& note : notes) capture.notes.push_back(fmt::format("{}: {}", capture.where, note));
  read_sparse_points(transforms.points_path, files, capture);
  note_scaled_axes(frames, capture);
  std::ranges::copy(files.notes(capture.where), std::back_inserter(capture.notes));
  const fs::path listed = missing.empty() ? capture.folder : (capture.folder / missing.front()).parent_path();
  capture = check_images(std::move(capture), missing, listed, missing.empty() ? "" : files.nearest(missing.front()));
  add_pose_alternatives(capture);
  return capture;
}

}  // namespace p2mpp
