// SPDX-License-Identifier: Apache-2.0
#include "sim/world_sight.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "base/assert.h"
#include "physics/physics_world.h"
#include "scene/drawing.h"
#include "scene/scene_builder.h"
#include "servosim/simulation.h"
#include "sim/solid_looks.h"
#include "sim/world_tree.h"

namespace servosim {

namespace {

// More threads than this wait for memory.
constexpr unsigned kMostThreads = 16;

// Calls `work` with the errors of the renderer as those of a step.
template <typename Work>
auto in_step(const Work& work) {
  try {
    return work();
  } catch (const StepFailed&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw StepFailed(error.what());
  }
}

class EyeInSteps : public Eye {
 public:
  explicit EyeInSteps(std::unique_ptr<Eye> eye) : eye_(std::move(eye)) {}
  void find_distances(const Glance& glance, std::span<double> distances) override {
    in_step([&] { eye_->find_distances(glance, distances); });
  }
  void find_light(const Glance& glance, std::span<float> light) override {
    in_step([&] { eye_->find_light(glance, light); });
  }
  void find_shapes(const Glance& glance, std::span<std::int32_t> shapes) override {
    in_step([&] { eye_->find_shapes(glance, shapes); });
  }

 private:
  std::unique_ptr<Eye> eye_;
};

}  // namespace

// The members but the lock and the files are set by the first call of known(), and never change
// then.
struct WorldSight::Known {
  // Files of meshes that were read, also for the scenes that follow after edits of the tree.
  struct Files {
    std::mutex lock;
    DrawingStore store;
  };

  explicit Known(std::shared_ptr<Files> known) : files(std::move(known)) {}

  std::mutex lock;
  std::shared_ptr<Files> files;    // not null
  std::vector<DrawnShape> shapes;  // without their meshes, which the renderer has
  std::vector<BoundingSphere> spheres;  // around each, in the frame of its Solid
  std::vector<std::shared_ptr<const Finish>> finishes;  // of each shape
  std::optional<Sky> sky;
  std::unique_ptr<Renderer> renderer;
  std::vector<std::string> missing;
};

WorldSight::WorldSight(WorldTree& tree, const Scene& scene, const PhysicsWorld& physics,
                       const std::vector<Vec3>& light_colors, const WorldSight* like,
                       const WorldSight* before)
    : tree_(tree),
      scene_(scene),
      physics_(physics),
      light_colors_(light_colors),
      known_(like != nullptr
                 ? like->known_
                 : std::make_shared<Known>(before != nullptr ? before->known_->files
                                                             : std::make_shared<Known::Files>())),
      threads_(like != nullptr     ? 1  // the threads of a Batch step clones
               : before != nullptr ? before->threads_
                                   : static_cast<int>(std::clamp(
                                         std::thread::hardware_concurrency(), 1u, kMostThreads))) {}

WorldSight::~WorldSight() = default;

const WorldSight::Known& WorldSight::known() {
  const std::scoped_lock lock(known_->lock);
  if (known_->renderer == nullptr) {
    const std::scoped_lock reading(known_->files->lock);
    Drawing drawing = draw(*tree_.file(), scene_, *tree_.far_solids(), tree_.meshes().get(),
                           tree_.sources(), known_->files->store, DrawingUse::Sensors);
    known_->renderer = make_renderer(drawing.shapes);
    for (DrawnShape& shape : drawing.shapes) {
      known_->spheres.push_back(servosim::sphere_around(shape));
      shape.mesh.reset();
      Finish finish;
      finish.law = shape.color ? ShadingLaw::Phong : ShadingLaw::Unlit;
      finish.color = shape.color.value_or(finish.color);
      finish.transparency = 1.0 - shape.opacity.value_or(1.0);
      known_->finishes.push_back(std::make_shared<const Finish>(finish));
    }
    if (drawing.background) {
      known_->sky.emplace().color = *drawing.background;
    }
    known_->shapes = std::move(drawing.shapes);
    known_->missing = std::move(drawing.missing);
  }
  if (!std::exchange(has_told_missing_, true)) {  // each clone has a list of its own
    for (const std::string& what : known_->missing) {
      tree_.keep_missing({Missing::Pictures, what, "sensors do not see it"});
    }
  }
  return *known_;
}

std::unique_ptr<Eye> WorldSight::open(const RayPattern& pattern) {
  return std::make_unique<EyeInSteps>(in_step([&] { return known().renderer->open(pattern); }));
}

void WorldSight::find_solids() {
  solids_.resize(scene_.solids.size());
  for (std::size_t s = 0; s < solids_.size(); ++s) {
    solids_[s] = physics_.solid_pose(static_cast<int>(s));
  }
}

std::span<const Pose> WorldSight::shapes() {
  const std::vector<DrawnShape>& drawn = known().shapes;
  find_solids();
  shapes_.resize(drawn.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const DrawnShape& shape = drawn[i];
    SERVOSIM_ASSERT(shape.solid < static_cast<int>(solids_.size()), "Solid {} of {}", shape.solid,
                    solids_.size());
    Pose in_solid = shape.pose;
    if (shape.wheel) {
      const DrawnWheel& wheel = *shape.wheel;
      in_solid = turn_about(wheel.center, wheel.axis,
                            physics_.joints()[wheel.joint].position / wheel.radius) *
                 in_solid;
    }
    shapes_[i] =
        shape.solid >= 0 ? solids_[static_cast<std::size_t>(shape.solid)] * in_solid : in_solid;
  }
  return shapes_;
}

const Looks& WorldSight::looks() {
  const Known& known = this->known();
  looks_.finishes = known.finishes;
  looks_.sky = known.sky;
  lights_ = scene_.world.lights;
  for (std::size_t i = 0; i < lights_.size(); ++i) {
    LightSpec& light = lights_[i];
    light.color = light_colors_[i];
    if (light.solid >= 0) {
      const Pose carrier = physics_.solid_pose(light.solid);
      light.location = carrier * light.location;
      light.direction = carrier.rotation * light.direction;
      light.solid = -1;
    }
  }
  looks_.lights = lights_;
  return looks_;
}

std::span<const SolidLook> WorldSight::solid_looks() {
  if (solid_looks_of_ != tree_.edits() || solid_looks_.empty()) {
    solid_looks_ = servosim::solid_looks(*tree_.file(), scene_);
    solid_looks_of_ = tree_.edits();
  }
  return solid_looks_;
}

int WorldSight::solid_of_shape(std::size_t shape) { return known().shapes[shape].solid; }

std::optional<BoundingSphere> WorldSight::sphere_around(std::span<const char> is_wanted) {
  const Known& known = this->known();
  std::optional<BoundingSphere> all;
  for (std::size_t i = 0; i < known.shapes.size(); ++i) {
    const int solid = known.shapes[i].solid;
    if (solid < 0 || is_wanted[static_cast<std::size_t>(solid)] == 0) {
      continue;
    }
    BoundingSphere sphere = known.spheres[i];
    sphere.center = physics_.solid_pose(solid) * sphere.center;
    all = all ? servosim::sphere_around(*all, sphere) : sphere;
  }
  return all;
}

}  // namespace servosim
