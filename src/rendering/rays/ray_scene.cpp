// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/ray_scene.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rendering/rays/tessellation.h"

namespace servosim::rays {

namespace {

// Other instruction sets round differently, and so a ray through an edge may meet the other
// triangle. Embree would take the best set of each machine, and it refuses one that the processor
// does not have. Builds begin no threads of their own.
const char* device_settings() {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2")) {
    return "threads=1,isa=sse4.2,verbose=0";
  }
#endif
  return "threads=1,isa=avx2,verbose=0";
}

// This library is initialised after Embree, and so its static objects end before Embree's.
struct EndOfProcess {
  ~EndOfProcess() { is_here = true; }
  inline static bool is_here = false;
};
const EndOfProcess end_of_process;

void check(RTCDevice device) {
  const RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_OUT_OF_MEMORY) {
    throw std::bad_alloc();
  }
  if (error == RTC_ERROR_UNSUPPORTED_CPU) {
    throw std::runtime_error(
        "RangeFinders and Lidars need a processor with SSE 4.2, which this one lacks; enable none, "
        "or use another machine");
  }
  if (error != RTC_ERROR_NONE) {
    throw std::runtime_error("Embree reports error " + std::to_string(error));
  }
}

// Embree calls this for each triangle that a ray meets. Back faces are not drawn, so rays pass
// through them. Direction and normal are both in the frame of the geometry.
void pass_through_back_faces(const RTCFilterFunctionNArguments* met) {
  for (unsigned i = 0; i < met->N; ++i) {
    const float along = RTCRayN_dir_x(met->ray, met->N, i) * RTCHitN_Ng_x(met->hit, met->N, i) +
                        RTCRayN_dir_y(met->ray, met->N, i) * RTCHitN_Ng_y(met->hit, met->N, i) +
                        RTCRayN_dir_z(met->ray, met->N, i) * RTCHitN_Ng_z(met->hit, met->N, i);
    if (along >= 0.0f) {
      met->valid[i] = 0;
    }
  }
}

Vec3 point(const DrawnMesh& mesh, std::uint32_t number) {
  const float* const p = &mesh.positions[std::size_t{3} * number];
  return {p[0], p[1], p[2]};
}

bool can_be_seen(const DrawnShape& shape) {
  const Vec3 scale = scale_of(shape);
  const bool has_size = is_finite(scale) && scale.x * scale.y * scale.z != 0.0;
  return has_size && !(shape.opacity && *shape.opacity <= 0.0) &&
         (shape.form != DrawnShape::Form::Mesh || shape.mesh != nullptr);
}

}  // namespace

bool embree_is_gone() { return EndOfProcess::is_here; }

void keep_to_the_end(const void* object) {
  static auto* const kept = new std::vector<const void*>;  // static destructors do not end it
  kept->push_back(object);
}

BottomScenes::BottomScenes(const std::vector<DrawnShape>& shapes)
    : device_(rtcNewDevice(device_settings())), size_(shapes.size()) {
  check(device_.get());
  std::map<Key, std::shared_ptr<const BottomScene>> known;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const DrawnShape& shape = shapes[s];
    if (!can_be_seen(shape)) {
      continue;
    }
    const Vec3 scale = scale_of(shape);
    const bool mirrored = scale.x * scale.y * scale.z < 0.0;
    std::shared_ptr<const BottomScene>& bottom = known[key_of(shape, mirrored)];
    if (bottom == nullptr) {
      bottom = make(shape, mirrored);
    }
    if (!bottom->mesh.indices.empty()) {
      seen_.push_back({bottom, scale, s});
    }
  }
}

BottomScenes::Key BottomScenes::key_of(const DrawnShape& shape, bool mirrored) {
  const bool is_capsule = shape.form == DrawnShape::Form::Capsule;
  return {shape.form,
          fineness_of(shape),
          {shape.icosahedron, shape.top, shape.side, shape.bottom},
          {is_capsule ? shape.radius : 0.0, is_capsule ? shape.height : 0.0},
          shape.mesh.get(),
          mirrored};
}

std::shared_ptr<const BottomScene> BottomScenes::make(const DrawnShape& shape,
                                                      bool mirrored) const {
  auto bottom = std::make_shared<BottomScene>();
  DrawnMesh& mesh = bottom->mesh;
  if (shape.form == DrawnShape::Form::Mesh) {
    mesh.positions.reserve(shape.mesh->positions.size() + 1);
    mesh.positions = shape.mesh->positions;
    mesh.indices = shape.mesh->indices;
  } else {
    mesh = tessellate(shape);
  }
  const std::size_t vertices = mesh.positions.size() / 3;
  // A mirror turns the side from which the corners of a triangle are counter-clockwise, and that is
  // the one which is drawn.
  for (std::size_t i = 0; mirrored && i + 2 < mesh.indices.size(); i += 3) {
    std::swap(mesh.indices[i + 1], mesh.indices[i + 2]);
  }
  mesh.positions.push_back(0.0f);
  if (mesh.indices.empty()) {
    return bottom;
  }
  const Owned<RTCGeometry> triangles(rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_TRIANGLE));
  rtcSetSharedGeometryBuffer(triangles.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                             mesh.positions.data(), 0, 3 * sizeof(float), vertices);
  rtcSetSharedGeometryBuffer(triangles.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                             mesh.indices.data(), 0, 3 * sizeof(std::uint32_t),
                             mesh.indices.size() / 3);
  rtcSetGeometryIntersectFilterFunction(triangles.get(), pass_through_back_faces);
  rtcCommitGeometry(triangles.get());
  bottom->scene.reset(rtcNewScene(device()));
  rtcSetSceneFlags(bottom->scene.get(), RTC_SCENE_FLAG_ROBUST);
  rtcAttachGeometry(bottom->scene.get(), triangles.get());
  rtcCommitScene(bottom->scene.get());
  check(device());
  return bottom;
}

TopScene::TopScene(const BottomScenes& bottom)
    : bottom_(bottom), scene_(rtcNewScene(bottom.device())) {
  rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC);
  for (const SeenShape& seen : bottom.seen()) {
    Owned<RTCGeometry> instance(rtcNewGeometry(bottom.device(), RTC_GEOMETRY_TYPE_INSTANCE));
    rtcSetGeometryInstancedScene(instance.get(), seen.bottom->scene.get());
    rtcAttachGeometryByID(scene_.get(), instance.get(), static_cast<unsigned>(placed_.size()));
    instances_.push_back(std::move(instance));
    placed_.emplace_back().bottom = seen.bottom.get();
  }
  check(bottom.device());
}

void TopScene::place(const Pose& eye, std::span<const Pose> shapes) {
  const Pose to_eye = inverse(eye);
  bool changed = !is_committed_;
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const SeenShape& seen = bottom_.seen()[i];
    Placed& placed = placed_[i];
    const Pose pose = to_eye * shapes[seen.shape];
    const Vec3& scale = seen.scale;
    std::array<float, 12> transform;
    for (int row = 0; row < 3; ++row) {
      transform[row] = static_cast<float>(pose.rotation(row, 0) * scale.x);
      transform[3 + row] = static_cast<float>(pose.rotation(row, 1) * scale.y);
      transform[6 + row] = static_cast<float>(pose.rotation(row, 2) * scale.z);
    }
    transform[9] = static_cast<float>(pose.translation.x);
    transform[10] = static_cast<float>(pose.translation.y);
    transform[11] = static_cast<float>(pose.translation.z);
    const Pose back = inverse(pose);
    const Vec3 shrink{1.0 / scale.x, 1.0 / scale.y, 1.0 / scale.z};
    for (int column = 0; column < 3; ++column) {
      placed.to_geometry(0, column) = shrink.x * back.rotation(0, column);
      placed.to_geometry(1, column) = shrink.y * back.rotation(1, column);
      placed.to_geometry(2, column) = shrink.z * back.rotation(2, column);
    }
    placed.origin = scaled(back.translation, shrink);
    if (placed.transform != transform) {
      placed.transform = transform;
      rtcSetGeometryTransform(instances_[i].get(), 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR,
                              transform.data());
      rtcCommitGeometry(instances_[i].get());
      changed = true;
    }
  }
  if (changed) {
    rtcCommitScene(scene_.get());
    is_committed_ = true;
    check(bottom_.device());
  }
}

// The distance in double precision, which is the same on every machine. `found` is Embree's.
double TopScene::exact_distance(const Placed& placed, unsigned triangle, const Vec3& direction,
                                double found) const {
  const DrawnMesh& mesh = placed.bottom->mesh;
  const std::uint32_t* const corners = &mesh.indices[std::size_t{3} * triangle];
  const Vec3 a = point(mesh, corners[0]);
  const Vec3 normal = cross(point(mesh, corners[1]) - a, point(mesh, corners[2]) - a);
  const double exact = dot(normal, a - placed.origin) / dot(normal, placed.to_geometry * direction);
  // Embree meets the edge of a narrow triangle even where its plane is elsewhere.
  return std::abs(exact - found) <= 1e-3 * (1.0 + found) ? exact : found;
}

Vec3 TopScene::normal_of(const Hit& hit) const {
  const SeenShape& seen = bottom_.seen()[hit.shape];
  const DrawnMesh& mesh = seen.bottom->mesh;
  const std::uint32_t* const corners = &mesh.indices[std::size_t{3} * hit.triangle];
  const Vec3 a = point(mesh, corners[0]);
  const Vec3 across = cross(point(mesh, corners[1]) - a, point(mesh, corners[2]) - a);
  const Vec3& s = seen.scale;
  return unit_or({across.x / s.x, across.y / s.y, across.z / s.z}, {0.0, 0.0, 1.0});
}

void TopScene::trace(Packet& packet) const {
  alignas(32) RTCRayHit8 rays;
  alignas(32) std::array<int, kPacket> valid;
  for (int i = 0; i < kPacket; ++i) {
    const Vec3& direction = packet.directions[i];
    valid[i] = direction == Vec3{} ? 0 : -1;
    rays.ray.org_x[i] = rays.ray.org_y[i] = rays.ray.org_z[i] = 0.0f;
    rays.ray.dir_x[i] = static_cast<float>(direction.x);
    rays.ray.dir_y[i] = static_cast<float>(direction.y);
    rays.ray.dir_z[i] = static_cast<float>(direction.z);
    rays.ray.tnear[i] = static_cast<float>(packet.near[i]);
    rays.ray.tfar[i] = static_cast<float>(packet.far);
    rays.ray.time[i] = 0.0f;
    rays.ray.mask[i] = ~0u;
    rays.ray.flags[i] = 0;
    rays.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
    rays.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
  }
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  rtcIntersect8(valid.data(), scene_.get(), &context, &rays);
  for (int i = 0; i < kPacket; ++i) {
    if (valid[i] == 0 || rays.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID) {
      packet.distances[i] = std::numeric_limits<double>::infinity();
      continue;
    }
    const Hit& hit =
        packet.hits[i] = {rays.hit.instID[0][i], rays.hit.primID[i], rays.hit.u[i], rays.hit.v[i]};
    packet.distances[i] = exact_distance(placed_[hit.shape], hit.triangle, packet.directions[i],
                                         static_cast<double>(rays.ray.tfar[i]));
  }
}

#ifdef __SSE__
namespace {
constexpr unsigned kDenormalsAreZero = 0x8040;  // both bits of the processor's control register
}
WithoutDenormals::WithoutDenormals() : before_(_mm_getcsr()) {
  _mm_setcsr(before_ | kDenormalsAreZero);
}
WithoutDenormals::~WithoutDenormals() { _mm_setcsr(before_); }
#else
WithoutDenormals::WithoutDenormals() = default;
WithoutDenormals::~WithoutDenormals() = default;
#endif

}  // namespace servosim::rays
