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

 private:
  std::unique_ptr<Eye> eye_;
};

}  // namespace

// The members but the lock and the files are set by the first call of looks(), and never change
// then.
struct WorldSight::Looks {
  // Files of meshes that were read, also for the scenes that follow after edits of the tree.
  struct Files {
    std::mutex lock;
    DrawingStore store;
  };

  explicit Looks(std::shared_ptr<Files> known) : files(std::move(known)) {}

  std::mutex lock;
  std::shared_ptr<Files> files;    // not null
  std::vector<DrawnShape> shapes;  // without their meshes, which the renderer has
  std::unique_ptr<Renderer> renderer;
  std::vector<std::string> missing;
};

WorldSight::WorldSight(WorldTree& tree, const Scene& scene, const PhysicsWorld& physics,
                       const WorldSight* like, const WorldSight* before)
    : tree_(tree),
      scene_(scene),
      physics_(physics),
      looks_(like != nullptr
                 ? like->looks_
                 : std::make_shared<Looks>(before != nullptr ? before->looks_->files
                                                             : std::make_shared<Looks::Files>())),
      threads_(like != nullptr     ? 1  // the threads of a Batch step clones
               : before != nullptr ? before->threads_
                                   : static_cast<int>(std::clamp(
                                         std::thread::hardware_concurrency(), 1u, kMostThreads))) {}

WorldSight::~WorldSight() = default;

const WorldSight::Looks& WorldSight::looks() {
  const std::scoped_lock lock(looks_->lock);
  if (looks_->renderer == nullptr) {
    const std::scoped_lock reading(looks_->files->lock);
    Drawing drawing = draw(*tree_.file(), scene_, *tree_.far_solids(), tree_.meshes().get(),
                           tree_.sources(), looks_->files->store, DrawingUse::Sensors);
    looks_->renderer = make_renderer(drawing.shapes);
    for (DrawnShape& shape : drawing.shapes) {
      shape.mesh.reset();
    }
    looks_->shapes = std::move(drawing.shapes);
    looks_->missing = std::move(drawing.missing);
  }
  if (!std::exchange(has_told_missing_, true)) {  // each clone has a list of its own
    for (const std::string& what : looks_->missing) {
      tree_.keep_missing({Missing::Pictures, what, "sensors do not see it"});
    }
  }
  return *looks_;
}

std::unique_ptr<Eye> WorldSight::open(const RayPattern& pattern) {
  return std::make_unique<EyeInSteps>(in_step([&] { return looks().renderer->open(pattern); }));
}

std::span<const Pose> WorldSight::shapes() {
  const std::vector<DrawnShape>& drawn = looks().shapes;
  solids_.resize(scene_.solids.size());
  for (std::size_t s = 0; s < solids_.size(); ++s) {
    solids_[s] = physics_.solid_pose(static_cast<int>(s));
  }
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

}  // namespace servosim
