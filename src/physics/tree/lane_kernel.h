// SPDX-License-Identifier: Apache-2.0
// The solver's passes over trees side by side. Included by one source for each set of instructions,
// which defines SERVOSIM_LANES. All names are the source's own: the linker must not take a function
// of one set for that of another. So nothing here may call functions of single numbers.
#pragma once

// clang-format off
#include "physics/tree/lane_numbers.h"  // before the templates that use it
// clang-format on
#include "physics/bodies.h"
#include "physics/tree/body_step.h"
#include "physics/tree/elimination.h"
#include "physics/tree/joint_place.h"
#include "physics/tree/lanes.h"
#include "physics/tree/tree_body.h"
#include "physics/tree/tree_link.h"

namespace servosim {

namespace {

struct LaneVec3 {
  Lanes x{};
  Lanes y{};
  Lanes z{};
};

[[gnu::always_inline]] inline LaneVec3 operator+(const LaneVec3& a, const LaneVec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[gnu::always_inline]] inline LaneVec3 operator-(const LaneVec3& a, const LaneVec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[gnu::always_inline]] inline LaneVec3 operator-(const LaneVec3& a) { return {-a.x, -a.y, -a.z}; }
[[gnu::always_inline]] inline LaneVec3 operator*(const Lanes& s, const LaneVec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
[[gnu::always_inline]] inline LaneVec3 operator*(double s, const LaneVec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
[[gnu::always_inline]] inline Lanes dot(const LaneVec3& a, const LaneVec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[gnu::always_inline]] inline LaneVec3 cross(const LaneVec3& a, const LaneVec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct LaneMat3 {
  Lanes m[9]{};
};

[[gnu::always_inline]] inline LaneVec3 operator*(const LaneMat3& a, const LaneVec3& v) {
  const auto& m = a.m;
  return {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
          m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

}  // namespace

template <>
struct SpatialTraits<LaneVec3> {
  using Real = Lanes;
  using Matrix = LaneMat3;
};

namespace {

struct LaneNode : NodeNumbers<LaneVec3> {
  NodeKind kind = NodeKind::Free;
  std::ptrdiff_t above = 0;
  BodyFrameOf<LaneVec3> frame;

  LaneNode* parent() { return above > 0 ? this - above : nullptr; }
  const LaneNode* parent() const { return above > 0 ? this - above : nullptr; }
};

[[gnu::always_inline]] inline Lanes load(const double* from) {
  Lanes lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

[[gnu::always_inline]] inline void store(const Lanes& lanes, double* to) {
  __builtin_memcpy(to, &lanes, sizeof lanes);
}

// The same number of each lane. `from`: a lane's address of it.
template <class From>
[[gnu::always_inline]] inline Lanes gather(From from) {
  if constexpr (kLanes == 2) {
    return Lanes{*from(0), *from(1)};
  } else if constexpr (kLanes == 4) {
    return Lanes{*from(0), *from(1), *from(2), *from(3)};
  } else {
    return Lanes{*from(0), *from(1), *from(2), *from(3), *from(4), *from(5), *from(6), *from(7)};
  }
}

template <class From>
[[gnu::always_inline]] inline LaneVec3 gather_vector(From from) {
  return {gather([&](std::size_t l) { return &from(l)->x; }),
          gather([&](std::size_t l) { return &from(l)->y; }),
          gather([&](std::size_t l) { return &from(l)->z; })};
}

// Of three numbers of ODE.
template <class From>
[[gnu::always_inline]] inline LaneVec3 gather_three(From from) {
  return {gather([&](std::size_t l) { return from(l); }),
          gather([&](std::size_t l) { return from(l) + 1; }),
          gather([&](std::size_t l) { return from(l) + 2; })};
}

template <class From>
[[gnu::always_inline]] inline QuaternionOf<LaneVec3> gather_turn(From from) {
  return {gather([&](std::size_t l) { return &from(l)->w; }),
          gather([&](std::size_t l) { return &from(l)->x; }),
          gather([&](std::size_t l) { return &from(l)->y; }),
          gather([&](std::size_t l) { return &from(l)->z; })};
}

[[gnu::always_inline]] inline void scatter(const Lanes& lanes, std::size_t l, double& to) {
  to = lanes[l];
}
[[gnu::always_inline]] inline void scatter(const LaneVec3& lanes, std::size_t l, Vec3& to) {
  to.x = lanes.x[l];
  to.y = lanes.y[l];
  to.z = lanes.z[l];
}
[[gnu::always_inline]] inline void scatter(const SpatialVectorOf<LaneVec3>& lanes, std::size_t l,
                                           SpatialVector& to) {
  scatter(lanes.linear, l, to.linear);
  scatter(lanes.angular, l, to.angular);
}

bool turns_are_read(NodeKind kind) { return kind == NodeKind::Rigid || kind == NodeKind::Slider; }

// TreeBody::read().
void read_body(const LaneTree* trees, std::size_t i, const StepSettings& settings, LaneNode& n) {
  const TreeBody* bodies[kLanes];
  const Body* ode[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    bodies[l] = &trees[l].bodies[i];
    ode[l] = bodies[l]->body;
  }
  for (std::size_t j = 0; j < 9; ++j) {
    n.frame.rotation.m[j] =
        gather([&](std::size_t l) { return ode[l]->rotation + j / 3 * 4 + j % 3; });
  }
  n.frame.center = gather_three([&](std::size_t l) { return ode[l]->position; });
  const BodyForcesOf<LaneVec3> forces{
      gather_three([&](std::size_t l) { return ode[l]->velocity; }),
      gather_three([&](std::size_t l) { return ode[l]->spin; }),
      gather_three([&](std::size_t l) { return bodies[l]->force; }),
      gather_three([&](std::size_t l) { return bodies[l]->torque; })};
  BodyNumbersOf<LaneVec3> body;
  body.mass = gather([&](std::size_t l) { return &bodies[l]->of_body.mass; });
  body.inertia = {gather([&](std::size_t l) { return &bodies[l]->of_body.inertia.xx; }),
                  gather([&](std::size_t l) { return &bodies[l]->of_body.inertia.xy; }),
                  gather([&](std::size_t l) { return &bodies[l]->of_body.inertia.xz; }),
                  gather([&](std::size_t l) { return &bodies[l]->of_body.inertia.yy; }),
                  gather([&](std::size_t l) { return &bodies[l]->of_body.inertia.yz; }),
                  gather([&](std::size_t l) { return &bodies[l]->of_body.inertia.zz; })};
  const Lanes zero{};
  const LaneVec3 gravity{zero + settings.gravity.x, zero + settings.gravity.y,
                         zero + settings.gravity.z};
  set_load(body, bodies[0]->is_gyroscopic, n.frame.rotation, forces, settings.h, gravity, n);
}

void read_turn(const LaneTree* trees, std::size_t i, LaneNode& n) {
  const auto turn = [&](std::size_t number) {
    return gather([&](std::size_t l) { return trees[l].bodies[i].body->quaternion + number; });
  };
  n.frame.turn = {turn(0), turn(1), turn(2), turn(3)};
}

// OdeLink::place().
void place(const LaneTree* trees, std::size_t i, const StepSettings& settings, LaneNode& n) {
  const TreeJoint& first = trees[0].links[i].ode().joint;
  const JointNumbers* of[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    of[l] = &trees[l].links[i].ode().joint.numbers();
  }
  JointNumbersOf<LaneVec3> joint;
  if (n.kind == NodeKind::Hinge) {
    joint.child_anchor = gather_vector([&](std::size_t l) { return &of[l]->child_anchor; });
    joint.parent_anchor = gather_vector([&](std::size_t l) { return &of[l]->parent_anchor; });
  } else {
    joint.offset = gather_vector([&](std::size_t l) { return &of[l]->offset; });
    joint.relative = gather_turn([&](std::size_t l) { return &of[l]->relative; });
  }
  if (n.kind != NodeKind::Rigid) {
    joint.child_axis = gather_vector([&](std::size_t l) { return &of[l]->child_axis; });
    joint.parent_axis = gather_vector([&](std::size_t l) { return &of[l]->parent_axis; });
  }
  place_joint(n.kind, first.child_is_first(), joint, n.frame,
              n.parent() != nullptr ? &n.parent()->frame : nullptr, settings.position_gain, n);
}

// Of OdeLink::add_axis_rows(): what ODE pushes at a stop in place of the motor's row.
void add_push(const Lanes& push, LaneNode& n) {
  const LaneMask pushes = push != 0.0;
  if (!any_holds(pushes)) {
    return;
  }
  const LaneVec3 along = push * n.axis;
  const SpatialVectorOf<LaneVec3> force = n.kind == NodeKind::Hinge
                                              ? SpatialVectorOf<LaneVec3>{LaneVec3{}, along}
                                              : SpatialVectorOf<LaneVec3>{along, LaneVec3{}};
  const auto change = [&pushes](LaneVec3& v, const LaneVec3& to) {
    v = {choose(pushes, to.x, v.x), choose(pushes, to.y, v.y), choose(pushes, to.z, v.z)};
  };
  const auto change_both = [&change](SpatialVectorOf<LaneVec3>& v,
                                     const SpatialVectorOf<LaneVec3>& to) {
    change(v.linear, to.linear);
    change(v.angular, to.angular);
  };
  change_both(n.load, n.load + force_from(force, n.arm));
  if (LaneNode* const parent = n.parent(); parent != nullptr) {
    change_both(parent->load, parent->load - force_from(force, n.parent_arm));
  }
}

void set_law(LaneNode& n, const LaneAxis& axis) {
  if (n.kind == NodeKind::Rigid) {
    n.gain = n.push = n.axis_drift = Lanes{};
    return;
  }
  const FoldedRows<Lanes> rows{load(axis.softness), load(axis.target), load(axis.force)};
  const LaneMask inside = load(axis.inside) != 0.0;
  set_law(n, rows, inside);
}

void read(const LaneTree* trees, const LaneAxis* axes, const StepSettings& settings,
          LaneNode* nodes) {
  const std::size_t count = trees[0].count;
  bool reads_turns = false;
  for (std::size_t i = 0; i < count; ++i) {
    LaneNode& n = nodes[i];
    const TreeNode& like = trees[0].nodes[i];
    n.kind = like.kind;
    n.above = like.above;
    n.linear_softness = like.linear_softness;
    n.angular_softness = like.angular_softness;
    reads_turns = reads_turns || turns_are_read(n.kind);
    read_body(trees, i, settings, n);
  }
  if (reads_turns) {
    for (std::size_t i = 0; i < count; ++i) {
      read_turn(trees, i, nodes[i]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    LaneNode& n = nodes[i];
    if (n.kind == NodeKind::Free) {
      n.arm = n.parent_arm = LaneVec3{};
      continue;
    }
    place(trees, i, settings, n);
    if (n.kind == NodeKind::Rigid) {
      n.axis = LaneVec3{};  // not that of another tree
      n.on_axis = SpatialVectorOf<LaneVec3>{};
    } else {
      add_push(load(axes[i].push), n);
    }
  }
}

// TreeSolver's passes.
void solve_nodes(const LaneAxis* axes, LaneNode* nodes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    LaneNode& n = nodes[i];
    set_own(n);
    n.articulated = n.own_inertia;
    n.bias = n.own_load;
  }
  for (std::size_t i = count; i-- > 0;) {
    LaneNode& n = nodes[i];
    if (n.kind == NodeKind::Free) {
      factor_free(n);
      continue;
    }
    eliminate_joint(n);
    set_law(n, axes[i]);
    if (n.parent() != nullptr) {
      add_to_parent(n);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    LaneNode& n = nodes[i];
    if (n.kind == NodeKind::Free) {
      n.anchor_motion = free_motion(n, n.bias);
    } else {
      find_motion(n);
    }
    set_motion_of_center(n);
  }
}

// Into the nodes of the trees, which then write feedback and move bodies as they do without lanes.
void write_results(const LaneTree* trees, LaneAxis* axes, const LaneNode* nodes) {
  for (std::size_t i = 0; i < trees[0].count; ++i) {
    const LaneNode& n = nodes[i];
    if (n.kind == NodeKind::Hinge || n.kind == NodeKind::Slider) {
      store(part_along_axis(n, n.anchor_motion - parent_motion(n)), axes[i].rate);
      store(part_along_axis(n, n.force), axes[i].rest);
    }
    for (std::size_t l = 0; l < kLanes; ++l) {
      TreeNode& to = trees[l].nodes[i];
      scatter(n.motion, l, to.motion);
      if (n.kind != NodeKind::Free) {
        scatter(n.force, l, to.force);
        scatter(n.along_axis, l, to.along_axis);
        scatter(n.arm, l, to.arm);
        scatter(n.parent_arm, l, to.parent_arm);
        scatter(n.axis, l, to.axis);
      }
    }
  }
}

void solve_trees(const LaneTree* trees, LaneAxis* axes, const StepSettings& settings,
                 void* memory) {
  LaneNode* const nodes = static_cast<LaneNode*>(memory);
  read(trees, axes, settings, nodes);
  solve_nodes(axes, nodes, trees[0].count);
  write_results(trees, axes, nodes);
}

constexpr LaneKernel kThisKernel{kLanes, sizeof(LaneNode), solve_trees};

}  // namespace

}  // namespace servosim
