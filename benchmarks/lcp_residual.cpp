// SPDX-License-Identifier: Apache-2.0
// Which of two solutions of a step is nearer to the exact one: that of dWorldStep or that of the
// tree solver?
//
// A chain in plain ODE takes steps. Before each step the tree solver gets the same rows. From the
// velocities of either solution, in long double, the balance of momentum gives the exact forces of
// the joints. What remains of the rows, J·v + cfm·λ − target, is the residual. Refining the tree
// solver's solution by its residuals gives the solution to 1e-17; the error is the distance from
// it.
#include <fmt/format.h>
#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "physics/ode_library.h"
#include "physics/tree/joint_geometry.h"
#include "physics/tree/tree_solver.h"

namespace servosim::bench {
namespace {

constexpr double kH = 0.008;
constexpr double kErp = 0.2;

// ---- long double

using Real = long double;

struct Vec {
  Real x = 0, y = 0, z = 0;
};
Vec wide(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 narrow(const Vec& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec operator*(Real s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
Real dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Real norm(const Vec& a) { return std::sqrt(dot(a, a)); }
Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Vec times(const SymMat3& m, const Vec& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

// A motion after the step divided by h, or a force, of a body at its centre of mass.
struct Pair6 {
  Vec linear, angular;
};
using Solution = std::vector<Pair6>;  // motions by body

// ---- a chain in ODE

struct Link {
  double mass, inertia;  // the moment of inertia about y; 0.5 and 1.2 times it about x and z
};

struct Scene {
  std::string name;
  std::vector<Link> links;
  bool slider = false;
  double max_force = 1e5;
  double cfm = 1e-5;
};

class Chain {
 public:
  explicit Chain(const Scene& scene) : scene_(scene), world_(create_ode_world()) {
    dWorldSetGravity(world_, 0, 0, -9.81);
    dWorldSetERP(world_, kErp);
    dWorldSetCFM(world_, scene.cfm);
    dWorldSetMaxAngularSpeed(world_, dInfinity);
    for (std::size_t i = 0; i < scene.links.size(); ++i) {
      add(scene.links[i], i);
    }
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  ~Chain() { dWorldDestroy(world_); }

  // Reads the problem of the next step.
  const std::vector<TreeNode>& read(int step) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      read_body(i);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const BodyFrame child = frame_of(bodies_[i]);
      const BodyFrame parent = i > 0 ? frame_of(bodies_[i - 1]) : BodyFrame{};
      tree_joints_[i].place(child, i > 0 ? &parent : nullptr, kErp / kH / kH, nodes_[i]);
      const double speed = std::sin(0.05 * step + 0.3 * static_cast<double>(i));
      scene_.slider ? dJointSetSliderParam(joints_[i], dParamVel, speed)
                    : dJointSetHingeParam(joints_[i], dParamVel, -speed);
      nodes_[i].rows.clear();
      nodes_[i].rows.add(AxisRow::Owner::Joint,
                         {scene_.cfm / kH, speed / kH, -scene_.max_force, scene_.max_force});
    }
    return nodes_;
  }

  // Takes ODE's step. @returns false if ODE fails
  bool step(Solution& solution) {
    OdeCount count{bodies_.size(), 2 * joints_.size()};
    if (!ode_step(world_, kH, 1u << 30, count).done) {
      return false;
    }
    solution.clear();
    for (const dBodyID body : bodies_) {
      solution.push_back({(1 / Real(kH)) * wide(to_vec3(dBodyGetLinearVel(body))),
                          (1 / Real(kH)) * wide(to_vec3(dBodyGetAngularVel(body)))});
    }
    return true;
  }

 private:
  void add(const Link& link, std::size_t i) {
    const dBodyID body = made(dBodyCreate(world_), "a body");
    dMass mass;
    dMassSetParameters(&mass, link.mass, 0, 0, 0, 0.5 * link.inertia, link.inertia,
                       1.2 * link.inertia, 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetGyroscopicMode(body, 0);
    dBodySetPosition(body, 0.2 * (static_cast<double>(i) + 0.5), 0, 0);
    const dBodyID parent = i > 0 ? bodies_.back() : nullptr;
    bodies_.push_back(body);
    add_joint(parent, body, i);
    TreeNode& node = nodes_.emplace_back();
    node.above = i > 0 ? 1 : 0;
    node.mass = link.mass;
    node.kind = tree_joints_.back().kind();
    node.linear_softness = node.angular_softness = scene_.cfm / kH;
  }

  // Without a parent ODE makes the child the first body, which reverses the axis of a hinge.
  void add_joint(dBodyID parent, dBodyID body, std::size_t i) {
    const double y = i % 2 == 0 ? 1.0 : 0.0;
    const double sign = !scene_.slider && parent == nullptr ? -1.0 : scene_.slider ? -1.0 : 1.0;
    const dJointID joint = made(
        scene_.slider ? dJointCreateSlider(world_, nullptr) : dJointCreateHinge(world_, nullptr),
        "a joint");
    dJointAttach(joint, parent, body);
    if (scene_.slider) {
      dJointSetSliderAxis(joint, 0, sign * y, sign * (1.0 - y));
      dJointSetSliderParam(joint, dParamFMax, scene_.max_force);
    } else {
      dJointSetHingeAxis(joint, 0, sign * y, sign * (1.0 - y));
      dJointSetHingeAnchor(joint, 0.2 * static_cast<double>(i), 0, 0);
      dJointSetHingeParam(joint, dParamFMax, scene_.max_force);
    }
    joints_.push_back(joint);
    tree_joints_.emplace_back(joint, body, parent);
  }

  void read_body(std::size_t i) {
    TreeNode& node = nodes_[i];
    const dBodyID body = bodies_[i];
    const Link& link = scene_.links[i];
    node.inertia = rotated(to_mat3(dBodyGetRotation(body)),
                           SymMat3{0.5 * link.inertia, 0, 0, link.inertia, 0, 1.2 * link.inertia});
    node.load.linear =
        node.mass * ((1.0 / kH) * to_vec3(dBodyGetLinearVel(body)) + Vec3{0, 0, -9.81});
    node.load.angular = (1.0 / kH) * (node.inertia * to_vec3(dBodyGetAngularVel(body)));
  }

  const Scene& scene_;
  dWorldID world_;
  std::vector<dBodyID> bodies_;
  std::vector<dJointID> joints_;
  std::vector<JointGeometry> tree_joints_;
  std::vector<TreeNode> nodes_;
};

// ---- residuals

// The residuals of a joint as rates: of the rows that hold it together, and of its motor.
struct Residual {
  Pair6 joint;
  Real motor = 0;       // residual of the row; for a motor at its limit, of its force
  Real along_axis = 1;  // the inertia by which a force becomes a rate
};

Real largest(const std::vector<Residual>& residuals) {
  Real most = 0;
  for (const Residual& r : residuals) {
    most = std::max(
        {most, norm(r.joint.linear), norm(r.joint.angular), std::abs(r.motor / r.along_axis)});
  }
  return kH * most;
}

// The force of each joint on its child, at the child's centre, from the last link to the first.
std::vector<Pair6> forces_of(const std::vector<TreeNode>& tree, const Solution& motions) {
  std::vector<Pair6> forces(tree.size());
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeNode& n = tree[i];
    const Pair6& u = motions[i];
    forces[i].linear = forces[i].linear + Real(n.mass) * u.linear - wide(n.load.linear);
    forces[i].angular = forces[i].angular + times(n.inertia, u.angular) - wide(n.load.angular);
    if (n.above > 0) {
      Pair6& above = forces[i - n.above];
      // From the centre of the parent to that of the child.
      const Vec arm = wide(n.parent_arm) - wide(n.arm);
      above.linear = above.linear + forces[i].linear;
      above.angular = above.angular + forces[i].angular + cross(arm, forces[i].linear);
    }
  }
  return forces;
}

// The residuals; `tree` has the states of the rows.
std::vector<Residual> residuals_of(const std::vector<TreeNode>& tree, const Solution& motions) {
  const std::vector<Pair6> forces = forces_of(tree, motions);
  std::vector<Residual> all;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeNode& n = tree[i];
    const Vec arm = wide(n.arm);
    const Vec force = forces[i].linear;
    const Vec torque = forces[i].angular - cross(arm, force);  // about the anchor
    const auto at = [](const Pair6& u, const Vec& to) { return u.linear + cross(u.angular, to); };
    const Pair6 above = n.above > 0 ? motions[i - n.above] : Pair6{};
    const Vec linear = at(motions[i], arm) - at(above, wide(n.parent_arm));
    const Vec angular = motions[i].angular - above.angular;
    Residual r;
    r.joint = {linear - wide(n.drift.linear) + Real(n.linear_softness) * force,
               angular - wide(n.drift.angular) + Real(n.angular_softness) * torque};
    const bool turns = n.kind == TreeNode::Kind::Hinge;
    const Vec axis = wide(n.axis);
    Vec& free = turns ? r.joint.angular : r.joint.linear;
    free = free - dot(free, axis) * axis;
    const AxisRow& row = *n.rows.begin();
    const Real on_axis = dot(axis, turns ? torque : force);
    if (row.state == AxisRow::State::Inside) {
      r.motor = dot(axis, turns ? angular : linear) + row.softness * on_axis - row.target;
    } else {
      r.motor = on_axis - (row.state == AxisRow::State::AtLow ? row.low : row.high);
      r.along_axis = n.along_axis;
    }
    all.push_back(r);
  }
  return all;
}

Solution motions_of(const std::vector<TreeNode>& tree) {
  Solution motions;
  for (const TreeNode& n : tree) {
    motions.push_back({wide(n.motion.linear), wide(n.motion.angular)});
  }
  return motions;
}

// The problem whose solution is what is missing. It has the same rows at their limits, where forces
// are known.
std::vector<TreeNode> rest_of(const std::vector<TreeNode>& tree,
                              const std::vector<Residual>& residuals) {
  std::vector<TreeNode> rest = tree;
  for (TreeNode& n : rest) {
    n.load = {};
    n.rows.clear();
  }
  for (std::size_t i = 0; i < rest.size(); ++i) {
    TreeNode& n = rest[i];
    const Residual& r = residuals[i];
    const double motor = -static_cast<double>(r.motor);
    n.drift = {-1.0 * narrow(r.joint.linear), -1.0 * narrow(r.joint.angular)};
    const AxisRow& row = *tree[i].rows.begin();
    if (row.state == AxisRow::State::Inside) {
      n.rows.add(row.owner, {row.softness, motor, -kInfinity, kInfinity});
      continue;
    }
    const Vec3 push = motor * n.axis;
    const SpatialVector force =
        n.kind == TreeNode::Kind::Hinge ? SpatialVector{{}, push} : SpatialVector{push, {}};
    n.load = n.load + force_from(force, n.arm);
    if (n.above > 0) {
      rest[i - n.above].load = rest[i - n.above].load - force_from(force, n.parent_arm);
    }
  }
  return rest;
}

Solution refined(const std::vector<TreeNode>& tree) {
  Solution motions = motions_of(tree);
  for (int round = 0; round < 6; ++round) {
    std::vector<TreeNode> rest = rest_of(tree, residuals_of(tree, motions));
    static_cast<void>(TreeSolver().solve(rest));
    for (std::size_t i = 0; i < rest.size(); ++i) {
      motions[i].linear = motions[i].linear + wide(rest[i].motion.linear);
      motions[i].angular = motions[i].angular + wide(rest[i].motion.angular);
    }
  }
  return motions;
}

// The distance of velocities, relative to the fastest one, which counts as 1 at least.
Real distance(const Solution& a, const Solution& b) {
  Real most = 0;
  Real fastest = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max({most, norm(a[i].linear - b[i].linear), norm(a[i].angular - b[i].angular)});
    fastest = std::max({fastest, kH * norm(b[i].linear), kH * norm(b[i].angular)});
  }
  return kH * most / fastest;
}

// ---- the table

struct Row {
  Real difference = 0, ode_residual = 0, tree_residual = 0, refined_residual = 0, ode_error = 0,
       tree_error = 0;
  int unsolved = 0;
};

Row run(const Scene& scene, int steps) {
  Chain chain(scene);
  Row row;
  for (int k = 0; k < steps; ++k) {
    std::vector<TreeNode> tree = chain.read(k);
    row.unsolved += TreeSolver().solve(tree).solved ? 0 : 1;
    Solution by_ode;
    if (!chain.step(by_ode)) {
      break;
    }
    const Solution by_tree = motions_of(tree);
    const Solution best = refined(tree);
    const auto raise = [](Real& most, Real to) { most = std::max(most, to); };
    raise(row.difference, distance(by_ode, by_tree));
    raise(row.ode_residual, largest(residuals_of(tree, by_ode)));
    raise(row.tree_residual, largest(residuals_of(tree, by_tree)));
    raise(row.refined_residual, largest(residuals_of(tree, best)));
    raise(row.ode_error, distance(by_ode, best));
    raise(row.tree_error, distance(by_tree, best));
  }
  return row;
}

std::vector<Link> equal(std::size_t count) { return {count, Link{1.0, 0.02}}; }

std::vector<Link> of_masses(const std::vector<int>& powers) {
  std::vector<Link> links;
  for (const int power : powers) {
    const double m = std::pow(10.0, power);
    links.push_back({m, 0.02 * m});
  }
  return links;
}

std::vector<Scene> scenes() {
  const std::vector<int> rising{-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6};
  const std::vector<int> falling(rising.rbegin(), rising.rend());
  const std::vector<int> mixed{0, -6, 6, -3, 2, 5, -5, -1, 4, -4, 1, -2, 3};
  std::vector<Link> ratios;
  for (int i = 0; i < 8; ++i) {
    ratios.push_back(i % 2 == 0 ? Link{1.0, 1e-2} : Link{1e-3, 1e-6});
  }
  std::vector<Scene> all;
  for (const std::size_t joints : {1, 2, 6, 12, 24, 48}) {
    all.push_back({fmt::format("{} hinges", joints), equal(joints)});
  }
  all.push_back({"48 hinges, 100 N m", equal(48), false, 100.0});
  all.push_back({"48 sliders", equal(48), true});
  all.push_back({"6 hinges, CFM 0", equal(6), false, 1e5, 0.0});
  for (const bool slider : {false, true}) {
    const char* const kind = slider ? "sliders" : "hinges";
    all.push_back({fmt::format("{}, 1e-6 to 1e6 kg", kind), of_masses(rising), slider});
    all.push_back({fmt::format("{}, 1e6 to 1e-6 kg", kind), of_masses(falling), slider});
    all.push_back({fmt::format("{}, 1e-6 to 1e6 kg mixed", kind), of_masses(mixed), slider});
    all.push_back({fmt::format("{}, inertia ratio 1e4", kind), ratios, slider});
  }
  return all;
}

int main_of(bool quick) {
  use_ode();
  fmt::print(
      "{:30} {:>10} | {:>10} {:>10} {:>10} | {:>10} {:>10}\n{:30} {:>10} | {:>32} | {:>21}\n", "",
      "difference", "ODE", "tree", "refined", "ODE", "tree", "", "", "residual, m/s or rad/s",
      "error");
  bool is_near = true;
  for (const Scene& scene : scenes()) {
    const Row row = run(scene, quick ? 20 : 300);
    fmt::print("{:30} {:10.1e} | {:10.1e} {:10.1e} {:10.1e} | {:10.1e} {:10.1e}{}\n", scene.name,
               row.difference, row.ode_residual, row.tree_residual, row.refined_residual,
               row.ode_error, row.tree_error, row.unsolved > 0 ? " unsolved" : "");
    is_near = is_near && row.unsolved == 0 && row.tree_error < 1e-12L;
  }
  if (!is_near) {
    fmt::print("The tree solver is more than 1e-12 away from a solution.\n");
  }
  return is_near ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace servosim::bench

int main(int argc, char** argv) {
  return servosim::bench::main_of(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
}
