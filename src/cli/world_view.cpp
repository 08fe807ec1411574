// SPDX-License-Identifier: Apache-2.0
#include "cli/world_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cli/output.h"

namespace servosim {

WorldView::WorldView(const Simulation& simulation)
    : scene_(simulation.scene()),
      bodies_(simulation.bodies()),
      body_of_(scene_.solids.size(), -1),
      mobility_(scene_.solids.size(), Mobility::Static),
      below_(scene_.solids.size() + 1),
      world_pose_(scene_.solids.size()) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    for (const RigidBody::Part& part : bodies_[b].parts) {
      body_of_[part.solid] = static_cast<int>(b);
    }
  }
  for (std::size_t s = 0; s < scene_.solids.size(); ++s) {
    const SolidSpec& solid = scene_.solids[s];
    const bool carried = solid.parent >= 0 && mobility_[solid.parent] != Mobility::Static;
    const bool drifts = solid.linear_velocity != Vec3{} || solid.angular_velocity != Vec3{};
    mobility_[s] = body_of_[s] >= 0                        ? Mobility::Dynamic
                   : solid.joint >= 0 || carried || drifts ? Mobility::Kinematic
                                                           : Mobility::Static;
    world_pose_[s] = solid.parent >= 0 ? world_pose_[solid.parent] * solid.pose : solid.pose;
    if (solid.joint < 0) {
      below_[static_cast<std::size_t>(solid.parent + 1)].solids.push_back(static_cast<int>(s));
    }
  }
  for (std::size_t j = 0; j < scene_.joints.size(); ++j) {
    const JointSpec& joint = scene_.joints[j];
    if (joint.axis_number == 0) {
      below_[static_cast<std::size_t>(joint.parent + 1)].joints.push_back(static_cast<int>(j));
    }
  }
}

std::vector<int> WorldView::bodies_of(int robot) const {
  std::vector<int> indices;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (scene_.solids[bodies_[b].owner()].robot == robot) {
      indices.push_back(static_cast<int>(b));
    }
  }
  return indices;
}

MassProperties WorldView::total_mass(int robot) const {
  const Pose frame = robot >= 0 ? inverse(world_pose_[scene_.robots[robot].solid]) : Pose{};
  MassProperties total;
  for (const int b : bodies_of(robot)) {
    total = total + placed(bodies_[b].mass, frame * world_pose_[bodies_[b].owner()]);
  }
  return total;
}

namespace {

// A table for people shows rounding noise as what it is; the trace has every digit.
double without_noise(double value) { return std::abs(value) < 1e-9 ? 0.0 : value; }

}  // namespace

JointSummary::JointSummary(const Simulation& simulation, const Watch& watched)
    : simulation_(simulation), propellers_(watched.propellers.size()) {
  for (const int j : watched.joints) {
    const double position = simulation.joint(j).position;
    joints_.push_back({j, position, position, position});
  }
}

void JointSummary::update() {
  for (Extremes& e : joints_) {
    const JointReading reading = simulation_.joint(e.joint);
    e.min = std::min(e.min, reading.position);
    e.max = std::max(e.max, reading.position);
    e.velocity = std::max(e.velocity, std::abs(reading.velocity));
    e.effort = std::max(e.effort, std::abs(reading.effort));
  }
}

std::string JointSummary::table() const {
  if (joints_.empty()) {
    const char* where = simulation_.joint_count() == 0 ? "the world has" : "--watch chose";
    return propellers_ == 0 ? "the world has no joints\n"
                            : fmt::format("{} no joints, but {} propeller{}: see --trace\n", where,
                                          propellers_, propellers_ == 1 ? "" : "s");
  }
  std::size_t name_width = 5;
  for (const Extremes& e : joints_) {
    name_width = std::max(name_width, display_width(simulation_.joint_name(e.joint)));
  }
  std::string text = fmt::format("{}  {:<10} {:<13}", padded("joint", name_width), "type", "units");
  for (const char* column : {"start", "final", "min", "max", "|velocity|", "|effort|"}) {
    text += fmt::format(" {:>12}", column);
  }
  text += '\n';
  for (const Extremes& e : joints_) {
    const bool turns = simulation_.joint_type(e.joint) == JointType::Rotational;
    fmt::format_to(std::back_inserter(text), "{}  {:<10} {:<13}",
                   padded(simulation_.joint_name(e.joint), name_width),
                   turns ? "rotational" : "linear", turns ? "rad rad/s N m" : "m m/s N");
    for (const double value :
         {e.start, simulation_.joint(e.joint).position, e.min, e.max, e.velocity, e.effort}) {
      fmt::format_to(std::back_inserter(text), " {:>12.6g}", without_noise(value));
    }
    text += '\n';
  }
  return text;
}

}  // namespace servosim
