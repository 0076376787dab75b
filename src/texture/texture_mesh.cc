#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "geometry/points.h"
#include "image/srgb.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "p2mpp/texture.h"
#include "texture/chart_layout.h"
#include "texture/painted_surface.h"
#include "texture/texel_painting.h"
#include "texture/view_blending.h"

namespace p2mpp {
namespace {

constexpr int kSmallestAutomatic = 1024, kLargestAutomatic = 4096;
constexpr std::size_t kMostPhotographs = 65'535;

void check(const TriangleMesh& mesh, const TextureOptions& options) {
  if (!can_texture()) {
    throw Error(
        "this build cannot make textures: Embree was not found when it was configured; install libembree-dev, then "
        "configure and build again");
  }
  const bool is_size = std::has_single_bit(static_cast<unsigned>(std::max(options.size, 0))) &&
                       options.size >= kLeastTextureSize && options.size <= kMostTextureSize;
  if (options.size != 0 && !is_size) {
    throw UsageError(fmt::format("a texture of {} texels a side; expected a power of two from {} to {}", options.size,
                                 kLeastTextureSize, kMostTextureSize));
  }
  if (mesh.triangles.empty()) throw InputError("the mesh has no triangle; expected some to be coloured");
  for (const Eigen::Vector3f& vertex : mesh.vertices) {
    if (!vertex.allFinite()) throw InputError("a vertex of the mesh is not finite; expected finite coordinates");
  }
  const auto count = static_cast<std::int64_t>(mesh.vertices.size());
  for (const Triangle& triangle : mesh.triangles) {
    for (const std::int32_t vertex : triangle) {
      if (vertex < 0 || vertex >= count) {
        throw InputError(fmt::format("a triangle names vertex {}; expected 1 to {}", vertex + std::int64_t{1}, count));
      }
    }
  }
  if (!options.keep_uv || options.of_vertices) return;
  if (!mesh.texture || mesh.texture->corners.size() != mesh.triangles.size()) {
    throw InputError("the mesh has no texture coordinates to keep; expected a mesh with UVs");
  }
  for (const auto& corners : mesh.texture->corners) {
    for (const Eigen::Vector2f& uv : corners) {
      if (uv.minCoeff() >= 0 && uv.maxCoeff() <= 1) continue;
      throw InputError(fmt::format("a texture coordinate is {:g},{:g}; expected 0 to 1", uv.x(), uv.y()));
    }
  }
}

Eigen::Vector3d box_middle(const Points& points) { return box_of(points).cast<double>().center(); }

/// Pixels of the photographs for a unit of the world, at the surface's middle: the median.
double usual_density(const PhotographSource& source, const Eigen::Vector3d& middle) {
  std::vector<double> densities;
  for (const SourcePhotograph& photograph : source.photographs()) {
    if (const double density = pixels_per_unit(photograph, middle); density > 0) densities.push_back(density);
  }
  if (densities.empty()) return 0;
  std::ranges::sort(densities);
  return densities[densities.size() / 2];
}

int automatic_size(const PaintedSurface& surface, const PhotographSource& source) {
  constexpr double kShown = 0.8;  // a surface is seen at an angle; charts do not fill the texture: together about this
  const double density = usual_density(source, box_middle(surface.vertices));
  const double side = std::sqrt(kShown * surface.area()) * density;
  int size = kSmallestAutomatic;
  while (size < side && size < kLargestAutomatic) size *= 2;
  return size;
}

double mean_texel_edge(const PaintedSurface& surface) {
  double sum = 0, count = 0;
  for (const Texels& at : surface.texels) {
    for (std::size_t i = 0; i < 3; ++i) sum += (at[(i + 1) % 3] - at[i]).norm();
    count += 3;
  }
  return count > 0 ? sum / count : 0;
}

double mean_edge(const PaintedSurface& surface) {
  double sum = 0, count = 0;
  for (std::size_t face = 0; face < surface.triangles.size(); ++face) {
    for (std::size_t i = 0; i < 3; ++i) sum += (surface.corner(face, (i + 1) % 3) - surface.corner(face, i)).norm();
    count += 3;
  }
  return count > 0 ? sum / count : 0;
}

double texels_per_unit(const PaintedSurface& surface) {
  double area = 0;
  for (const Texels& at : surface.texels) {
    const Eigen::Vector2f b = at[1] - at[0], c = at[2] - at[0];
    area += std::abs(b.x() * c.y() - b.y() * c.x()) / 2;
  }
  const double surface_area = surface.area();
  return surface_area > 0 ? std::sqrt(area / surface_area) : 0;
}

/// What the photographs show of a surface.
struct Seen {
  std::vector<TextureView> views;
  FaceViews faces;
};

Seen look(const PaintedSurface& surface, const PhotographSource& source, double per_unit,
          const TextureOptions& options) {
  const std::size_t count = std::min(source.photographs().size(), kMostPhotographs);
  const RayScene scene({surface.vertices, surface.triangles}, 0);
  const Eigen::Vector3d middle = box_middle(surface.vertices);
  Seen seen{{}, FaceViews(surface.triangles.size())};
  seen.views.reserve(count);
  const auto together = static_cast<std::size_t>(std::max(options.threads, 1));
  for (std::size_t first = 0; first < count; first += together) {
    const std::size_t some = std::min(together, count - first);
    std::vector<std::optional<TextureView>> views(some);
    std::vector<std::vector<SeenFace>> faces(some);
    for_each_task(some, options.threads, [&](std::size_t i) {
      const DecodedSource decoded = source.decode(first + i);
      views[i].emplace(source.photographs()[first + i], decoded, middle, per_unit);
      faces[i] = seen_faces(surface, scene, *views[i], static_cast<std::uint16_t>(first + i));
    });
    for (std::size_t i = 0; i < some; ++i) {
      seen.views.push_back(*std::move(views[i]));
      for (const SeenFace& face : faces[i]) seen.faces.add(face.face, face.view);
    }
    if (options.on_progress) options.on_progress(first + some, count);
  }
  leave_out_weak(seen.faces);
  return seen;
}

/// Photographs that are less sharp than most count less.
void weigh_by_sharpness(Seen& seen) {
  std::vector<double> known;
  for (const TextureView& view : seen.views) {
    if (view.sharpness() > 0) known.push_back(view.sharpness());
  }
  if (known.empty()) return;
  std::ranges::sort(known);
  const double median = known[known.size() / 2];
  constexpr double kLeastWeight = 0.1;
  for (std::size_t face = 0; face < seen.faces.size(); ++face) {
    for (FaceView& each : seen.faces.of(face)) {
      const double sharpness = seen.views[each.view].sharpness();
      if (!(sharpness > 0)) continue;
      each.quality *= static_cast<float>(std::clamp(std::sqrt(sharpness / median), kLeastWeight, 1.0));
    }
  }
}

/// Linear colours of vertices.
struct VertexColours {
  std::vector<Eigen::Array3f> colours;
  std::vector<bool> known;
};

/// The colour of each vertex from every photograph that shows a triangle around it, the better ones more.
VertexColours colours_at(const PaintedSurface& surface, const Seen& seen, const std::vector<ColourBalance>& balances) {
  VertexColours result{std::vector<Eigen::Array3f>(surface.vertices.size(), Eigen::Array3f::Zero()),
                       std::vector<bool>(surface.vertices.size())};
  for (std::size_t vertex = 0; vertex < surface.vertices.size(); ++vertex) {
    float sum = 0;
    for (const std::uint32_t face : surface.faces_of.of(vertex)) {
      for (const FaceView& each : seen.faces.of(face)) {
        if (!(each.quality > 0)) continue;
        const auto pixel = seen.views[each.view].pixel_of(surface.vertices[vertex].cast<double>());
        const SeenColour colour = pixel ? seen.views[each.view].at(*pixel) : SeenColour{};
        if (!colour.is_valid) continue;
        result.colours[vertex] += each.quality * balances[each.view].applied(colour.colour).array();
        sum += each.quality;
      }
    }
    result.known[vertex] = sum > 0;
    if (sum > 0) result.colours[vertex] /= sum;
  }
  return result;
}

Colour srgb(const Eigen::Array3f& linear) {
  return {srgb_from_linear(linear[0]), srgb_from_linear(linear[1]), srgb_from_linear(linear[2])};
}

/// Sets what is seen at all; throws if that is nothing.
void count_seen(const PaintedSurface& surface, const Seen& seen, TextureFigures& figures) {
  std::vector<bool> is_used(seen.views.size());
  double unseen = 0;
  for (std::size_t face = 0; face < seen.faces.size(); ++face) {
    bool is_seen = false;
    for (const FaceView& view : seen.faces.of(face)) {
      if (!(view.quality > 0)) continue;
      is_used[view.view] = true;
      is_seen = true;
    }
    if (!is_seen) unseen += surface.areas[face];
  }
  figures.photographs = static_cast<std::size_t>(std::ranges::count(is_used, true));
  if (figures.photographs == 0) {
    throw InputError(
        "no photograph shows the mesh; expected a mesh at the object's place, in the frame of the cameras");
  }
  const double area = surface.area();
  figures.unseen = area > 0 ? unseen / area : 0;
}

/// Also of what no photograph shows.
std::vector<Eigen::Array3f> all_colours(const PaintedSurface& surface, const Seen& seen,
                                        const std::vector<ColourBalance>& balances, bool fill_unseen) {
  VertexColours vertices = colours_at(surface, seen, balances);
  diffuse_colours(surface, vertices.known, vertices.colours);
  if (!fill_unseen) mark_unknown(surface, vertices.known, vertices.colours);
  return std::move(vertices.colours);
}

void colour_vertices(const WeldedSurface& welded, bool fill_unseen, Seen& seen, TriangleMesh& mesh) {
  const PaintedSurface& surface = welded.surface;
  const std::vector<ColourBalance> balances = balance_colours(surface, seen.faces, seen.views.size());
  drop_outliers(surface, balances, seen.faces);
  const std::vector<Eigen::Array3f> colours = all_colours(surface, seen, balances, fill_unseen);
  mesh.texture = nullptr;
  mesh.colours.clear();
  mesh.colours.reserve(mesh.vertices.size());
  for (const std::int32_t vertex : welded.vertex_of) {
    mesh.colours.push_back(srgb(colours[static_cast<std::size_t>(vertex)]));
  }
}

/// Texels of the mesh's own layout, or of a new one. Returns the number of charts.
std::size_t set_texels(const TriangleMesh& mesh, const TextureOptions& options, int size, PaintedSurface& surface) {
  if (!options.keep_uv) {
    ChartLayout layout = lay_out(surface, size);
    surface.texels = std::move(layout.texels);
    return layout.charts;
  }
  surface.texels.clear();
  for (const auto& corners : mesh.texture->corners) {
    Texels& at = surface.texels.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) at[i] = static_cast<float>(size) * corners[i];
  }
  return 0;
}

/// Large triangles in parts, so that each has its own photographs.
PaintedSurface fine_enough(PaintedSurface surface) {
  constexpr double kLargeEdge = 24;  // texels
  constexpr std::size_t kMostFaces = 400'000;
  while (mean_texel_edge(surface) > kLargeEdge && 4 * surface.triangles.size() <= kMostFaces) {
    surface = subdivided(surface);
  }
  return surface;
}

Image paint(const PaintedSurface& surface, Seen& seen, int size, const TextureOptions& options) {
  const std::vector<ColourBalance> balances = balance_colours(surface, seen.faces, seen.views.size());
  drop_outliers(surface, balances, seen.faces);
  constexpr double kLongest = 12;
  constexpr double kFollowed = 12;  // texels over which colours follow the mean of all photographs
  const double edge = std::max(mean_texel_edge(surface), 1.0), edges = options.blend_texels / edge;
  const auto rounds = static_cast<int>(std::lround(std::clamp(edges, 1.0, kLongest)));
  VertexViews blend = blend_views(surface, seen.faces, balances, rounds);
  level_seams(surface, seen.faces, balances, static_cast<float>(kFollowed / edge), blend);
  const std::vector<Eigen::Array3f> colours = all_colours(surface, seen, balances, options.fill_unseen);
  Image texture = paint_texels({surface, seen.views, seen.faces, balances, blend, colours}, size, options.threads);
  fill_gaps(texture);
  return texture;
}

}  // namespace

bool can_texture() { return !RayScene::tracer().empty(); }

int automatic_texture_size(const TriangleMesh& mesh, const PhotographSource& source) {
  check(mesh, {});
  return automatic_size(find_painted_surface(mesh).surface, source);
}

TexturedMesh texture_mesh(TriangleMesh mesh, const PhotographSource& source, const TextureOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  check(mesh, options);
  WeldedSurface welded = find_painted_surface(mesh);
  TexturedMesh result;
  if (options.of_vertices) {
    constexpr double kPixelsAnEdge = 2;
    const double edge = mean_edge(welded.surface);
    Seen seen = look(welded.surface, source, edge > 0 ? kPixelsAnEdge / edge : 0, options);
    count_seen(welded.surface, seen, result);
    weigh_by_sharpness(seen);
    colour_vertices(welded, options.fill_unseen, seen, mesh);
  } else {
    result.size = options.size > 0 ? options.size : automatic_size(welded.surface, source);
    result.charts = set_texels(mesh, options, result.size, welded.surface);
    auto texture = std::make_shared<MeshTexture>();
    for (const Texels& at : welded.surface.texels) {
      auto& corners = texture->corners.emplace_back();
      for (std::size_t i = 0; i < 3; ++i) corners[i] = at[i] / static_cast<float>(result.size);
    }
    const PaintedSurface surface = fine_enough(std::move(welded.surface));
    Seen seen = look(surface, source, texels_per_unit(surface), options);
    count_seen(surface, seen, result);
    weigh_by_sharpness(seen);
    texture->image = paint(surface, seen, result.size, options);
    mesh.texture = std::move(texture);
    mesh.colours.clear();
  }
  result.mesh = std::move(mesh);
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace p2mpp
