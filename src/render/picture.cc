#include "render/picture.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "base/parallel.h"
#include "colours/mesh_colours.h"
#include "geometry/edge_uses.h"
#include "image/srgb.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"
#include "rays/ray_scene.h"
#include "render/shading.h"

namespace p2mpp {
namespace {

constexpr float kCreaseDegrees = 50;
constexpr float kOcclusionReach = 0.35F;  ///< of the box's diagonal: what is farther away darkens nothing
constexpr float kGroundShadow = 0.75F;    ///< the darkest that the ground becomes
constexpr double kFadingBorder = 0.05;    ///< of the picture's sides, where the shadow ends: no edge cuts it off

const PictureOptions& checked(const PictureOptions& options) {
  const auto require = [](bool fits, const char* name, int value, int low, int high) {
    if (!fits) throw UsageError(fmt::format("{} of a picture: {}; expected {} to {}", name, value, low, high));
  };
  for (const int side : {options.width, options.height}) {
    require(side >= kMinPictureSide && side <= kMaxPictureSide, "side", side, kMinPictureSide, kMaxPictureSide);
  }
  require(options.samples >= 1 && options.samples <= kMaxPictureSamples, "samples", options.samples, 1,
          kMaxPictureSamples);
  return options;
}

/// The contents of a pixel.
struct PixelContent {
  Eigen::Vector3f colour = Eigen::Vector3f::Zero();  // of the object, linear
  float cover = 0;                                   // share of the object
  float shadow = 0;                                  // darkness of the ground beside the object
};

/// Mixes in sRGB, as image viewers do, so that a transparent picture looks the same on white.
void put(const PixelContent& pixel, Background background, std::uint8_t* rgba) {
  const float shadow = (1 - pixel.cover) * pixel.shadow;
  const float alpha = pixel.cover + shadow;
  for (int channel = 0; channel < 3; ++channel) {
    const float colour = pixel.cover * static_cast<float>(srgb_from_linear(pixel.colour[channel]));
    const float value = background == Background::kWhite ? colour + 255 * (1 - alpha) : alpha > 0 ? colour / alpha : 0;
    rgba[channel] = static_cast<std::uint8_t>(std::lround(value));
  }
  rgba[3] = background == Background::kWhite ? 255 : static_cast<std::uint8_t>(std::lround(255 * alpha));
}

TriangleMesh drawable(const TriangleMesh& mesh) {
  require_drawing();
  check_drawable(mesh);
  return {mesh.vertices, wound_for_display(mesh)};
}

Shading resolved_shading(const TriangleMesh& mesh, Shading asked, bool has_other_colours) {
  if (asked == Shading::kSmooth || asked == Shading::kFlat) return asked;
  const bool has_own = has_texture(mesh) || has_colours(mesh);
  if (asked == Shading::kTextured && !has_own) {
    throw InputError("the mesh has neither a texture nor colours; expected one of them for textured pictures");
  }
  return has_own && !has_other_colours ? Shading::kTextured : Shading::kSmooth;
}

}  // namespace

void check_drawable(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) throw InputError("the mesh has no vertex; expected at least 1");
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (!mesh.vertices[v].allFinite()) {
      throw InputError(fmt::format("vertex {}, counted from 1, is not finite; expected finite coordinates", v + 1));
    }
    if (const float largest = mesh.vertices[v].cwiseAbs().maxCoeff(); largest > kLargestCoordinate) {
      throw InputError(fmt::format("vertex {}, counted from 1, has the coordinate {:g}; expected at most {:g}", v + 1,
                                   largest, kLargestCoordinate));
    }
  }
  const auto count = static_cast<std::int64_t>(mesh.vertices.size());
  for (const Triangle& triangle : mesh.triangles) {
    for (const std::int32_t vertex : triangle) {
      if (vertex < 0 || vertex >= count) {
        throw InputError(fmt::format("a triangle names vertex {}; expected 1 to {}", vertex + std::int64_t{1}, count));
      }
    }
  }
}

bool can_draw() { return !RayScene::tracer().empty(); }

void require_drawing() {
  if (can_draw()) return;
  throw Error(
      "this build cannot draw meshes: Embree was not found when it was configured; install libembree-dev, then "
      "configure and build again");
}

struct MeshPainter::Impl {
  // Precondition: options in range.
  Impl(const TriangleMesh& given, const PictureOptions& picture_options, const Points& vertex_colours);

  /// The light that comes along a ray, linear. `spacing`: between the rays of a picture, at the length of a direction.
  [[nodiscard]] Eigen::Vector3f find_light(const Ray& ray, const RayHit& hit, const Lights& lights,
                                           float spacing) const;
  [[nodiscard]] SurfacePoint surface_point(const Ray& ray, const RayHit& hit) const;
  [[nodiscard]] PixelContent mix(std::span<const Ray> rays, std::span<const RayHit> hits, const Lights& lights,
                                 float spacing) const;
  void paint_row(int row, const PictureCamera& camera, const PixelSamples& samples, const Lights& lights,
                 Image& image) const;
  [[nodiscard]] float ground_shadow(const PictureCamera& camera, double x, double y) const;

  PictureOptions options;
  TriangleMesh mesh;
  std::optional<MeshColours> own;
  Points normals;  // of corners; of a cloud, none
  Points colours;
  RayScene scene;
  std::vector<float> open_front;  // of vertices
  std::vector<float> open_back;   // of the other side; empty for a closed mesh, see below
  std::optional<GroundShadow> ground;
};

MeshPainter::Impl::Impl(const TriangleMesh& given, const PictureOptions& picture_options, const Points& vertex_colours)
    : options(picture_options), mesh(drawable(given)), colours(vertex_colours), scene(mesh, point_radius(mesh)) {
  const float reach = kOcclusionReach * object_size(mesh.vertices);
  if (options.ground) ground.emplace(scene, mesh.vertices, options.threads);
  if (resolved_shading(given, options.shading, !colours.empty()) == Shading::kTextured) {
    own.emplace(given, mesh.triangles);
    return;
  }
  if (mesh.triangles.empty()) return;
  normals = corner_normals(mesh, options.shading == Shading::kFlat ? 0 : kCreaseDegrees);
  Points vertex_normals = vertex_cloud(mesh).normals;
  open_front = sky_visibility(scene, mesh.vertices, vertex_normals, reach, options.threads);
  // The back of a closed mesh is visible only where it intersects itself. It counts as open there, because the
  // occlusion of its front says nothing about it.
  if (is_closed(mesh.triangles)) return;
  for (Eigen::Vector3f& normal : vertex_normals) normal = -normal;
  open_back = sky_visibility(scene, mesh.vertices, vertex_normals, reach, options.threads);
}

SurfacePoint MeshPainter::Impl::surface_point(const Ray& ray, const RayHit& hit) const {
  SurfacePoint point{.normal = {}, .to_viewer = -ray.direction.normalized(), .colour = kPlainColour};
  if (mesh.triangles.empty()) {
    const Eigen::Vector3f at = ray.origin + hit.distance * ray.direction;
    point.normal = (at - mesh.vertices[hit.primitive]).stableNormalized();
    if (!colours.empty()) point.colour = colours[hit.primitive];
    return point;
  }
  const Triangle& triangle = mesh.triangles[hit.primitive];
  const std::array<float, 3> weights = {1 - hit.u - hit.v, hit.u, hit.v};
  const auto vertex = [&](std::size_t i) { return static_cast<std::size_t>(triangle[i]); };
  const auto corner = [&](std::size_t i) -> const Eigen::Vector3f& { return mesh.vertices[vertex(i)]; };
  const bool from_behind = (corner(1) - corner(0)).cross(corner(2) - corner(0)).dot(ray.direction) > 0;
  const std::vector<float>& open = from_behind ? open_back : open_front;
  Eigen::Vector3f normal = Eigen::Vector3f::Zero(), colour = Eigen::Vector3f::Zero();
  point.sky_visibility = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    normal += weights[i] * normals[3 * hit.primitive + i];
    point.sky_visibility += weights[i] * (open.empty() ? 1 : open[vertex(i)]);
    if (!colours.empty()) colour += weights[i] * colours[vertex(i)];
  }
  point.normal = (from_behind ? -normal : normal).stableNormalized();
  if (!colours.empty()) point.colour = colour;
  return point;
}

Eigen::Vector3f MeshPainter::Impl::find_light(const Ray& ray, const RayHit& hit, const Lights& lights,
                                              float spacing) const {
  if (!own) return lights.shade(surface_point(ray, hit));
  if (mesh.triangles.empty()) return own->of_vertex(hit.primitive);
  return own->at(hit.primitive, {1 - hit.u - hit.v, hit.u, hit.v}, spacing * hit.distance);
}

/// Darkness of the ground at a position of the picture, x and y from 0 to 1.
float MeshPainter::Impl::ground_shadow(const PictureCamera& camera, double x, double y) const {
  const Eigen::Vector3f origin = camera.pose.origin.cast<float>(), direction = camera.direction(x, y);
  if (direction.y() >= 0 || origin.y() <= ground->height()) return 0;
  const Eigen::Vector3f at = origin + (ground->height() - origin.y()) / direction.y() * direction;
  const double from_border = std::min({x, y, 1 - x, 1 - y});
  return kGroundShadow * static_cast<float>(std::min(1.0, from_border / kFadingBorder)) * ground->at(at.x(), at.z());
}

PixelContent MeshPainter::Impl::mix(std::span<const Ray> rays, std::span<const RayHit> hits, const Lights& lights,
                                    float spacing) const {
  PixelContent pixel;
  int covered = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (!hits[i].hit()) continue;
    pixel.colour += find_light(rays[i], hits[i], lights, spacing);
    ++covered;
  }
  if (covered == 0) return pixel;
  pixel.colour /= static_cast<float>(covered);
  pixel.cover = static_cast<float>(covered) / static_cast<float>(options.samples);
  return pixel;
}

void MeshPainter::Impl::paint_row(int row, const PictureCamera& camera, const PixelSamples& samples,
                                  const Lights& lights, Image& image) const {
  // Not thread_local: that takes memory which the C library cannot do without.
  std::vector<Ray> rays;
  std::vector<RayHit> hits;
  samples.cast_row(row, rays);
  hits.resize(rays.size());
  scene.intersect(rays, hits);
  // Directions have the depth 1.
  const auto spacing = static_cast<float>(1 / (camera.focal_y * options.height * std::sqrt(options.samples)));
  std::uint8_t* out =
      &image.rgba[std::size_t{4} * static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width)];
  for (int column = 0; column < options.width; ++column, out += 4) {
    const auto [first, count] = samples.pixel_rays(row, column);
    PixelContent pixel = mix(std::span(rays).subspan(first, count), std::span<const RayHit>(hits).subspan(first, count),
                             lights, spacing);
    if (ground && pixel.cover < 1) {
      pixel.shadow = ground_shadow(camera, (column + 0.5) / options.width, (row + 0.5) / options.height);
    }
    put(pixel, options.background, out);
  }
}

MeshPainter::MeshPainter(const TriangleMesh& mesh, const PictureOptions& options, const Points& colours)
    : impl_(std::make_unique<Impl>(mesh, checked(options), colours)) {}
MeshPainter::MeshPainter(MeshPainter&&) noexcept = default;
MeshPainter::~MeshPainter() = default;

Image MeshPainter::paint(const PictureCamera& camera) const {
  const PictureOptions& options = impl_->options;
  Image image{options.width, options.height, {}};
  image.rgba.resize(std::size_t{4} * static_cast<std::size_t>(options.width) *
                    static_cast<std::size_t>(options.height));
  const PixelSamples samples(options.width, options.height, options.samples, impl_->mesh.vertices,
                             point_radius(impl_->mesh), camera);
  const Lights lights(camera.pose.rotation);
  for_each_task(static_cast<std::size_t>(options.height), options.threads,
                [&](std::size_t row) { impl_->paint_row(static_cast<int>(row), camera, samples, lights, image); });
  return image;
}

}  // namespace p2mpp
