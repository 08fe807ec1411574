// SPDX-License-Identifier: Apache-2.0
#include "robots/robot_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "robots/inertia.h"
#include "robots/robot_names.h"

namespace servosim::robots {
namespace {

// The mass of a body that moves and has none [kg, kg·m²].
constexpr double kLeastMass = 1e-3;
constexpr double kLeastMoment = 1e-6;
constexpr double kPartBetween = 1e-3;  // of the mass of a link that has several joints

bool has_mass(const RobotLink& link) { return link.inertial && link.inertial->mass > 0.0; }

// Returns for each link the first one of its body. A link whose load is measured is a body of its
// own, also where it is fixed to what does not move.
std::vector<std::size_t> heads_of(const RobotModel& model) {
  std::vector<bool> is_measured(model.links.size());
  for (const Sensor& sensor : model.sensors) {
    if (sensor.type == SensorType::ForceTorque) {
      is_measured[static_cast<std::size_t>(sensor.link)] = true;
    }
  }
  std::vector<std::size_t> heads;
  for (const RobotLink& link : model.links) {
    const bool is_head = link.parent < 0 || !link.joints.empty() || is_measured[heads.size()];
    heads.push_back(is_head ? heads.size() : heads[static_cast<std::size_t>(link.parent)]);
  }
  return heads;
}

// A world lets bodies never touch that hinges with a common anchor connect.
bool turn_about_one_point(const std::vector<RobotJoint>& joints) {
  return std::ranges::all_of(joints, [&](const RobotJoint& joint) {
    return joint.motion == JointMotion::Turn && norm(joint.anchor - joints[0].anchor) < 1e-9;
  });
}

}  // namespace

// The link still does not touch its parent, unless that does not move.
void split_joints(RobotModel& model, std::vector<Loss>& losses) {
  const std::vector<std::size_t> heads = heads_of(model);
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const RobotLink& link = model.links[i];
    const bool moves = heads[static_cast<std::size_t>(link.parent)] != 0 || !model.fixed_base;
    if (link.joints.size() > 1 && moves && !turn_about_one_point(link.joints)) {
      model.untouched.push_back({link.parent, static_cast<int>(i)});
    }
  }
  std::set<std::string> names;
  for (const RobotLink& link : model.links) {
    names.insert(link.name);
  }
  std::vector<RobotLink> links;
  std::vector<int> numbers;  // the new ones
  for (RobotLink& link : model.links) {
    link.parent = link.parent < 0 ? -1 : numbers[static_cast<std::size_t>(link.parent)];
    const std::vector<RobotJoint> joints = std::exchange(link.joints, {});
    for (std::size_t i = 0; i + 1 < joints.size(); ++i) {
      RobotLink between;
      between.name = unused_name(fmt::format("{} {}", link.name, i + 1), names);
      names.insert(between.name);
      between.parent = std::exchange(link.parent, static_cast<int>(links.size()));
      between.pose = std::exchange(link.pose, Pose{});
      between.joints = {joints[i]};
      between.where = between.inertial_where = link.where;
      if (link.inertial) {
        MassProperties& mass = *link.inertial;
        between.inertial = {kPartBetween * mass.mass, mass.center, kPartBetween * mass.inertia};
        mass.mass -= between.inertial->mass;
        mass.inertia = (1.0 - kPartBetween) * mass.inertia;
      }
      links.push_back(std::move(between));
    }
    if (joints.size() > 1) {
      losses.push_back(
          {link.where,
           fmt::format("link '{}' has {} joints: the bodies between them have {} of its "
                       "mass each",
                       link.name, joints.size(), kPartBetween),
           true});
    }
    if (!joints.empty()) {
      link.joints = {joints.back()};
    }
    numbers.push_back(static_cast<int>(links.size()));
    links.push_back(std::move(link));
  }
  model.links = std::move(links);
  for (Sensor& sensor : model.sensors) {
    sensor.link = numbers[static_cast<std::size_t>(sensor.link)];
  }
  for (UntouchedPair& pair : model.untouched) {
    pair.first = numbers[static_cast<std::size_t>(pair.first)];
    pair.second = numbers[static_cast<std::size_t>(pair.second)];
  }
}

namespace {

void fix_impossible_joints(RobotModel& model, std::vector<Loss>& losses) {
  for (RobotLink& link : model.links) {
    if (link.joints.empty() || is_loose(model, link)) {
      continue;
    }
    const RobotJoint& joint = link.joints[0];  // split_joints() has left no more
    if (joint.motion == JointMotion::Planar || joint.motion == JointMotion::Free) {
      losses.push_back({joint.where,
                        fmt::format("joint '{}' is {} and becomes fixed", joint.name,
                                    joint.motion == JointMotion::Free ? "floating" : "planar"),
                        true});
      link.joints.clear();
    } else if (joint.mimic && joint.mimic->multiplier == 0.0) {
      losses.push_back({joint.where,
                        fmt::format("joint '{}' becomes fixed at {}, as it follows joint '{}' with "
                                    "the multiplier 0",
                                    joint.name, joint.start, joint.mimic->leader),
                        true});
      link.pose = link.pose * start_motion(joint);
      link.joints.clear();
    }
  }
}

// Leaves out pairs that never touch in a world either: a joint connects their bodies, or one of the
// bodies has nothing that touches. A robot can only say whether its own links touch each other, so
// that other pairs are losses.
void settle_pairs(RobotModel& model, std::vector<Loss>& losses) {
  const std::vector<std::size_t> heads = heads_of(model);
  std::vector<bool> touches(model.links.size());
  std::vector<std::size_t> robots;  // the link at the top of each link's robot
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const RobotLink& link = model.links[i];
    robots.push_back(link.parent < 0 || is_loose(model, link)
                         ? i
                         : robots[static_cast<std::size_t>(link.parent)]);
    touches[heads[i]] = touches[heads[i]] || !link.collisions.empty();
  }
  const auto hangs_on = [&](std::size_t body, std::size_t other) {
    const int parent = model.links[body].parent;
    return parent >= 0 && heads[static_cast<std::size_t>(parent)] == other;
  };
  std::erase_if(model.untouched, [&](const UntouchedPair& pair) {
    const std::size_t a = heads[static_cast<std::size_t>(pair.first)];
    const std::size_t b = heads[static_cast<std::size_t>(pair.second)];
    if (!touches[a] || !touches[b]) {
      return true;
    }
    if (robots[a] != robots[b]) {
      losses.push_back({model.links[b].where,
                        fmt::format("links '{}' and '{}' touch, as they are in different robots",
                                    model.links[a].name, model.links[b].name),
                        true});
      return true;
    }
    return a == b || hangs_on(a, b) || hangs_on(b, a);
  });
}

/// The bodies of a robot, by link.
class Bodies {
 public:
  explicit Bodies(RobotModel& model)
      : model_(model),
        head_(heads_of(model)),
        others_(model.links.size()),
        moves_(model.links.size()) {
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      moves_[i] = head_[i] != 0 || !model.fixed_base;
      if (head_[i] != i) {
        others_[head_[i]].push_back(i);
      }
    }
  }

  void spread(std::vector<Loss>& losses) {
    for (std::size_t i = 0; i < model_.links.size(); ++i) {
      if (!moves_[i]) {
        model_.links[i].inertial.reset();
      } else if (head_[i] == i) {
        fill_head(i, losses);
      }
    }
    for (std::size_t i = 1; i < model_.links.size(); ++i) {
      if (moves_[i]) {
        hang_on_body(i);
      }
      if (moves_[i] && !has_mass(model_.links[i])) {
        give_collisions(model_.links[i]);
      }
    }
  }

 private:
  // Gives a head the masses of links in its body that cannot be bodies of their own, and then those
  // of others, as long as it cannot be one either. The sum is exact.
  void fill_head(std::size_t head, std::vector<Loss>& losses) {
    for (const bool takes_all : {false, true}) {
      for (const std::size_t i : others_[head]) {
        const RobotLink& link = model_.links[i];
        if (has_mass(link) &&
            (takes_all ? !can_be_body(model_.links[head]) : !is_solid(*link.inertial))) {
          take_mass(i, head);
        }
      }
    }
    RobotLink& link = model_.links[head];
    if (!has_mass(link)) {
      link.inertial =
          MassProperties{kLeastMass, {}, diagonal(kLeastMoment, kLeastMoment, kLeastMoment)};
      link.inertial_where = link.where;
      losses.push_back({link.where,
                        fmt::format("link '{}' moves and has no mass; it gets {} kg and {} kg m^2",
                                    link.name, kLeastMass, kLeastMoment),
                        true});
    } else if (!is_solid(*link.inertial)) {
      const std::string repaired = repair_inertia(*link.inertial);
      losses.push_back({link.inertial_where,
                        fmt::format("the inertia of link '{}' {}", link.name, repaired), true});
    }
  }

  static bool can_be_body(const RobotLink& link) {
    return has_mass(link) && is_solid(*link.inertial);
  }

  void take_mass(std::size_t from, std::size_t head) {
    RobotLink& link = model_.links[head];
    RobotLink& giver = model_.links[from];
    const MassProperties mass = placed(*giver.inertial, pose_below(from, head));
    if (!has_mass(link)) {
      link.inertial_where = giver.inertial_where;
    }
    link.inertial = has_mass(link) ? *link.inertial + mass : mass;
    giver.inertial.reset();
  }

  // Hangs a link on one that has a mass: its parent, or else that of the parent, on which the
  // parent hangs by now.
  void hang_on_body(std::size_t i) {
    RobotLink& link = model_.links[i];
    if (const RobotLink& parent = model_.links[static_cast<std::size_t>(link.parent)];
        moves_[static_cast<std::size_t>(link.parent)] && !has_mass(parent)) {
      link.pose = parent.pose * link.pose;
      link.parent = parent.parent;
    }
  }

  void give_collisions(RobotLink& link) {
    RobotLink& above = model_.links[static_cast<std::size_t>(link.parent)];
    for (LinkShape& shape : link.collisions) {
      shape.pose = link.pose * shape.pose;
      above.collisions.push_back(std::move(shape));
    }
    if (!link.collisions.empty() && !above.contact_friction) {
      above.contact_friction = link.contact_friction;
    }
    link.collisions.clear();
  }

  // Returns the pose of a link in the frame of another one of the same body.
  Pose pose_below(std::size_t link, std::size_t above) const {
    Pose pose;
    for (; link != above; link = static_cast<std::size_t>(model_.links[link].parent)) {
      pose = model_.links[link].pose * pose;
    }
    return pose;
  }

  RobotModel& model_;
  std::vector<std::size_t> head_;
  std::vector<std::vector<std::size_t>> others_;  // the links of each head's body without the head
  std::vector<bool> moves_;
};

}  // namespace

bool is_loose(const RobotModel& model, const RobotLink& link) {
  return model.fixed_base && link.parent == 0 && link.joints.size() == 1 &&
         link.joints[0].motion == JointMotion::Free;
}

void prepare_bodies(RobotModel& model, std::vector<Loss>& losses) {
  split_joints(model, losses);
  fix_impossible_joints(model, losses);
  settle_pairs(model, losses);
  Bodies(model).spread(losses);
}

Pose start_motion(const RobotJoint& joint) {
  switch (joint.motion) {
    case JointMotion::Turn:
      return turn_about(joint.anchor, joint.axis, joint.start);
    case JointMotion::Slide:
      return {{}, joint.start * joint.axis};
    default:
      return {};
  }
}

std::vector<Pose> start_poses(const RobotModel& model) {
  std::vector<Pose> poses;
  for (const RobotLink& link : model.links) {
    Pose pose = link.parent >= 0 ? poses[static_cast<std::size_t>(link.parent)] : Pose{};
    pose = pose * link.pose;
    for (const RobotJoint& joint : link.joints) {
      pose = pose * start_motion(joint);
    }
    poses.push_back(pose);
  }
  return poses;
}

}  // namespace servosim::robots
