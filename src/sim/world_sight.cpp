// SPDX-License-Identifier: Apache-2.0
#include "sim/world_sight.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/report_once.h"
#include "devices/painted_surfaces.h"
#include "physics/physics_world.h"
#include "scene/scene_builder.h"
#include "servosim/display.h"
#include "servosim/simulation.h"
#include "sim/solid_looks.h"
#include "sim/world_tree.h"
#include "wbt/tree.h"

namespace servosim {

namespace {

// More threads than this wait for memory.
constexpr unsigned kMostThreads = 16;

// Calls `work` with the errors of the renderer as those of a step.
template <typename Work>
decltype(auto) in_step(const Work& work) {
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

// The members but the lock and the files are set by the first call of known() or
// known_with_looks(), and never change then.
struct WorldSight::Known {
  // Files of meshes and pictures that were read, also for the scenes that follow after edits of the
  // tree.
  struct Files {
    std::mutex lock;
    DrawingStore store;
    std::set<std::string> told;  // faults of the drawing
  };

  Known(std::shared_ptr<Files> read, std::shared_ptr<const Renderer> of_former)
      : files(std::move(read)), former(std::move(of_former)) {}

  std::mutex lock;
  std::shared_ptr<Files> files;            // not null
  std::shared_ptr<const Renderer> former;  // that of the scene before, until there is a new one
  std::vector<DrawnShape> shapes;          // without their meshes, which the renderer has
  std::vector<BoundingSphere> spheres;     // around each, in the frame of its Solid
  std::shared_ptr<const Renderer> renderer;
  std::vector<std::string> missing_forms;
  bool has_looks = false;
  std::vector<std::shared_ptr<const Finish>> finishes;  // of each shape
  std::optional<Sky> sky;
  std::optional<Fog> fog;
  std::vector<std::string> missing_looks;

  static std::shared_ptr<Known> after(const WorldSight* before) {
    if (before == nullptr) {
      return std::make_shared<Known>(std::make_shared<Files>(), nullptr);
    }
    Known& known = *before->known_;
    const std::scoped_lock reading(known.lock);
    return std::make_shared<Known>(known.files,
                                   known.renderer != nullptr ? known.renderer : known.former);
  }
};

WorldSight::WorldSight(WorldTree& tree, const Scene& scene, const PhysicsWorld& physics,
                       const SwitchedColors& colors, const PaintedSurfaces& surfaces,
                       Notices& notices, const WorldSight* like, const WorldSight* before)
    : tree_(tree),
      scene_(scene),
      physics_(physics),
      colors_(colors),
      surfaces_(surfaces),
      notices_(notices),
      known_(like != nullptr ? like->known_ : Known::after(before)),
      threads_(like != nullptr     ? 1  // the threads of a Batch step clones
               : before != nullptr ? before->threads_
                                   : static_cast<int>(std::clamp(
                                         std::thread::hardware_concurrency(), 1u, kMostThreads))) {}

WorldSight::~WorldSight() = default;

Drawing WorldSight::drawn(DrawingUse use) {
  const std::scoped_lock reading(known_->files->lock);
  return draw(*tree_.file(), scene_, *tree_.far_solids(), tree_.meshes().get(), tree_.sources(),
              known_->files->store, use);
}

// Each clone has a list of its own.
void WorldSight::tell(const std::vector<std::string>& missing, bool& told) {
  if (!std::exchange(told, true)) {
    for (const std::string& what : missing) {
      tree_.keep_missing({Missing::Pictures, what, "sensors do not see it"});
    }
  }
}

// Clones, and the scenes that follow after edits, do not say it again.
void WorldSight::tell_faults(const std::vector<std::string>& faults) {
  const std::scoped_lock telling(known_->files->lock);
  for (const std::string& fault : faults) {
    if (known_->files->told.insert(fault).second) {
      notices_.report(fault);
    }
  }
}

const WorldSight::Known& WorldSight::known() {
  const std::scoped_lock lock(known_->lock);
  if (known_->renderer == nullptr) {
    Drawing drawing = drawn(DrawingUse::Sensors);
    known_->renderer = make_renderer(drawing.shapes, known_->former.get());
    known_->former.reset();
    for (DrawnShape& shape : drawing.shapes) {
      known_->spheres.push_back(servosim::sphere_around(shape));
      shape.mesh.reset();
    }
    known_->shapes = std::move(drawing.shapes);
    known_->missing_forms = std::move(drawing.missing);
    tell_faults(drawing.faults);
  }
  tell(known_->missing_forms, has_told_forms_);
  return *known_;
}

const WorldSight::Known& WorldSight::known_with_looks() {
  const Known& known = this->known();
  const std::scoped_lock lock(known_->lock);
  if (!known.has_looks) {
    Drawing drawing = drawn(DrawingUse::Cameras);
    SERVOSIM_ASSERT(drawing.shapes.size() == known.shapes.size(), "{} shapes, and then {}",
                    known.shapes.size(), drawing.shapes.size());
    const auto plain = std::make_shared<const Finish>();
    for (const DrawnShape& shape : drawing.shapes) {
      known_->finishes.push_back(shape.finish != nullptr ? shape.finish : plain);
    }
    tell_faults(drawing.faults);
    known_->sky = std::move(drawing.sky);
    known_->fog = drawing.fog;
    std::erase_if(drawing.missing, [&known](const std::string& what) {
      return std::find(known.missing_forms.begin(), known.missing_forms.end(), what) !=
             known.missing_forms.end();
    });
    // What only looks different was left out when the world was loaded, such as a background.
    for (const Diagnostic& diagnostic : tree_.diagnostics()) {
      if (diagnostic.only_looks) {
        drawing.missing.push_back(diagnostic.message.substr(0, diagnostic.message.find(';')));
      }
    }
    known_->missing_looks = std::move(drawing.missing);
    known_->has_looks = true;
  }
  tell(known.missing_looks, has_told_looks_);
  return known;
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
    if (shape.devices.laser >= 0) {
      in_solid = colors_.spots[static_cast<std::size_t>(shape.devices.laser)].value_or(Pose{});
    } else if (shape.wheel) {
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

// Gives a shape the finish that it has now. `finish` is that before, and stays if nothing has
// changed.
void WorldSight::switch_finish(const DrawnShape& shape,
                               const std::shared_ptr<const Finish>& of_file,
                               std::shared_ptr<const Finish>& finish) const {
  const std::shared_ptr<const InkLayer> ink = surfaces_.ink(shape.key);
  if (shape.devices.led < 0 && shape.devices.display < 0 && finish->ink == ink) {
    return;
  }
  const bool shines = shape.devices.led >= 0 && of_file->law != ShadingLaw::Unlit;
  const Vec3 emission =
      shines ? colors_.leds[static_cast<std::size_t>(shape.devices.led)] : of_file->emission;
  const Display* const display = surfaces_.display(shape.devices.display);
  const bool is_shown =
      display != nullptr && (of_file->color_map.is_node || of_file->emission_map.is_node);
  const std::shared_ptr<const Image> shown = is_shown ? display->shown() : nullptr;
  const auto picture_on = [&](const Texture& texture) {
    return is_shown && texture.is_node ? shown : texture.image;
  };
  const std::shared_ptr<const Image> color = picture_on(of_file->color_map);
  const std::shared_ptr<const Image> light = picture_on(of_file->emission_map);
  if (finish->emission == emission && finish->ink == ink && finish->color_map.image == color &&
      finish->emission_map.image == light) {
    return;
  }
  auto now = std::make_shared<Finish>(*of_file);
  now->emission = emission;
  now->ink = ink;
  now->color_map.image = color;
  now->emission_map.image = light;
  finish = std::move(now);
}

void WorldSight::switch_finishes(const Known& known) {
  if (finishes_.empty()) {
    finishes_ = known.finishes;
  }
  for (std::size_t i = 0; i < finishes_.size(); ++i) {
    switch_finish(known.shapes[i], known.finishes[i], finishes_[i]);
  }
}

const Looks& WorldSight::looks() {
  const Known& known = in_step([this]() -> const Known& { return known_with_looks(); });
  switch_finishes(known);
  looks_.finishes = finishes_;
  looks_.sky = known.sky;
  looks_.fog = known.fog;
  lights_ = scene_.world.lights;
  for (std::size_t i = 0; i < lights_.size(); ++i) {
    LightSpec& light = lights_[i];
    light.color = colors_.lights[i];
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

std::shared_ptr<const Image> WorldSight::picture(const NamedPicture& file,
                                                 const std::string& sensor) {
  const std::scoped_lock reading(known_->files->lock);
  Diagnostics ignored;
  MeshFiles files("", ignored, known_->files->store.looks, tree_.file()->library, MeshUse::Look);
  const ReadImage image = in_step([&] { return files.image(file.name); });
  known_->files->store.looks = files.known();
  if (const auto* const fault = std::get_if<std::string>(&image)) {
    tree_.keep_missing({Missing::Pictures, fmt::format("picture '{}'", file.url),
                        fmt::format("it {}; {} sees without it", *fault, sensor)});
    return nullptr;
  }
  return std::get<std::shared_ptr<const Image>>(image);
}

std::span<const SolidLook> WorldSight::solid_looks() {
  if (solid_looks_of_ != tree_.edits() || solid_looks_.empty()) {
    solid_looks_ = servosim::solid_looks(*tree_.file(), scene_);
    solid_looks_of_ = tree_.edits();
  }
  return solid_looks_;
}

int WorldSight::solid_of_shape(std::size_t shape) { return known().shapes[shape].solid; }

// A Shape that USE puts into several Solids has one place in the tree, and each Solid has its own:
// so the Solid decides, but where the hidden node is inside of it.
bool WorldSight::is_hidden_with(const DrawnShape& shape, std::uint32_t hidden,
                                const wbt::Tree& tree) const {
  const bool is_in_tree = tree.find(shape.node) != nullptr && tree.find(hidden) != nullptr;
  if (!is_in_tree) {
    return false;
  }
  if (shape.solid < 0) {
    return tree.is_below(shape.node, hidden);
  }
  const std::uint32_t solid = scene_.solids[static_cast<std::size_t>(shape.solid)].node;
  return tree.find(solid) != nullptr &&
         (tree.is_below(solid, hidden) ||
          (tree.is_below(hidden, solid) && tree.is_below(shape.node, hidden)));
}

std::span<const char> WorldSight::hidden_shapes(std::span<const std::uint32_t> nodes,
                                                bool sees_spots) {
  if (nodes.empty() && colors_.spots.empty()) {
    return {};
  }
  const std::vector<DrawnShape>& drawn = known().shapes;
  const wbt::Tree* const tree = nodes.empty() ? nullptr : &tree_.nodes();
  hidden_shapes_.assign(drawn.size(), 0);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const bool is_dark_spot =
        drawn[i].devices.laser >= 0 &&
        !(sees_spots && colors_.spots[static_cast<std::size_t>(drawn[i].devices.laser)]);
    const bool is_hidden = drawn[i].devices.laser < 0 &&
                           std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t node) {
                             return is_hidden_with(drawn[i], node, *tree);
                           });
    hidden_shapes_[i] = is_dark_spot || is_hidden ? 1 : 0;
  }
  return hidden_shapes_;
}

std::optional<BoundingSphere> WorldSight::sphere_around(std::span<const char> is_wanted) {
  const Known& known = in_step([this]() -> const Known& { return this->known(); });
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
