#include "cameras/colmap/colmap_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/input_file.h"
#include "base/text.h"
#include "cameras/colmap/colmap_model.h"
#include "cameras/named_files.h"
#include "cameras/parsing/left_out.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

struct ModelFolder {
  fs::path model;
  bool binary = false;
  std::uintmax_t bytes = 0;  ///< of the images' file
};

std::optional<ModelFolder> model_in(const SearchedPath& path, const fs::path& folder) {
  for (const bool binary : {true, false}) {
    const char* const extension = binary ? ".bin" : ".txt";
    const fs::path images = folder / fmt::format("images{}", extension);
    if (!path.has(images) || !path.has(folder / fmt::format("cameras{}", extension))) continue;
    return ModelFolder{folder.empty() ? path.path() : path.path() / folder, binary, file_bytes(path.path() / images)};
  }
  return std::nullopt;
}

/// The models in folders whose names are numbers, as COLMAP's mapper makes them; the largest first.
std::vector<ModelFolder> models_below(const SearchedPath& path, const std::string& folder) {
  std::vector<ModelFolder> found;
  for (const FolderEntry& entry : path.entries(folder)) {
    if (entry.name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (std::optional<ModelFolder> model = model_in(path, fs::path(folder) / entry.name)) {
      found.push_back(*std::move(model));
    }
  }
  std::ranges::sort(found, [](const ModelFolder& a, const ModelFolder& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : natural_less(a.model.native(), b.model.native());
  });
  return found;
}

fs::path model_file(const ColmapFolder& folder, const char* stem) {
  return folder.model / fmt::format("{}{}", stem, folder.binary ? ".bin" : ".txt");
}

/// The file of the model with that name, in the model's format.
template <typename Binary, typename Text>
auto parse_model_file(const ColmapFolder& folder, const char* stem, const Binary& binary, const Text& text) {
  const fs::path path = model_file(folder, stem);
  const std::string bytes = read_file(path, kMaxColmapFileBytes);
  return folder.binary ? binary(bytes, display(path)) : text(bytes, display(path));
}

/// The points help to find the object, and are not needed. A model of known poses that was never triangulated may have
/// none.
void read_points(const ColmapFolder& folder, Capture& capture) {
  if (!is_file(model_file(folder, "points3D"))) return;
  try {
    capture.points = parse_model_file(folder, "points3D", parse_points3d_bin, parse_points3d_txt);
  } catch (const InputError& error) {
    capture.notes.push_back(fmt::format("{}; the points are left out", error.what()));
  }
}

/// Where photographs may be: COLMAP's own layouts are PROJECT/images with PROJECT/sparse/0, and dense/images with
/// dense/sparse.
std::vector<fs::path> image_folders(const ColmapFolder& folder) {
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& path) {
    for (const fs::path& candidate : {path / "images", path}) {
      if (std::ranges::find(folders, candidate) == folders.end()) folders.push_back(candidate);
    }
  };
  add(folder.root);
  const fs::path model = fs::absolute(folder.model).lexically_normal();
  const fs::path full = model.has_filename() ? model : model.parent_path();
  add(full.parent_path());
  add(full.parent_path().parent_path());
  return folders;
}

/// The folder with the most of the photographs under their exact names.
fs::path image_folder(const ColmapFolder& folder, const std::vector<ColmapImage>& images) {
  fs::path best = image_folders(folder).front();
  std::ptrdiff_t most = 0;
  for (const fs::path& candidate : image_folders(folder)) {
    const auto count =
        std::ranges::count_if(images, [&](const ColmapImage& image) { return is_file(candidate / image.name); });
    if (count <= most) continue;
    most = count;
    best = candidate;
  }
  return best;
}

/// Other forms of names are looked for in the capture: PROJECT of PROJECT/sparse/0, or else the path that was given.
std::vector<fs::path> map_places(const ColmapFolder& folder) {
  const fs::path model = fs::absolute(folder.model).lexically_normal();
  const fs::path full = model.has_filename() ? model : model.parent_path();
  const fs::path parent = full.parent_path();
  if (parent.filename() == "sparse") return {folder.root, parent.parent_path()};
  if (full.filename() == "sparse") return {folder.root, parent};
  return {folder.root};
}

Photograph make_photograph(const ColmapImage& image, const ColmapCameras& cameras, const fs::path& cameras_file) {
  if (!image.refusal.empty()) throw InputError(image.refusal);
  check_inside(image.name, image.where);
  const auto camera = cameras.find(image.camera);
  if (camera == cameras.end()) {
    throw InputError(fmt::format("{}: image '{}' has camera {}, which {} lacks; expected one of its {}", image.where,
                                 printable(image.name), image.camera, display(cameras_file.filename()),
                                 cameras.size()));
  }
  if (!camera->second.refusal.empty()) throw InputError(camera->second.refusal);
  return {.image = {},
          .mask = {},
          .lens = camera->second.lens,
          .width = camera->second.width,
          .height = camera->second.height,
          .cam_from_source = image.cam_from_source,
          .name = image.name,
          .lens_name = std::string(camera->second.model)};
}

[[noreturn]] void refuse_without_photographs(const ColmapFolder& folder, const std::vector<ColmapImage>& images,
                                             NamedFiles& files) {
  throw InputError(
      fmt::format("{}: none of its {} photographs ({}) is in {} or beside it; expected them there, or "
                  "--photographs FOLDER{}",
                  display(folder.model), images.size(), printable(images.front().name), display(folder.root / "images"),
                  files.nearest(images.front().name)));
}

}  // namespace

std::optional<ColmapFolder> find_colmap(const SearchedPath& path) {
  for (const char* folder : {"", "sparse"}) {
    if (const std::optional<ModelFolder> found = model_in(path, folder)) {
      return ColmapFolder{path.path(), found->model, found->binary, 1};
    }
  }
  for (const char* folder : {"sparse", ""}) {
    const std::vector<ModelFolder> models = models_below(path, folder);
    if (models.empty()) continue;
    return ColmapFolder{path.path(), models.front().model, models.front().binary, models.size()};
  }
  return std::nullopt;
}

std::optional<ColmapFolder> find_colmap_below(const fs::path& path) {
  constexpr std::size_t kMostFolders = 64;
  std::vector<fs::path> folders = {path};
  std::optional<ColmapFolder> only;
  std::size_t first = 0;
  for (int level = 1; level <= 2; ++level) {
    const std::size_t last = folders.size();
    for (; first < last; ++first) {
      for (const FolderEntry& entry : list_folder(folders[first])) {
        if (!entry.is_folder || entry.is_link || entry.name.starts_with('.')) continue;
        folders.push_back(folders[first] / entry.name);
        if (folders.size() > kMostFolders) return std::nullopt;
      }
    }
    for (std::size_t i = last; i < folders.size(); ++i) {
      std::optional<ColmapFolder> found = find_colmap(SearchedPath(folders[i]));
      if (!found) continue;
      if (only && only->model != found->model) return std::nullopt;
      only = std::move(found);
      only->root = path;
    }
  }
  return only;
}

Capture read_colmap(const ColmapFolder& folder, const fs::path& images_given) {
  const ColmapCameras cameras = parse_model_file(folder, "cameras", parse_cameras_bin, parse_cameras_txt);
  const fs::path cameras_file = model_file(folder, "cameras");
  if (cameras.empty()) throw InputError(fmt::format("{}: has no camera; expected at least one", display(cameras_file)));
  const std::vector<ColmapImage> images = parse_model_file(folder, "images", parse_images_bin, parse_images_txt);
  const std::string where = display(folder.model);
  Capture capture;
  capture.kind = fmt::format("COLMAP model, {}", folder.binary ? "binary" : "text");
  capture.where = where;
  read_points(folder, capture);
  capture.folder = folder.root;
  const fs::path below = !images_given.empty() ? images_given : image_folder(folder, images);
  NamedFiles files(below, !images_given.empty() ? std::vector<fs::path>() : map_places(folder));
  std::vector<std::string> missing;
  LeftOut left_out;
  for (const ColmapImage& image : images) {
    left_out.read([&] {
      Photograph photograph = make_photograph(image, cameras, cameras_file);
      photograph.image = files.find(image.name);
      if (photograph.image.empty()) {
        missing.push_back((below / image.name).lexically_normal().string());
      } else {
        capture.photographs.push_back(std::move(photograph));
      }
    });
  }
  for (const std::string& note : left_out.notes(where, capture.photographs.size() + missing.size())) {
    capture.notes.push_back(fmt::format("{}: {}", where, note));
  }
  if (capture.photographs.empty() && !images.empty()) refuse_without_photographs(folder, images, files);
  std::ranges::copy(files.notes(where), std::back_inserter(capture.notes));
  if (folder.model_count > 1) {
    capture.notes.push_back(fmt::format(
        "{}: this is the largest of {} models, because COLMAP could not connect all photographs; to read another "
        "model, name its folder",
        where, folder.model_count));
  }
  capture = check_images(std::move(capture), missing, below, missing.empty() ? "" : files.nearest(images.front().name));
  add_pose_alternatives(capture);
  return capture;
}

}  // namespace p2mpp
