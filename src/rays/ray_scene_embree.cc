#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <algorithm>
#include <array>
#include <string>

#include "p2mpp/error.h"
#include "rays/ray_scene.h"

namespace p2mpp {
namespace {

constexpr std::size_t kPacket = 8;  ///< rays traced together
struct alignas(64) Valid : std::array<int, kPacket> {};

// Embree 4 renamed the context of a query to its arguments.
#if RTC_VERSION_MAJOR >= 4
void intersect_packet(const Valid& valid, RTCScene scene, RTCRayHit8& packet) {
  RTCIntersectArguments arguments;
  rtcInitIntersectArguments(&arguments);
  arguments.flags = RTC_RAY_QUERY_FLAG_COHERENT;
  rtcIntersect8(valid.data(), scene, &packet, &arguments);
}

void occlude_packet(const Valid& valid, RTCScene scene, RTCRay8& packet) {
  RTCOccludedArguments arguments;
  rtcInitOccludedArguments(&arguments);
  rtcOccluded8(valid.data(), scene, &packet, &arguments);
}
#else
void intersect_packet(const Valid& valid, RTCScene scene, RTCRayHit8& packet) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  rtcIntersect8(valid.data(), scene, &context, &packet);
}

void occlude_packet(const Valid& valid, RTCScene scene, RTCRay8& packet) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded8(valid.data(), scene, &context, &packet);
}
#endif

std::string error_name(RTCError error) {
  if (error == RTC_ERROR_OUT_OF_MEMORY) return "out of memory";
  if (error == RTC_ERROR_UNSUPPORTED_CPU) return "this processor lacks SSE2, which it needs";
  return "error " + std::to_string(error);
}

class EmbreeDevice {
 public:
  // One thread, because the caller distributes the rays over its own threads.
  EmbreeDevice() : device_(rtcNewDevice("threads=1,set_affinity=0")) {
    if (device_ == nullptr) throw Error("Embree: cannot start: " + error_name(rtcGetDeviceError(nullptr)));
  }
  // Lives as long as the program: Embree never returns from releasing a device for which it got too little memory.
  ~EmbreeDevice() = default;
  EmbreeDevice(const EmbreeDevice&) = delete;
  EmbreeDevice& operator=(const EmbreeDevice&) = delete;

  [[nodiscard]] RTCDevice get() const { return device_; }

  void check(const char* what) const {
    const RTCError error = rtcGetDeviceError(device_);
    if (error == RTC_ERROR_NONE) return;
    throw Error(std::string("Embree: ") + what + ": " + error_name(error));
  }

 private:
  RTCDevice device_;
};

const EmbreeDevice& device() {
  static const EmbreeDevice the_device;
  return the_device;
}

template <typename Element>
Element* new_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, std::size_t count) {
  void* buffer = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(Element), count);
  if (buffer == nullptr) throw Error("Embree: out of memory for a mesh");
  return static_cast<Element*>(buffer);
}

class Geometry {
 public:
  explicit Geometry(RTCGeometryType type) : geometry_(rtcNewGeometry(device().get(), type)) {}
  ~Geometry() { rtcReleaseGeometry(geometry_); }
  Geometry(const Geometry&) = delete;
  Geometry& operator=(const Geometry&) = delete;

  void set_triangles(const TriangleMesh& mesh) {
    auto* vertices =
        new_buffer<Eigen::Vector3f>(geometry_, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, mesh.vertices.size());
    std::ranges::copy(mesh.vertices, vertices);
    auto* triangles = new_buffer<Triangle>(geometry_, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, mesh.triangles.size());
    std::ranges::copy(mesh.triangles, triangles);
  }

  void set_spheres(const Points& centres, float radius) {
    auto* spheres =
        new_buffer<std::array<float, 4>>(geometry_, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, centres.size());
    for (std::size_t i = 0; i < centres.size(); ++i)
      spheres[i] = {centres[i].x(), centres[i].y(), centres[i].z(), radius};
  }

  void attach(RTCScene scene) {
    rtcCommitGeometry(geometry_);
    rtcAttachGeometry(scene, geometry_);
  }

 private:
  RTCGeometry geometry_;
};

void put(const Ray& ray, RTCRay8& packet, std::size_t i) {
  packet.org_x[i] = ray.origin.x();
  packet.org_y[i] = ray.origin.y();
  packet.org_z[i] = ray.origin.z();
  packet.dir_x[i] = ray.direction.x();
  packet.dir_y[i] = ray.direction.y();
  packet.dir_z[i] = ray.direction.z();
  packet.tnear[i] = 0;
  packet.tfar[i] = ray.reach;
  packet.time[i] = 0;
  packet.mask[i] = 0xFFFFFFFF;
  packet.id[i] = 0;
  packet.flags[i] = 0;
}

Valid first_lanes(std::size_t count) {
  Valid valid{};
  std::fill_n(valid.begin(), std::min(count, kPacket), -1);
  return valid;
}

}  // namespace

struct RayScene::Impl {
  RTCScene scene = rtcNewScene(device().get());

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { rtcReleaseScene(scene); }
};

RayScene::RayScene(const TriangleMesh& mesh, float point_radius) : impl_(std::make_unique<Impl>()) {
  // Robust mode: no ray passes between two adjacent triangles.
  rtcSetSceneFlags(impl_->scene, RTC_SCENE_FLAG_ROBUST);
  const bool is_cloud = mesh.triangles.empty();
  Geometry geometry(is_cloud ? RTC_GEOMETRY_TYPE_SPHERE_POINT : RTC_GEOMETRY_TYPE_TRIANGLE);
  if (is_cloud) {
    geometry.set_spheres(mesh.vertices, point_radius);
  } else {
    geometry.set_triangles(mesh);
  }
  geometry.attach(impl_->scene);
  rtcCommitScene(impl_->scene);
  device().check("a mesh cannot be traced");
}

RayScene::RayScene(RayScene&&) noexcept = default;
RayScene& RayScene::operator=(RayScene&&) noexcept = default;
RayScene::~RayScene() = default;

void RayScene::intersect(std::span<const Ray> rays, std::span<RayHit> hits) const {
  for (std::size_t first = 0; first < rays.size(); first += kPacket) {
    alignas(64) RTCRayHit8 packet;
    const std::size_t count = std::min(kPacket, rays.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      put(rays[first + i], packet.ray, i);
      packet.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
      packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    intersect_packet(first_lanes(count), impl_->scene, packet);
    for (std::size_t i = 0; i < count; ++i) {
      if (packet.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID) {
        hits[first + i] = {};
      } else {
        hits[first + i] = {packet.hit.primID[i], packet.ray.tfar[i], packet.hit.u[i], packet.hit.v[i]};
      }
    }
  }
}

void RayScene::find_blocked(std::span<const Ray> rays, std::span<std::uint8_t> blocked) const {
  for (std::size_t first = 0; first < rays.size(); first += kPacket) {
    alignas(64) RTCRay8 packet;
    const std::size_t count = std::min(kPacket, rays.size() - first);
    for (std::size_t i = 0; i < count; ++i) put(rays[first + i], packet, i);
    occlude_packet(first_lanes(count), impl_->scene, packet);
    // Embree sets the reach of a blocked ray to minus infinity.
    for (std::size_t i = 0; i < count; ++i) blocked[first + i] = packet.tfar[i] < 0 ? 1 : 0;
  }
}

std::size_t RayScene::count_blocked(std::span<const Ray> rays) const {
  std::array<std::uint8_t, 128> blocked;
  std::size_t count = 0;
  for (std::size_t first = 0; first < rays.size(); first += blocked.size()) {
    const std::span<const Ray> some = rays.subspan(first, std::min(blocked.size(), rays.size() - first));
    find_blocked(some, blocked);
    count += static_cast<std::size_t>(std::count(blocked.begin(), blocked.begin() + some.size(), 1));
  }
  return count;
}

std::string_view RayScene::tracer() { return "Embree " RTC_VERSION_STRING; }

}  // namespace p2mpp
