// SPDX-License-Identifier: Apache-2.0
// Webots' rules of WbObjectDetection, as far as they are known.
#include "devices/object_search.h"

#include <array>
#include <span>

#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

ObjectSearch::ObjectSearch(const Scene& scene, PhysicsWorld& physics, Sight& sight, int sensor,
                           const Pose& eye)
    : scene_(scene), physics_(physics), sight_(sight), sensor_(sensor), eye_(eye) {}

// The Solid above another one has a smaller number.
void ObjectSearch::choose(std::size_t solid) {
  solid_ = solid;
  knows_sphere_ = is_round_ = false;
  is_part_.assign(scene_.solids.size(), 0);
  is_part_[solid] = 1;
  for (std::size_t below = solid + 1; below < is_part_.size(); ++below) {
    const int parent = scene_.solids[below].parent;
    is_part_[below] = parent >= 0 ? is_part_[static_cast<std::size_t>(parent)] : '\0';
  }
}

const std::optional<BoundingSphere>& ObjectSearch::sphere() {
  if (!knows_sphere_) {
    sphere_ = sight_.sphere_around(is_part_);
    knows_sphere_ = true;
  }
  return sphere_;
}

void ObjectSearch::add_to(ObjectBox& box) {
  const Pose to_eye = inverse(eye_);
  bool any = false;
  for (std::size_t s = 0; s < is_part_.size(); ++s) {
    if (is_part_[s] != 0) {
      const Pose place = to_eye * physics_.solid_pose(static_cast<int>(s));
      for (const Shape& shape : scene_.solids[s].shapes) {
        box.add(shape, place);
        any = true;
      }
    }
  }
  is_round_ = !any && sphere().has_value();
  if (is_round_) {
    box.add_sphere(to_eye * sphere_->center, sphere_->radius);
  }
}

bool ObjectSearch::hides_origin(const ObjectBox& box) const {
  return is_blocked(physics_.solid_pose(static_cast<int>(solid_)).translation, 0.5 * box.size().x);
}

// Webots reads a fourth size for the last corners, which does not exist.
bool ObjectSearch::hides_box(const ObjectBox& box) const {
  const Vec3 size = box.size();
  const std::array<double, 4> sizes{size.x, size.y, size.z, 0.0};
  const std::array<Vec3, 8> corners = box.corners();
  std::array<Vec3, 6> tips;
  for (std::size_t axis = 0; is_round_ && axis < 3; ++axis) {
    const Vec3 reach{axis == 0 ? sphere_->radius : 0.0, axis == 1 ? sphere_->radius : 0.0,
                     axis == 2 ? sphere_->radius : 0.0};
    const Vec3 center = inverse(eye_) * sphere_->center;
    tips[2 * axis] = center + reach;
    tips[2 * axis + 1] = center - reach;
  }
  const std::span<const Vec3> ends = is_round_ ? std::span<const Vec3>(tips) : corners;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!is_blocked(eye_ * ends[i], 0.5 * sizes[i / 2])) {
      return false;
    }
  }
  return true;
}

bool ObjectSearch::is_blocked(const Vec3& to, double allowance) const {
  constexpr int kMostParts = 64;    // of the object, through which a ray passes
  constexpr double kBehind = 1e-6;  // where the ray goes on behind a part [m]
  const Vec3& from = eye_.translation;
  const double distance = norm(to - from);
  const Vec3 along = unit_or(to - from, {1.0, 0.0, 0.0});
  double passed = 0.0;
  for (int i = 0; i < kMostParts && passed < distance - allowance; ++i) {
    const std::optional<RayHit> hit = physics_.contacts().cast_ray(
        from + passed * along, along, distance - allowance - passed, sensor_);
    if (!hit) {
      return false;
    }
    if (hit->solid < 0 || is_part_[static_cast<std::size_t>(hit->solid)] == 0) {
      return true;
    }
    passed += hit->distance + kBehind;
  }
  return false;
}

}  // namespace servosim
