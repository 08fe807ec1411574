// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/motion_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "scene/scene.h"
#include "servosim/picture_sensor.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/tree.h"

namespace servosim {

namespace {

void restart(const DeviceNode& node) {
  for (const auto& device : node.devices) {
    device->restart();
  }
}

}  // namespace

MotionRequests::MotionRequests(Simulation& simulation, TreeEditor& editor, LiveFields& live)
    : simulation_(simulation), editor_(editor), live_(live) {}

void MotionRequests::answer(const SupervisorRequest& request, OwnedResponse& response) {
  editor_.settle();
  switch (request.kind) {
    case SupervisorRequestKind::SaveState:
      return save_state(request);
    case SupervisorRequestKind::LoadState:
      return load_state(request, response);
    case SupervisorRequestKind::SetJointPosition:
      return set_joint_position(request, response);
    case SupervisorRequestKind::Pose:
      return pose(request, response);
    case SupervisorRequestKind::Velocity:
      return velocity(request, response);
    case SupervisorRequestKind::SetVelocity:
      return set_velocity(request);
    case SupervisorRequestKind::ResetPhysics:
      return reset_physics(request);
    case SupervisorRequestKind::AddForce:
    case SupervisorRequestKind::AddTorque:
      return add_force(request);
    case SupervisorRequestKind::CenterOfMass:
      return response.add_numbers(simulation_.solid(solid(request)).center_of_mass());
    case SupervisorRequestKind::SetVisibility:
      return set_visibility(request);
    case SupervisorRequestKind::Contacts:
      return contacts(request, response);
    default:
      SERVOSIM_ASSERT(request.kind == SupervisorRequestKind::Balance, "request {} is of no motion",
                      static_cast<int>(request.kind));
      response.integer = simulation_.solid(solid(request)).static_balance() ? 1 : 0;
  }
}

int MotionRequests::solid(const SupervisorRequest& request) {
  const int index = live_.solid(editor_.node(request).id);
  if (index < 0) {
    throw SupervisorRequestError("the node is no Solid, nor derived from one.");
  }
  SERVOSIM_ASSERT(
      static_cast<std::size_t>(index) < WorldInspector(simulation_).scene().solids.size(),
      "Solid {} of {}", index, WorldInspector(simulation_).scene().solids.size());
  return index;
}

void MotionRequests::pose(const SupervisorRequest& request, OwnedResponse& response) {
  Pose p;
  if (request.node != 0) {
    if (editor_.node(request).type->field("translation") == nullptr) {
      throw SupervisorRequestError("the node is no Pose, nor derived from one.");
    }
    p = live_.pose(editor_.tree(), static_cast<Id>(request.node));
  }
  const auto& r = p.rotation;
  const Vec3& t = p.translation;
  response.add_numbers({r(0, 0), r(0, 1), r(0, 2), t.x, r(1, 0), r(1, 1), r(1, 2), t.y, r(2, 0),
                        r(2, 1), r(2, 2), t.z, 0.0, 0.0, 0.0, 1.0});
}

void MotionRequests::velocity(const SupervisorRequest& request, OwnedResponse& response) {
  const int index = solid(request);
  // A Solid without a velocity of its own has the velocity of the Solid that carries it.
  const auto& solids = WorldInspector(simulation_).scene().solids;
  int mover = index;
  const auto is_moved = [this](int solid) {
    const auto [linear, angular] = simulation_.solid(solid).velocity();
    return simulation_.solid(solid).has_body() || linear != Vec3{} || angular != Vec3{};
  };
  while (!is_moved(mover) && solids[static_cast<std::size_t>(mover)].parent >= 0) {
    mover = solids[static_cast<std::size_t>(mover)].parent;
  }
  const auto [linear, angular] = simulation_.solid(mover).velocity();
  response.add_numbers({linear.x, linear.y, linear.z, angular.x, angular.y, angular.z});
}

void MotionRequests::set_velocity(const SupervisorRequest& request) {
  const int index = solid(request);
  const auto& n = request.numbers;
  const SolidVelocity velocity{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
  check_magnitude(norm(velocity.linear));
  check_magnitude(norm(velocity.angular));
  simulation_.solid(index).set_velocity(velocity);
}

// A Viewpoint, which is no sensor, may be asked, too.
void MotionRequests::set_visibility(const SupervisorRequest& request) {
  const Id hidden = editor_.node(request).id;
  for (int i = 0; i < simulation_.robots().size(); ++i) {
    for (const DeviceNode& node : simulation_.robot(i).devices()) {
      if (node.detached || node.spec->node != static_cast<Id>(request.index)) {
        continue;
      }
      for (const auto& device : node.devices) {
        if (auto* const sensor = dynamic_cast<PictureSensor*>(device.get())) {
          sensor->set_visible(hidden, request.integer != 0);
        }
      }
    }
  }
}

void MotionRequests::reset_physics(const SupervisorRequest& request) {
  if (request.node == kNoNode) {
    WorldControl(simulation_).reset_physics(-1);
  } else {
    simulation_.solid(solid(request)).reset_physics();
  }
}

void MotionRequests::add_force(const SupervisorRequest& request) {
  const int index = solid(request);
  if (!simulation_.solid(index).has_body()) {
    if (forces_refused_.first(static_cast<Id>(request.node))) {
      throw SupervisorRequestError("the Solid has no Physics: no force moves it (reported once).");
    }
    return;
  }
  const Pose pose = simulation_.solid(index).pose();
  const auto& n = request.numbers;
  const bool relative = (request.index & 1) != 0;
  const Vec3 given{n[0], n[1], n[2]};
  const Vec3 vector = relative ? pose.rotation * given : given;
  if (request.kind == SupervisorRequestKind::AddTorque) {
    simulation_.solid(index).add_torque(vector);
  } else if ((request.index & 2) != 0) {
    simulation_.solid(index).add_force(vector, pose * Vec3{n[3], n[4], n[5]});
  } else {
    simulation_.solid(index).add_force(vector);
  }
}

void MotionRequests::contacts(const SupervisorRequest& request, OwnedResponse& response) {
  const auto& solids = WorldInspector(simulation_).scene().solids;
  for (const ContactPoint& c :
       simulation_.solid(solid(request)).contact_points(request.index != 0)) {
    const double id = solids[static_cast<std::size_t>(c.solid)].node;
    response.add_numbers({c.point.x, c.point.y, c.point.z, id});
  }
}

void MotionRequests::set_joint_position(const SupervisorRequest& request, OwnedResponse& response) {
  editor_.node(request);
  const std::vector<int> joints = live_.joints(editor_.tree(), static_cast<Id>(request.node));
  if (joints.empty()) {
    throw SupervisorRequestError("the node is no joint, nor its parameters.");
  }
  if (request.index < 1 || static_cast<std::size_t>(request.index) > joints.size()) {
    throw SupervisorRequestError(fmt::format(
        "called with an invalid index {}; the joint has {}.", request.index,
        joints.size() == 1 ? "one axis: 1" : fmt::format("axes 1 to {}", joints.size())));
  }
  const int joint = joints[static_cast<std::size_t>(request.index) - 1];
  check_magnitude(std::abs(request.numbers[0]));
  const double position = within_stops(joint, request.numbers[0], response);
  simulation_.joint(joint).set_state(position);
  hold_joint(joint, position);
}

// Replaces a position beyond a hard stop by the stop, with a warning.
double MotionRequests::within_stops(int joint, double position, OwnedResponse& response) {
  const int index = WorldInspector(simulation_).joint_in_scene(joint);
  if (index < 0) {
    return position;
  }
  const JointSpec& spec =
      WorldInspector(simulation_).scene().joints[static_cast<std::size_t>(index)];
  if (spec.stops.min == spec.stops.max) {
    return position;
  }
  const double used = std::clamp(position, spec.stops.min, spec.stops.max);
  if (used != position) {
    response.add_line(fmt::format("warning: the joint's position {} is {} {}, which is used.",
                                  position, position < used ? "below minStop" : "above maxStop",
                                  used));
  }
  return used;
}

// Gives the position to a motor in position control as its target.
void MotionRequests::hold_joint(int joint, double position) {
  for (int r = 0; r < simulation_.robots().size(); ++r) {
    for (const DeviceNode& node : simulation_.robot(r).devices()) {
      Motor* const motor = !node.detached && node.joint == joint ? node.get<Motor>() : nullptr;
      if (motor != nullptr) {
        motor->hold(position);
      }
    }
  }
}

bool MotionRequests::is_below(Id node, Id ancestor) const {
  return editor_.tree().find(node) != nullptr && editor_.tree().is_below(node, ancestor);
}

NodeState MotionRequests::state_below(const NodeState& all, Id id) const {
  NodeState state;
  const auto is_here = [&](const auto& part) { return is_below(part.node, id); };
  std::copy_if(all.solids.begin(), all.solids.end(), std::back_inserter(state.solids), is_here);
  std::copy_if(all.joints.begin(), all.joints.end(), std::back_inserter(state.joints), is_here);
  std::copy_if(all.batteries.begin(), all.batteries.end(), std::back_inserter(state.batteries),
               is_here);
  std::copy_if(all.locks.begin(), all.locks.end(), std::back_inserter(state.locks), is_here);
  return state;
}

// The state that the nodes had when they were loaded or imported.
NodeState MotionRequests::initial_state_below(Id id) {
  NodeStates& states = WorldControl(simulation_).node_states();
  NodeState state = state_below(states.initial(), id);
  const auto add = [&](const wbt::NodePtr& node) {
    if (node != nullptr) {
      const auto poses = poses_below(*node);
      state.poses.insert(state.poses.end(), poses.begin(), poses.end());
    }
  };
  if (id != 0) {
    add(states.start_of(id, *editor_.tree().file()));
  } else {
    const std::vector<wbt::NodePtr>& nodes = states.loaded().nodes;
    std::for_each(nodes.begin(), nodes.end(), add);
  }
  for (const auto& [top, node] : editor_.tree().file()->imported) {
    if (top != id && is_below(top, id)) {
      add(node);
    }
  }
  return state;
}

// The tree has the places of Poses and Transforms. The world is rebuilt if the simulation uses what
// is inside of them.
void MotionRequests::restore_poses(const NodeState& state, OwnedResponse& response) {
  const auto put_back = [&](Id id, std::string_view name, const wbt::Value& value) {
    const wbt::TreeEntry* found = editor_.tree().find(id);
    const auto key = found != nullptr ? wbt::find_field(*found->node, 0, name) : std::nullopt;
    if (key && found->node->value(name) != value) {
      FieldEdit edit{id, *key};
      edit.set_whole(value);
      editor_.change(std::move(edit), response);
    }
  };
  for (const NodeState::OfPose& pose : state.poses) {
    put_back(pose.node, "translation", pose.translation);
    put_back(pose.node, "rotation", pose.rotation);
  }
  editor_.settle();
}

void MotionRequests::restore_devices(const NodeState& state, Id id) {
  for (int r = 0; r < simulation_.robots().size(); ++r) {
    Robot& robot = simulation_.robot(r);
    for (const NodeState::OfBattery& battery : state.batteries) {
      if (robot.index() >= 0 && robot.spec().node == battery.node && robot.battery() != nullptr) {
        robot.own_battery()->set_energy(battery.energy);
        robot.set_power(true);
      }
    }
    if (robot.drive() && is_below(robot.spec().node, id)) {
      restart(*robot.drive());
    }
    for (const DeviceNode& node : robot.devices()) {
      if (!node.detached && is_below(node.spec->node, id)) {
        restart(node);
      }
      Connector* const connector =
          node.detached || !node.spec->connector ? nullptr : node.get<Connector>();
      for (const NodeState::OfLock& lock : state.locks) {
        if (connector != nullptr && node.spec->node == lock.node) {
          lock.locked ? connector->lock() : connector->unlock();
        }
      }
    }
  }
}

// Parents come before children, because a Solid moves with its parent.
void MotionRequests::restore(const NodeState& state, Id id, OwnedResponse& response) {
  restore_poses(state, response);
  for (const NodeState::OfSolid& s : state.solids) {
    const int index = live_.solid(s.node);
    const bool is_endpoint =
        index >= 0 &&
        WorldInspector(simulation_).scene().solids[static_cast<std::size_t>(index)].joint >= 0;
    try {
      if (index >= 0 && !is_endpoint) {
        simulation_.solid(index).set_pose(s.pose);
      }
    } catch (const std::invalid_argument&) {
      // A part of the body above is where it was.
    }
  }
  for (const NodeState::OfJoint& saved : state.joints) {
    const std::vector<int> joints = live_.joints(editor_.tree(), saved.node);
    for (std::size_t k = 0; k < std::min(joints.size(), saved.positions.size()); ++k) {
      try {
        simulation_.joint(joints[k]).set_state(saved.positions[k]);
      } catch (const std::invalid_argument&) {
        // The joint closes a loop: its position follows from the others.
      }
    }
  }
  for (const NodeState::OfSolid& s : state.solids) {
    if (const int index = live_.solid(s.node); index >= 0) {
      simulation_.solid(index).set_velocity(s.velocity);
    }
  }
  restore_devices(state, id);
}

void MotionRequests::save_state(const SupervisorRequest& request) {
  const Id id = static_cast<Id>(request.node);
  if (request.node != 0) {
    editor_.node(request);
  }
  NodeState state = state_below(WorldInspector(simulation_).node_state(), id);
  for (const wbt::NodePtr& top : editor_.tree().file()->nodes) {
    if (id == 0) {
      const auto poses = poses_below(*top);
      state.poses.insert(state.poses.end(), poses.begin(), poses.end());
    }
  }
  if (id != 0) {
    state.poses = poses_below(editor_.node(request));
  }
  WorldControl(simulation_)
      .node_states()
      .save(id, std::string(request.text), std::move(state), editor_.tree());
}

void MotionRequests::load_state(const SupervisorRequest& request, OwnedResponse& response) {
  const Id id = static_cast<Id>(request.node);
  if (request.node != 0) {
    editor_.node(request);
  }
  const NodeStates& states = WorldControl(simulation_).node_states();
  if (const NodeState* const found = states.find(id, std::string(request.text))) {
    // A copy, since a rebuild may drop the saved state.
    return restore(NodeState(*found), id, response);
  }
  if (request.text != "__init__") {
    throw SupervisorRequestError(fmt::format("the node has no state called '{}'.", request.text));
  }
  restore(initial_state_below(id), id, response);
}

}  // namespace servosim
