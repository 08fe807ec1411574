// SPDX-License-Identifier: Apache-2.0
// SupervisorDesk: where things are and how they move.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "controller/supervisor_desk.h"
#include "scene/scene.h"
#include "sim/node_states.h"

namespace servosim {

int SupervisorDesk::solid(const Ask& ask) {
  const int index = live_.solid(node(ask).id);
  if (index < 0) {
    throw AskError("the node is no Solid, nor derived from one.");
  }
  return index;
}

void SupervisorDesk::pose(const Ask& ask) {
  Pose p;
  if (ask.node != 0) {
    if (node(ask).type->field("translation") == nullptr) {
      throw AskError("the node is no Pose, nor derived from one.");
    }
    p = live_.pose(tree_, static_cast<Id>(ask.node));
  }
  const auto& r = p.rotation;
  const Vec3& t = p.translation;
  tell(std::array{r(0, 0), r(0, 1), r(0, 2), t.x, r(1, 0), r(1, 1), r(1, 2), t.y, r(2, 0), r(2, 1),
                  r(2, 2), t.z, 0.0, 0.0, 0.0, 1.0});
}

void SupervisorDesk::velocity(const Ask& ask) {
  const int index = solid(ask);
  const auto& n = ask.numbers;
  if (ask.kind == AskKind::SetVelocity) {
    if (!simulation_.solid_takes_velocity(index)) {
      return say_idle(ask,
                      "the Solid has no Physics and is moved by its joint: it takes no "
                      "velocity (said once).");
    }
    const SolidVelocity velocity{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
    refuse_what_is_too_large(norm(velocity.linear));
    refuse_what_is_too_large(norm(velocity.angular));
    return simulation_.set_solid_velocity(index, velocity);
  }
  const auto [linear, angular] = simulation_.solid_velocity(index);
  tell(std::array{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z});
}

// Refuses what does nothing, once for each node.
void SupervisorDesk::say_idle(const Ask& ask, const char* why) {
  const bool is_force = ask.kind != AskKind::SetVelocity;
  if (idle_.emplace(static_cast<Id>(ask.node), is_force).second) {
    throw AskError(why);
  }
}

void SupervisorDesk::push(const Ask& ask) {
  const int index = solid(ask);
  if (!simulation_.solid_has_body(index)) {
    return say_idle(ask, "the Solid has no Physics: no force moves it (said once).");
  }
  const Pose pose = simulation_.solid_pose(index);
  const auto& n = ask.numbers;
  const bool relative = (ask.index & 1) != 0;
  const Vec3 given{n[0], n[1], n[2]};
  const Vec3 vector = relative ? pose.rotation * given : given;
  if (ask.kind == AskKind::AddTorque) {
    simulation_.add_torque(index, vector);
  } else if ((ask.index & 2) != 0) {
    simulation_.add_force(index, vector, pose * Vec3{n[3], n[4], n[5]});
  } else {
    simulation_.add_force(index, vector);
  }
}

void SupervisorDesk::contacts(const Ask& ask) {
  const auto& solids = simulation_.scene().solids;
  numbers_.clear();
  for (const ContactPoint& c : simulation_.contact_points(solid(ask), ask.index != 0)) {
    const double id = solids[static_cast<std::size_t>(c.solid)].node;
    numbers_.insert(numbers_.end(), {c.point.x, c.point.y, c.point.z, id});
  }
  told_.numbers = std::as_bytes(std::span<const double>(numbers_));
}

void SupervisorDesk::set_joint_position(const Ask& ask) {
  node(ask);
  const std::vector<int> joints = live_.joints(tree_, static_cast<Id>(ask.node));
  if (joints.empty()) {
    throw AskError("the node is no joint, nor its parameters.");
  }
  if (ask.index < 1 || static_cast<std::size_t>(ask.index) > joints.size()) {
    throw AskError(fmt::format(
        "called with an invalid index {}; the joint has {}.", ask.index,
        joints.size() == 1 ? "one axis: 1" : fmt::format("axes 1 to {}", joints.size())));
  }
  const int joint = joints[static_cast<std::size_t>(ask.index) - 1];
  refuse_what_is_too_large(std::abs(ask.numbers[0]));
  simulation_.set_joint_state(joint, ask.numbers[0]);
  hold_joint(joint, ask.numbers[0]);
}

// Its motor, if it controls the position, is to leave it there.
void SupervisorDesk::hold_joint(int joint, double position) {
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

NodeState SupervisorDesk::below(const NodeState& all, Id id) const {
  NodeState state;
  const auto is_here = [&](const auto& part) {
    return tree_.find(part.node) != nullptr && tree_.is_below(part.node, id);
  };
  std::copy_if(all.solids.begin(), all.solids.end(), std::back_inserter(state.solids), is_here);
  std::copy_if(all.joints.begin(), all.joints.end(), std::back_inserter(state.joints), is_here);
  return state;
}

// Parents come before children: what stands on a Solid moves along with it.
void SupervisorDesk::restore(const NodeState& state) {
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
    if (const int index = live_.solid(s.node);
        index >= 0 && simulation_.solid_takes_velocity(index)) {
      simulation_.set_solid_velocity(index, s.velocity);
    }
  }
}

void SupervisorDesk::save_state(const Ask& ask) {
  const Id id = static_cast<Id>(ask.node);
  if (ask.node != 0) {
    node(ask);
  }
  simulation_.node_states().named[{id, std::string(ask.text)}] =
      below(simulation_.node_state(), id);
}

void SupervisorDesk::load_state(const Ask& ask) {
  const Id id = static_cast<Id>(ask.node);
  if (ask.node != 0) {
    node(ask);
  }
  const NodeStates& states = simulation_.node_states();
  if (const auto found = states.named.find({id, std::string(ask.text)});
      found != states.named.end()) {
    return restore(found->second);
  }
  if (ask.text != "__init__") {
    throw AskError(fmt::format("the node has no state called '{}'.", ask.text));
  }
  restore(below(states.initial, id));
}

}  // namespace servosim
