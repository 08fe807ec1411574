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
#include <tuple>
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
        "sensors of pictures need a processor with SSE 4.2, which this one lacks; enable none, "
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

// Returns a mesh as Embree and the laws of light need it.
DrawnMesh prepared(DrawnMesh mesh, bool mirrored) {
  const std::size_t vertices = mesh.positions.size() / 3;
  if (mesh.normals.size() != 3 * vertices) {
    mesh.normals.clear();
  }
  if (mesh.uvs.size() != 2 * vertices) {
    mesh.uvs.assign(2 * vertices, 0.5f);
  }
  // A mirror turns the side from which the corners of a triangle are counter-clockwise, and that is
  // the one which is drawn.
  for (std::size_t i = 0; mirrored && i + 2 < mesh.indices.size(); i += 3) {
    std::swap(mesh.indices[i + 1], mesh.indices[i + 2]);
  }
  // So that four numbers can be read at each vertex.
  mesh.positions.push_back(0.0f);
  if (!mesh.normals.empty()) {
    mesh.normals.push_back(0.0f);
  }
  return mesh;
}

std::vector<BottomScene::Facet> facets_of(const DrawnMesh& mesh) {
  std::vector<BottomScene::Facet> facets;
  facets.reserve(mesh.indices.size() / 3);
  for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3) {
    const auto edge = [&](std::size_t corner) {
      const float* const from = &mesh.positions[std::size_t{3} * mesh.indices[i]];
      const float* const to = &mesh.positions[std::size_t{3} * mesh.indices[i + corner]];
      return Float3{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    };
    // v points downwards in a picture.
    const auto in_picture = [&](std::size_t corner) {
      const float* const from = &mesh.uvs[std::size_t{2} * mesh.indices[i]];
      const float* const to = &mesh.uvs[std::size_t{2} * mesh.indices[i + corner]];
      return std::array{to[0] - from[0], (1.0f - to[1]) - (1.0f - from[1])};
    };
    const Float3 across = cross(edge(1), edge(2));
    const auto first = in_picture(1);
    const auto second = in_picture(2);
    facets.push_back(
        {across.x, across.y, across.z, std::abs(first[0] * second[1] - first[1] * second[0])});
  }
  return facets;
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

BottomScenes::BottomScenes(const std::vector<DrawnShape>& shapes, const BottomScenes* like)
    : size_(shapes.size()) {
  if (like != nullptr) {
    rtcRetainDevice(like->device());
    device_.reset(like->device());
  } else {
    device_.reset(rtcNewDevice(device_settings()));
  }
  check(device());
  std::map<std::pair<const DrawnMesh*, bool>, std::shared_ptr<const BottomScene>> known;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const DrawnShape& shape = shapes[s];
    if (!can_be_seen(shape)) {
      continue;
    }
    const Vec3 scale = scale_of(shape);
    const bool mirrored = scale.x * scale.y * scale.z < 0.0;
    std::shared_ptr<const BottomScene> primitive;
    std::shared_ptr<const BottomScene>& bottom =
        shape.form == DrawnShape::Form::Mesh ? known[{shape.mesh.get(), mirrored}] : primitive;
    if (bottom == nullptr) {
      bottom = of(shape, mirrored, like);
    }
    if (!bottom->mesh.indices.empty()) {
      seen_.push_back({bottom, scale, shape.ink, s});
    }
  }
}

BottomScenes::Key BottomScenes::key_of(const DrawnShape& shape, bool mirrored) {
  const bool is_capsule = shape.form == DrawnShape::Form::Capsule;
  return {shape.form,
          fineness_of(shape),
          {shape.icosahedron, shape.top, shape.side, shape.bottom},
          {is_capsule ? shape.radius : 0.0, is_capsule ? shape.height : 0.0},
          mirrored};
}

std::shared_ptr<const BottomScene> BottomScenes::of(const DrawnShape& shape, bool mirrored,
                                                    const BottomScenes* like) {
  if (shape.form != DrawnShape::Form::Mesh) {
    const Key key = key_of(shape, mirrored);
    std::shared_ptr<const BottomScene>& bottom = primitives_[key];
    if (const auto known = like != nullptr ? like->primitives_.find(key) : primitives_.end();
        bottom == nullptr && like != nullptr && known != like->primitives_.end()) {
      bottom = known->second;
    }
    if (bottom == nullptr) {
      bottom = make(prepared(tessellate(shape), mirrored), mirrored);
    }
    return bottom;
  }
  DrawnMesh mesh = prepared(*shape.mesh, mirrored);
  if (like != nullptr) {
    const auto known =
        std::find_if(like->meshes_.begin(), like->meshes_.end(), [&](const auto& other) {
          return other->mirrored == mirrored && other->mesh.positions == mesh.positions &&
                 other->mesh.indices == mesh.indices && other->mesh.normals == mesh.normals &&
                 other->mesh.uvs == mesh.uvs;
        });
    if (known != like->meshes_.end()) {
      return meshes_.emplace_back(*known);
    }
  }
  return meshes_.emplace_back(make(std::move(mesh), mirrored));
}

std::shared_ptr<const BottomScene> BottomScenes::make(DrawnMesh mesh_of_shape,
                                                      bool mirrored) const {
  auto bottom = std::make_shared<BottomScene>();
  bottom->mesh = std::move(mesh_of_shape);
  bottom->mirrored = mirrored;
  DrawnMesh& mesh = bottom->mesh;
  if (mesh.indices.empty()) {
    return bottom;
  }
  bottom->facets = facets_of(mesh);
  const std::size_t vertices = mesh.positions.size() / 3;
  const Owned<RTCGeometry> triangles(rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_TRIANGLE));
  rtcSetSharedGeometryBuffer(triangles.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                             mesh.positions.data(), 0, 3 * sizeof(float), vertices);
  rtcSetSharedGeometryBuffer(triangles.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                             mesh.indices.data(), 0, 3 * sizeof(std::uint32_t),
                             mesh.indices.size() / 3);
  rtcSetGeometryIntersectFilterFunction(triangles.get(), pass_through_back_faces);
  rtcCommitGeometry(triangles.get());
  bottom->scene.reset(rtcNewScene(device()));
  rtcSetSceneFlags(bottom->scene.get(),
                   RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
  rtcAttachGeometry(bottom->scene.get(), triangles.get());
  rtcCommitScene(bottom->scene.get());
  check(device());
  RTCBounds bounds;
  rtcGetSceneBounds(bottom->scene.get(), &bounds);
  bottom->low = {bounds.lower_x, bounds.lower_y, bounds.lower_z};
  bottom->high = {bounds.upper_x, bounds.upper_y, bounds.upper_z};
  const Vec3 middle = 0.5 * (bottom->low + bottom->high);
  for (const std::uint32_t corner : mesh.indices) {
    bottom->radius = std::max(bottom->radius, norm(bottom->point(corner) - middle));
  }
  return bottom;
}

bool is_beyond(const SeenShape& seen, const Pose& shape, const Pose& eye, double far) {
  if (!(far > 0.0 && std::isfinite(far))) {
    return false;
  }
  const Vec3 middle = 0.5 * scaled(seen.bottom->low + seen.bottom->high, seen.scale);
  const Vec3 half = 0.5 * scaled(seen.bottom->high - seen.bottom->low, seen.scale);
  const Vec3 to_middle = shape * middle - eye.translation;
  double depth = 0.0;
  const std::array<double, 3> place{to_middle.x, to_middle.y, to_middle.z};
  for (int i = 0; i < 3; ++i) {
    const double extent = std::abs(shape.rotation(i, 0) * half.x) +
                          std::abs(shape.rotation(i, 1) * half.y) +
                          std::abs(shape.rotation(i, 2) * half.z);
    depth += eye.rotation(i, 0) * place[i] - std::abs(eye.rotation(i, 0)) * extent;
  }
  return depth > far;
}

TopScene::TopScene(const BottomScenes& bottom, std::vector<unsigned> members)
    : bottom_(bottom),
      scene_(rtcNewScene(bottom.device())),
      members_(std::move(members)),
      placed_(bottom.seen().size()) {
  rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC |
                                     RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
  for (const unsigned member : members_) {
    Owned<RTCGeometry> instance(rtcNewGeometry(bottom.device(), RTC_GEOMETRY_TYPE_INSTANCE));
    rtcSetGeometryInstancedScene(instance.get(), bottom.seen()[member].bottom->scene.get());
    rtcAttachGeometryByID(scene_.get(), instance.get(), member);
    placed_[member].bottom = bottom.seen()[member].bottom.get();
    instances_.push_back(std::move(instance));
  }
  check(bottom.device());
}

void TopScene::place(const Pose& eye, std::span<const Pose> shapes) {
  const Pose to_eye = inverse(eye);
  bool changed = !is_committed_;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const SeenShape& seen = bottom_.seen()[members_[i]];
    Placed& placed = placed_[members_[i]];
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

// The distance to a triangle that Embree has found at `found`, by its plane.
double TopScene::exact_distance(const Placed& placed, unsigned triangle, const Vec3& direction,
                                double found) const {
  const BottomScene& bottom = *placed.bottom;
  const std::uint32_t* const corners = &bottom.mesh.indices[std::size_t{3} * triangle];
  const Vec3 a = bottom.point(corners[0]);
  const Vec3 normal = cross(bottom.point(corners[1]) - a, bottom.point(corners[2]) - a);
  const double exact = dot(normal, a - placed.origin) / dot(normal, placed.to_geometry * direction);
  // Embree meets the edge of a narrow triangle even where its plane is elsewhere.
  return std::abs(exact - found) <= 1e-3 * (1.0 + found) ? exact : found;
}

namespace {

using Packet = TopScene::Packet;
using Valid = std::array<int, TopScene::kPacket>;

void store_at(const Floats3& from, int first, float* x, float* y, float* z) {
  store(from.x, x + first);
  store(from.y, y + first);
  store(from.z, z + first);
}

// Sets what is alike for all rays.
void set_rays(RTCRay8& rays) {
  for (int i = 0; i < TopScene::kPacket; ++i) {
    rays.time[i] = 0.0f;
    rays.mask[i] = ~0u;
    rays.id[i] = static_cast<unsigned>(i);
    rays.flags[i] = 0;
  }
}

// Rays from the origin, which end at `far`.
void set_rays(const Packet& packet, const TopScene::OfRays<float>& far, RTCRayHit8& rays,
              Valid& valid) {
  set_rays(rays.ray);
  for (int i = 0; i < TopScene::kPacket; i += kLanes) {
    const Floats3 d = packet.directions(i);
    store_at(Floats3{}, i, rays.ray.org_x, rays.ray.org_y, rays.ray.org_z);
    store_at(d, i, rays.ray.dir_x, rays.ray.dir_y, rays.ray.dir_z);
    store(rounded(&packet.near[i]), rays.ray.tnear + i);
  }
  std::copy(far.begin(), far.end(), rays.ray.tfar);
  for (int i = 0; i < TopScene::kPacket; ++i) {
    valid[i] = packet.has(i) ? -1 : 0;
    rays.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
    rays.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
  }
}

// A context of Embree that says where its filter puts layers.
struct LayerContext {
  RTCIntersectContext context;  // must be first, because Embree knows only this part
  TopScene::OfRays<TopScene::Layers>* layers;
};

// Keeps each triangle that a ray meets, and lets the ray pass on.
void keep_layer(const RTCFilterFunctionNArguments* met) {
  auto& layers = *reinterpret_cast<const LayerContext*>(met->context)->layers;
  for (unsigned i = 0; i < met->N; ++i) {
    if (met->valid[i] == 0) {
      continue;
    }
    met->valid[i] = 0;
    layers[RTCRayN_id(met->ray, met->N, i)].add(
        {RTCHitN_instID(met->hit, met->N, i, 0), RTCHitN_primID(met->hit, met->N, i),
         RTCHitN_u(met->hit, met->N, i), RTCHitN_v(met->hit, met->N, i),
         RTCRayN_tfar(met->ray, met->N, i)});
  }
}

// Finds what the rays of a packet meet. Returns by bits which of them meet something.
unsigned intersect(RTCScene scene, const Packet& packet, RTCRayHit8& rays) {
  alignas(32) Valid valid;
  TopScene::OfRays<float> far;
  far.fill(static_cast<float>(packet.far));
  set_rays(packet, far, rays, valid);
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  rtcIntersect8(valid.data(), scene, &context, &rays);
  unsigned met = 0;
  for (int i = 0; i < TopScene::kPacket; ++i) {
    met |= rays.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID ? 1u << i : 0u;
  }
  return met;
}

}  // namespace

void TopScene::trace(const Packet& packet, Hits& hits) const {
  alignas(32) RTCRayHit8 rays;
  hits.met = intersect(scene_.get(), packet, rays);
  std::copy_n(rays.hit.instID[0], kPacket, hits.shape.begin());
  std::copy_n(rays.hit.primID, kPacket, hits.triangle.begin());
  std::copy_n(rays.hit.u, kPacket, hits.u.begin());
  std::copy_n(rays.hit.v, kPacket, hits.v.begin());
  std::copy_n(rays.ray.tfar, kPacket, hits.distance.begin());
}

void TopScene::measure(const Packet& packet, OfRays<double>& distances) const {
  alignas(32) RTCRayHit8 rays;
  const unsigned met = intersect(scene_.get(), packet, rays);
  distances.fill(std::numeric_limits<double>::infinity());
  for_each_lane(met, [&](int i) {
    distances[i] = exact_distance(placed_[rays.hit.instID[0][i]], rays.hit.primID[i],
                                  packet.direction(i), static_cast<double>(rays.ray.tfar[i]));
  });
}

// What is kept must not depend on the order in which Embree finds the triangles.
void TopScene::Layers::add(const Layer& layer) {
  if (count_ < kMost) {
    layers_[count_++] = layer;
    return;
  }
  const auto is_nearer = [](const Layer& a, const Layer& b) {
    return std::tuple(a.distance, a.shape, a.triangle) <
           std::tuple(b.distance, b.shape, b.triangle);
  };
  Layer& farthest = *std::max_element(layers_.begin(), layers_.end(), is_nearer);
  if (is_nearer(layer, farthest)) {
    farthest = layer;
  }
}

void TopScene::collect(const Packet& packet, const OfRays<float>& distances,
                       OfRays<Layers>& layers) const {
  alignas(32) RTCRayHit8 rays;
  alignas(32) Valid valid;
  set_rays(packet, distances, rays, valid);
  LayerContext context{{}, &layers};
  rtcInitIntersectContext(&context.context);
  context.context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  context.context.filter = keep_layer;
  rtcIntersect8(valid.data(), scene_.get(), &context.context, &rays);
}

unsigned TopScene::blocked(const Ways& ways) const {
  alignas(32) RTCRay8 rays;
  alignas(32) Valid valid;
  set_rays(rays);
  for (int part = 0; part < kParts; ++part) {
    const int i = part * kLanes;
    store_at(ways.from[part], i, rays.org_x, rays.org_y, rays.org_z);
    store_at(ways.direction[part], i, rays.dir_x, rays.dir_y, rays.dir_z);
    store(Floats{}, rays.tnear + i);
    store(ways.length[part], rays.tfar + i);
  }
  for (int i = 0; i < kPacket; ++i) {
    valid[i] = (ways.used >> i & 1u) != 0 ? -1 : 0;
  }
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  rtcOccluded8(valid.data(), scene_.get(), &context, &rays);
  unsigned found = 0;
  for (int i = 0; i < kPacket; ++i) {
    found |= valid[i] != 0 && rays.tfar[i] < 0.0f ? 1u << i : 0u;
  }
  return found;
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
