// SPDX-License-Identifier: Apache-2.0
// Creates the geoms of a world. The geoms of a branch of the tree with several shapes are in a
// space of their own, so the boxes of branches are compared before those of shapes.
#include "physics/contacts/scene_geoms.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "physics/bodies.h"
#include "physics/contacts/contact_search.h"
#include "physics/kinematic_motion.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Above this number of members sweep-and-prune is faster than a comparison of all pairs.
constexpr std::size_t kSimpleSpaceMax = 30;

}  // namespace

// Describes a Solid without a parent, and everything below it.
struct SceneGeoms::Branch {
  int shapes = 0;
  int robot = -1;  // index of the outermost Robot of the last Solid with shapes
  // Tells whether its shapes may touch each other. They may not if all are of one Robot without
  // selfCollision.
  bool may_meet_itself = false;
};

// Holds what follows from the scene alone; all worlds of a scene share it.
struct SceneGeoms::Table {
  std::vector<Branch> branches;  // the index is the top Solid; entries of others are empty
  std::size_t with_shapes = 0;   // number of branches with shapes
  std::size_t shapes = 0;        // number in the whole scene
  std::vector<int> tops;         // top Solid of each Solid's branch; -1 without shapes
  std::vector<GeomInfo> infos;   // the index is the Solid; the data of a world are not set
};

// The destructor of an object whose constructor throws does not run, so the geoms are destroyed
// here.
SceneGeoms::SceneGeoms(const Scene& scene, OdeWorld& ode, const Bodies& bodies,
                       KinematicMotion& kinematic, ContactSearch& search, Diagnostics& diagnostics,
                       const SceneGeoms* like)
    : scene_(scene),
      ode_(ode),
      bodies_(bodies),
      kinematic_(kinematic),
      search_(search),
      table_(like != nullptr ? like->table_ : make_table()) {
  try {
    create_belts();
    create_geoms(diagnostics);
  } catch (...) {
    destroy();
    throw;
  }
}

SceneGeoms::~SceneGeoms() { destroy(); }

// A locked space is not destroyed, since ODE would report an error.
void SceneGeoms::destroy() {
  ode_.take_apart([this] {
    if (space_ != nullptr && !locked_ && !search_.spaces_locked()) {
      dSpaceDestroy(space_);  // destroys the spaces and geoms in it, too
    }
  });
}

// A branch may touch itself if one of its shapes may touch its own robot, or if its shapes belong
// to different robots.
std::shared_ptr<const SceneGeoms::Table> SceneGeoms::make_table() const {
  const auto table = std::make_shared<Table>();
  const std::size_t solids = scene_.solids.size();
  table->branches.resize(solids);
  table->tops.resize(solids, -1);
  table->infos.resize(solids);
  for (int s = 0; s < static_cast<int>(solids); ++s) {
    const SolidSpec& solid = scene_.solids[s];
    const int shapes = static_cast<int>(solid.shapes.size());
    if (shapes == 0) {
      continue;
    }
    const int top = table->tops[s] = top_solid(scene_, s);
    Branch& branch = table->branches[top];
    const int robot = outer_robot(scene_, s);
    const bool may_meet_robot = robot < 0 || scene_.robots[robot].self_collision;
    branch.may_meet_itself =
        branch.may_meet_itself || may_meet_robot || (branch.shapes > 0 && branch.robot != robot);
    branch.robot = robot;
    table->with_shapes += branch.shapes == 0 ? 1 : 0;
    branch.shapes += shapes;
    table->shapes += static_cast<std::size_t>(shapes);
    GeomInfo& info = table->infos[s];
    info.robot = robot;
    info.material = search_.material(solid.contact_material);
    info.body = bodies_.body_of(s);
    info.carrier = bodies_.carrying_body(s);
    info.self_collision = may_meet_robot;
    info.senses_touch = solid.senses_touch;
    info.solid = s;
  }
  return table;
}

// A belt is the surface of a Track. A joint without an endpoint drives it.
void SceneGeoms::create_belts() {
  belts_.reserve(static_cast<std::size_t>(
      std::count_if(scene_.joints.begin(), scene_.joints.end(),
                    [](const JointSpec& j) { return j.belt.has_value(); })));
  for (int j = 0; j < static_cast<int>(scene_.joints.size()); ++j) {
    if (scene_.joints[j].belt) {
      belts_.push_back({j, scene_.joints[j].parent, 0.0, {}});
    }
  }
}

// Geoms are created in the order of the Solids, which determines the order of contacts. Contacts
// are possible if a shape has a body or a TouchSensor and there is another shape outside of its
// branch, or inside if the branch may touch itself.
void SceneGeoms::create_geoms(Diagnostics& diagnostics) {
  space_ = create_space(nullptr, table_->with_shapes);
  infos_.reserve(table_->shapes);
  std::vector<dSpaceID> spaces(scene_.solids.size());  // the index is the top Solid
  for (int s = 0; s < static_cast<int>(scene_.solids.size()); ++s) {
    if (const int top = table_->tops[s]; top >= 0) {
      if (spaces[top] == nullptr) {
        spaces[top] = create_space_of(table_->branches[top]);
      }
      create_geoms_of(s, spaces[top], diagnostics);
    }
  }
  const bool any_active = std::any_of(infos_.begin(), infos_.end(), [](const GeomInfo& g) {
    return g.body >= 0 || g.senses_touch;
  });
  can_collide_ =
      any_active && infos_.size() > 1 && (table_->with_shapes > 1 || !inner_spaces_.empty());
}

// Sweep-and-prune sorts along the first axis first. The vertical axis is the last one, since shapes
// are mostly spread horizontally.
dSpaceID SceneGeoms::create_space(dSpaceID parent, std::size_t members) const {
  const Vec3& gravity = scene_.world.gravity;
  const bool y_up = std::abs(gravity.y) > std::abs(gravity.z);
  return members <= kSimpleSpaceMax
             ? made(dSimpleSpaceCreate(parent), "a space")
             : made(dSweepAndPruneSpaceCreate(parent, y_up ? dSAP_AXES_XZY : dSAP_AXES_XYZ),
                    "a space");
}

// A branch with several shapes has a space of its own inside the world's space. A single shape is
// in the world's space itself.
dSpaceID SceneGeoms::create_space_of(const Branch& branch) {
  if (branch.shapes == 1) {
    return space_;
  }
  const dSpaceID space = create_space(space_, static_cast<std::size_t>(branch.shapes));
  if (branch.may_meet_itself) {
    inner_spaces_.push_back(space);
  }
  return space;
}

// As in Webots, a degenerate shape has mass but no geom.
void SceneGeoms::create_geoms_of(int s, dSpaceID space, Diagnostics& diagnostics) {
  const SolidSpec& solid = scene_.solids[s];
  GeomInfo info = table_->infos[s];
  const int body = info.body;
  info.carrier_id = info.carrier >= 0 ? bodies_[info.carrier].id : nullptr;
  const auto own_belt =
      std::find_if(belts_.begin(), belts_.end(), [s](const Belt& b) { return b.solid == s; });
  info.belt = own_belt != belts_.end() ? &*own_belt : nullptr;
  for (const Shape& shape : solid.shapes) {
    if (shape.degenerate) {
      continue;
    }
    // ODE's planes cannot follow a body.
    if (shape.type == ShapeType::Plane && body >= 0) {
      diagnostics.replacement(shape.where,
                              "a Plane cannot be the bounding object of a Solid with "
                              "Physics; it is left out");
      continue;
    }
    GeomData& data = data_.emplace_back();
    const dGeomID geom = create_geom(shape, space, data);
    // Only meshes and grids refer to data, so the other geoms need no entry.
    if (data.mesh == nullptr && data.grid == nullptr) {
      data_.pop_back();
    }
    info.grid = shape.grid.get();
    SERVOSIM_ASSERT(infos_.size() < infos_.capacity(), "{} geoms", infos_.size());
    dGeomSetData(geom, &infos_.emplace_back(info));
    search_.add(geom);
    const Pose in_solid = geom_pose_in_solid(shape);
    if (body >= 0) {
      attach_geom(geom, bodies_[body].id, bodies_.in_body(s) * in_solid);
    } else {
      kinematic_.add_geom(geom, s, in_solid);
    }
  }
}

}  // namespace servosim
