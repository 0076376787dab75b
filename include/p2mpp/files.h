#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/export.h"
#include "p2mpp/model.h"
#include "p2mpp/sample.h"
#include "p2mpp/surface.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct ReadOptions {
  /// Views or photographs to use, from 0, the first camera first. Empty: those of a numbered folder that the model was
  /// trained with, all of another sample's folder, or the best of a capture.
  std::vector<std::size_t> views = {};
  std::filesystem::path masks = {};  ///< a folder with a mask for each photograph of a capture; empty: found beside it
  CaptureCorrections corrections = {};
  /// Keep the masks of all photographs in Sample::fit_masks if a capture has more photographs than the network takes.
  bool keep_fit_masks = true;
  /// The surface that the mesh will have. A volume needs the masks of all views, also of a sample's folder.
  SurfaceChoice::Kind surface = SurfaceChoice::Kind::kAutomatic;
  int threads = 1;  ///< for captures
};

/// Reads a sample folder (images with cameras.json, cameras.txt or rendering_metadata.txt) or a capture (a COLMAP
/// model's folder, transforms.json or its folder), as `p2mpp predict` does. Throws InputError naming a missing or
/// malformed file, and UsageError for views that do not exist and for masks beside a sample's folder. Images with
/// camera rows are reduced to 2048 pixels a side. Thread-safe.
[[nodiscard]] P2MPP_EXPORT Sample read_sample(const std::filesystem::path& path, const ModelInfo& model,
                                              const ReadOptions& options = {});

class PhotographSource;  // image/photograph_source.h

/// A capture's sample, and its photographs for texture_mesh(). They are decoded when they are needed.
struct PhotographedSample {
  Sample sample;
  std::shared_ptr<const PhotographSource> photographs;  ///< null for a sample's folder, which has views only
};

/// As read_sample(). Thread-safe.
[[nodiscard]] P2MPP_EXPORT PhotographedSample read_photographed_sample(const std::filesystem::path& path,
                                                                       const ModelInfo& model,
                                                                       const ReadOptions& options = {});

/// Reads a PNG, JPEG (rotated as its EXIF says) or still WebP, recognised by its content. Throws InputError naming the
/// file if it is missing, damaged, truncated, larger than 16384 pixels a side or 64 megapixels, or of another format.
/// Thread-safe.
[[nodiscard]] P2MPP_EXPORT Image read_image(const std::filesystem::path& path);

/// Reads a mesh's vertices, and its triangles, normals, texture and colours if the file has them: .obj, .ply, .glb,
/// .gltf, .stl, .off, .xyz. Polygons are cut into triangles. The files of an OBJ's texture are read from its folder.
/// Throws InputError naming the file and the problem. Thread-safe.
[[nodiscard]] P2MPP_EXPORT TriangleMesh read_mesh(const std::filesystem::path& path);

/// Writes a mesh in the format of the file's extension: .obj, .xyz (vertices alone), .ply, .glb, .stl, .3mf or .usdz. The
/// file appears complete or not at all. Beside an OBJ with a texture appear its materials and its picture (NAME.mtl and
/// NAME_texture.png). `comment` is stored if the format has comments. Throws UsageError for another
/// extension, InputError if .glb, .stl, .3mf or .usdz would have no triangle, Error if the file cannot be written. Thread-safe.
P2MPP_EXPORT void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh,
                             const std::string& comment = {});

}  // namespace p2mpp
