// SPDX-License-Identifier: Apache-2.0
// SupervisorServer: where things are and how they move.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "controller/server/supervisor/supervisor_server.h"
#include "scene/scene.h"
#include "sim/node_states.h"

namespace servosim {

int SupervisorServer::solid(const SupervisorRequest& request) {
  const int index = live_.solid(node(request).id);
  if (index < 0) {
    throw SupervisorRequestError("the node is no Solid, nor derived from one.");
  }
  return index;
}

void SupervisorServer::pose(const SupervisorRequest& request) {
  Pose p;
  if (request.node != 0) {
    if (node(request).type->field("translation") == nullptr) {
      throw SupervisorRequestError("the node is no Pose, nor derived from one.");
    }
    p = live_.pose(tree_, static_cast<Id>(request.node));
  }
  const auto& r = p.rotation;
  const Vec3& t = p.translation;
  tell(std::array{r(0, 0), r(0, 1), r(0, 2), t.x, r(1, 0), r(1, 1), r(1, 2), t.y, r(2, 0), r(2, 1),
                  r(2, 2), t.z, 0.0, 0.0, 0.0, 1.0});
}

void SupervisorServer::velocity(const SupervisorRequest& request) {
  const int index = solid(request);
  const auto& n = request.numbers;
  if (request.kind == SupervisorRequestKind::SetVelocity) {
    const SolidVelocity velocity{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
    refuse_what_is_too_large(norm(velocity.linear));
    refuse_what_is_too_large(norm(velocity.angular));
    return simulation_.set_solid_velocity(index, velocity);
  }
  // What has none of its own has that of what carries it.
  const auto& solids = simulation_.scene().solids;
  int mover = index;
  const auto is_moved = [this](int solid) {
    const auto [linear, angular] = simulation_.solid_velocity(solid);
    return simulation_.solid_has_body(solid) || linear != Vec3{} || angular != Vec3{};
  };
  while (!is_moved(mover) && solids[static_cast<std::size_t>(mover)].parent >= 0) {
    mover = solids[static_cast<std::size_t>(mover)].parent;
  }
  const auto [linear, angular] = simulation_.solid_velocity(mover);
  tell(std::array{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z});
}

void SupervisorServer::push(const SupervisorRequest& request) {
  const int index = solid(request);
  if (!simulation_.solid_has_body(index)) {
    if (forces_refused_.insert(static_cast<Id>(request.node)).second) {
      throw SupervisorRequestError("the Solid has no Physics: no force moves it (said once).");
    }
    return;
  }
  const Pose pose = simulation_.solid_pose(index);
  const auto& n = request.numbers;
  const bool relative = (request.index & 1) != 0;
  const Vec3 given{n[0], n[1], n[2]};
  const Vec3 vector = relative ? pose.rotation * given : given;
  if (request.kind == SupervisorRequestKind::AddTorque) {
    simulation_.add_torque(index, vector);
  } else if ((request.index & 2) != 0) {
    simulation_.add_force(index, vector, pose * Vec3{n[3], n[4], n[5]});
  } else {
    simulation_.add_force(index, vector);
  }
}

void SupervisorServer::contacts(const SupervisorRequest& request) {
  const auto& solids = simulation_.scene().solids;
  numbers_.clear();
  for (const ContactPoint& c : simulation_.contact_points(solid(request), request.index != 0)) {
    const double id = solids[static_cast<std::size_t>(c.solid)].node;
    numbers_.insert(numbers_.end(), {c.point.x, c.point.y, c.point.z, id});
  }
  response_.numbers = std::as_bytes(std::span<const double>(numbers_));
}

void SupervisorServer::set_joint_position(const SupervisorRequest& request) {
  node(request);
  const std::vector<int> joints = live_.joints(tree_, static_cast<Id>(request.node));
  if (joints.empty()) {
    throw SupervisorRequestError("the node is no joint, nor its parameters.");
  }
  if (request.index < 1 || static_cast<std::size_t>(request.index) > joints.size()) {
    throw SupervisorRequestError(fmt::format(
        "called with an invalid index {}; the joint has {}.", request.index,
        joints.size() == 1 ? "one axis: 1" : fmt::format("axes 1 to {}", joints.size())));
  }
  const int joint = joints[static_cast<std::size_t>(request.index) - 1];
  refuse_what_is_too_large(std::abs(request.numbers[0]));
  const double position = within_stops(joint, request.numbers[0]);
  simulation_.set_joint_state(joint, position);
  hold_joint(joint, position);
}

// Warns of a position beyond a hard stop, which becomes that stop.
double SupervisorServer::within_stops(int joint, double position) {
  const int index = simulation_.joint_in_scene(joint);
  if (index < 0) {
    return position;
  }
  const JointSpec& spec = simulation_.scene().joints[static_cast<std::size_t>(index)];
  if (spec.min_stop == spec.max_stop) {
    return position;
  }
  const double used = std::clamp(position, spec.min_stop, spec.max_stop);
  if (used != position) {
    response_.text = text_ =
        fmt::format("warning: the joint's position {} is {} {}, which is used.", position,
                    position < used ? "below minStop" : "above maxStop", used);
  }
  return used;
}

// Its motor, if it controls the position, is to leave it there.
void SupervisorServer::hold_joint(int joint, double position) {
  for (int r = 0; r < simulation_.robot_count(); ++r) {
    for (const Device& device : simulation_.robot(r).devices()) {
      if (device.motor != nullptr && !device.gone && device.joint == joint &&
          std::isfinite(device.motor->state().target_position)) {
        Motor::State state = device.motor->state();
        state.target_position = position;
        device.motor->set_state(state);
      }
    }
  }
}

NodeState SupervisorServer::below(const NodeState& all, Id id) const {
  NodeState state;
  const auto is_here = [&](const auto& part) {
    return tree_.find(part.node) != nullptr && tree_.is_below(part.node, id);
  };
  std::copy_if(all.solids.begin(), all.solids.end(), std::back_inserter(state.solids), is_here);
  std::copy_if(all.joints.begin(), all.joints.end(), std::back_inserter(state.joints), is_here);
  std::copy_if(all.batteries.begin(), all.batteries.end(), std::back_inserter(state.batteries),
               is_here);
  std::copy_if(all.locks.begin(), all.locks.end(), std::back_inserter(state.locks), is_here);
  return state;
}

// When they were loaded, or came.
NodeState SupervisorServer::start_below(Id id) {
  NodeStates& states = simulation_.node_states();
  NodeState state = below(states.initial, id);
  const auto add = [&](const wbt::NodePtr& node) {
    if (node != nullptr) {
      const auto poses = poses_below(*node);
      state.poses.insert(state.poses.end(), poses.begin(), poses.end());
    }
  };
  if (id != 0) {
    add(states.start_of(id, *tree_.file()));
  } else {
    std::for_each(states.file->nodes.begin(), states.file->nodes.end(), add);
  }
  for (const auto& [top, node] : tree_.file()->imported) {
    if (top != id && tree_.find(top) != nullptr && tree_.is_below(top, id)) {
      add(node);
    }
  }
  return state;
}

// Poses and Transforms are the tree's; the world is rebuilt where something but a picture stands
// in them.
void SupervisorServer::restore_poses(const NodeState& state) {
  const auto put_back = [this](Id id, std::string_view name, const wbt::Value& value) {
    const wbt::TreeEntry* found = tree_.find(id);
    const auto key = found != nullptr ? wbt::find_field(*found->node, 0, name) : std::nullopt;
    if (key && found->node->value(name) != value) {
      FieldEdit edit{id, *key};
      edit.whole = true;
      edit.value = value;
      change(std::move(edit));
    }
  };
  for (const NodeState::OfPose& pose : state.poses) {
    put_back(pose.node, "translation", pose.translation);
    put_back(pose.node, "rotation", pose.rotation);
  }
  settle();
}

// Motors are where their joints are and at rest, and have all that their fields say; brakes are
// released, and packets gone.
void SupervisorServer::restore_devices(const NodeState& state, Id id) {
  const auto is_meant = [&](Id node) {
    return tree_.find(node) != nullptr && tree_.is_below(node, id);
  };
  for (int r = 0; r < simulation_.robot_count(); ++r) {
    Robot& robot = simulation_.robot(r);
    for (const NodeState::OfBattery& battery : state.batteries) {
      if (robot.index() >= 0 && robot.spec().node == battery.node && robot.battery() != nullptr) {
        robot.set_battery_state({battery.energy, false, robot.battery()->state().noticed});
        robot.set_power(true);
      }
    }
    if (DifferentialWheels* wheels = robot.wheels();
        wheels != nullptr && is_meant(robot.spec().node)) {
      wheels->set_speed(0.0, 0.0);
    }
    for (const Device& device : robot.devices()) {
      if (!device.gone && is_meant(device.spec->node)) {
        restart_device(device);
      }
      for (const NodeState::OfLock& lock : state.locks) {
        if (!device.gone && device.connector != nullptr && device.spec->node == lock.node) {
          lock.locked ? device.connector->lock() : device.connector->unlock();
        }
      }
    }
  }
}

void SupervisorServer::restart_device(const Device& device) {
  if (device.motor != nullptr) {
    const MotorSpec& spec = *device.spec->motor;
    Motor::State state = device.motor->state();
    state.target_position = device.motor->position().value_or(spec.fixed_position);
    state.target_velocity = spec.max_velocity;
    state.available_force = state.powered ? spec.available_force : 0.0;
    state.force_control = false;
    state.force = 0.0;
    state.law.stop();
    state.law.clear_errors();
    device.motor->set_state(state);
    device.motor->set_acceleration(spec.acceleration);
  }
  if (device.brake != nullptr) {
    device.brake->set_damping_constant(0.0);
  }
  if (device.led != nullptr) {
    device.led->set(0);
  }
  if (device.emitter != nullptr) {
    Emitter::State state = device.emitter->state();
    state.queue.clear();
    state.waiting_bytes = 0;
    device.emitter->set_state(state);
  }
  if (device.receiver != nullptr) {
    Receiver::State state = device.receiver->state();
    state.waiting.clear();
    state.queue.clear();
    state.bytes = 0;
    device.receiver->set_state(state);
  }
}

// Parents come before children: what stands on a Solid moves along with it.
void SupervisorServer::restore(const NodeState& state, Id id) {
  restore_poses(state);
  for (const NodeState::OfSolid& s : state.solids) {
    const int index = live_.solid(s.node);
    const bool is_endpoint =
        index >= 0 && simulation_.scene().solids[static_cast<std::size_t>(index)].joint >= 0;
    try {
      if (index >= 0 && !is_endpoint) {
        simulation_.set_solid_pose(index, s.pose);
      }
    } catch (const std::invalid_argument&) {
      // a part of the body above, which is where it was
    }
  }
  for (const NodeState::OfJoint& saved : state.joints) {
    const std::vector<int> joints = live_.joints(tree_, saved.node);
    for (std::size_t k = 0; k < std::min(joints.size(), saved.positions.size()); ++k) {
      try {
        simulation_.set_joint_state(joints[k], saved.positions[k]);
      } catch (const std::invalid_argument&) {
        // it closes a loop: its position follows from the others
      }
    }
  }
  for (const NodeState::OfSolid& s : state.solids) {
    if (const int index = live_.solid(s.node); index >= 0) {
      simulation_.set_solid_velocity(index, s.velocity);
    }
  }
  restore_devices(state, id);
}

void SupervisorServer::save_state(const SupervisorRequest& request) {
  const Id id = static_cast<Id>(request.node);
  if (request.node != 0) {
    node(request);
  }
  NodeState state = below(simulation_.node_state(), id);
  for (const wbt::NodePtr& top : tree_.file()->nodes) {
    if (id == 0) {
      const auto poses = poses_below(*top);
      state.poses.insert(state.poses.end(), poses.begin(), poses.end());
    }
  }
  if (id != 0) {
    state.poses = poses_below(node(request));
  }
  NodeStates& states = simulation_.node_states();
  std::erase_if(states.named, [&](const auto& named) {
    const Id of = named.first.first;
    return of > states.last_loaded && tree_.find(of) == nullptr;  // it has left and stays away
  });
  states.named[{id, std::string(request.text)}] = std::move(state);
}

void SupervisorServer::load_state(const SupervisorRequest& request) {
  const Id id = static_cast<Id>(request.node);
  if (request.node != 0) {
    node(request);
  }
  const NodeStates& states = simulation_.node_states();
  if (const auto found = states.named.find({id, std::string(request.text)});
      found != states.named.end()) {
    return restore(NodeState(found->second), id);  // the world may forget it meanwhile
  }
  if (request.text != "__init__") {
    throw SupervisorRequestError(fmt::format("the node has no state called '{}'.", request.text));
  }
  restore(start_below(id), id);
}

}  // namespace servosim
