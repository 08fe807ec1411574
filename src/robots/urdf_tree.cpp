// SPDX-License-Identifier: Apache-2.0
#include "robots/urdf_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "robots/mimics.h"

namespace servosim::robots {
namespace {

/// Joins links by their joints.
class TreeBuilder {
 public:
  TreeBuilder(UrdfParts parts, Diagnostics& diagnostics, std::vector<Loss>& losses)
      : parts_(std::move(parts)), diagnostics_(diagnostics), losses_(losses) {}

  std::optional<RobotModel> build();

 private:
  bool connect();
  int number_of(const std::string& link, const UrdfJoint& joint, const char* end);
  int choose_root();
  int count_below(int link) const;
  bool attach(int root, RobotModel& model);
  void hang_sensors(RobotModel& model);
  bool resolve_mimics(RobotModel& model);

  UrdfParts parts_;
  Diagnostics& diagnostics_;
  std::vector<Loss>& losses_;
  std::map<std::string, int> numbers_;   // of links
  std::vector<std::string_view> names_;  // the same, in the order of the file
  std::vector<int> joint_above_;         // by link; -1 for a root
  std::vector<std::vector<int>> below_;  // by link: its joints, in the order of the file
  std::vector<int> placed_;              // by link: its index in the model, or -1
};

int TreeBuilder::number_of(const std::string& link, const UrdfJoint& joint, const char* end) {
  const auto known = numbers_.find(link);
  if (known != numbers_.end()) {
    return known->second;
  }
  // Only the first errors are kept, so that others need no proposal.
  const std::string proposal =
      diagnostics_.errors() < Diagnostics::kMaxKept ? did_you_mean(link, names_) : "";
  diagnostics_.error(joint.joint.where,
                     link.empty() ? fmt::format("joint '{}' has no {} link", joint.joint.name, end)
                                  : fmt::format("the {} link '{}' of joint '{}' does not exist{}",
                                                end, link, joint.joint.name, proposal));
  return -1;
}

bool TreeBuilder::connect() {
  for (std::size_t i = 0; i < parts_.links.size(); ++i) {
    numbers_.emplace(parts_.links[i].name, static_cast<int>(i));
    names_.push_back(parts_.links[i].name);
  }
  joint_above_.assign(parts_.links.size(), -1);
  below_.resize(parts_.links.size());
  bool good = true;
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const UrdfJoint& joint = parts_.joints[j];
    const int parent = number_of(joint.parent, joint, "parent");
    const int child = number_of(joint.child, joint, "child");
    if (parent < 0 || child < 0) {
      good = false;
    } else if (joint_above_[child] >= 0) {
      diagnostics_.error(
          joint.joint.where,
          fmt::format("link '{}' is the child of two joints, '{}' and '{}'; URDF has no loops",
                      joint.child, parts_.joints[joint_above_[child]].joint.name,
                      joint.joint.name));
      good = false;
    } else {
      joint_above_[child] = static_cast<int>(j);
      below_[parent].push_back(static_cast<int>(j));
    }
  }
  return good;
}

// Returns the number of links below a link. There is no loop below a root.
int TreeBuilder::count_below(int link) const {
  std::vector<int> open{link};
  int count = 0;
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    for (const int joint : below_[at]) {
      open.push_back(numbers_.at(parts_.joints[joint].child));
      ++count;
    }
  }
  return count;
}

// Returns the root with the most links; -1 without a root.
int TreeBuilder::choose_root() {
  std::vector<int> roots;
  for (std::size_t i = 0; i < joint_above_.size(); ++i) {
    if (joint_above_[i] < 0) {
      roots.push_back(static_cast<int>(i));
    }
  }
  if (roots.empty()) {
    diagnostics_.error(parts_.where, parts_.links.empty()
                                         ? "the robot has no link"
                                         : "the joints form a loop: no link is the root");
    return -1;
  }
  std::vector<int> counts;  // of the links below each root
  std::ranges::transform(roots, std::back_inserter(counts),
                         [this](int root) { return count_below(root); });
  const std::size_t reached = std::accumulate(counts.begin(), counts.end(), roots.size());
  if (reached < parts_.links.size()) {
    diagnostics_.error(parts_.where, "some joints form a loop, which hangs on no root");
    return -1;
  }
  const int root = roots[static_cast<std::size_t>(
      std::distance(counts.begin(), std::ranges::max_element(counts)))];
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (const int other = roots[i]; other != root) {
      losses_.push_back({parts_.links[other].where,
                         fmt::format("link '{}' is a second root next to '{}'; it is left out with "
                                     "the {} links below it",
                                     parts_.links[other].name, parts_.links[root].name, counts[i]),
                         true});
    }
  }
  return root;
}

bool TreeBuilder::attach(int root, RobotModel& model) {
  struct Open {
    int link;
    int parent;  // in the model
    int level;
  };
  placed_.assign(parts_.links.size(), -1);
  std::vector<Open> open{{root, -1, 1}};
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    RobotLink link = std::move(parts_.links[at.link]);
    if (at.level > kMaxLevels) {
      diagnostics_.error(link.where, fmt::format("links nest deeper than {} levels", kMaxLevels));
      return false;
    }
    link.parent = at.parent;
    if (at.parent >= 0) {
      const UrdfJoint& above = parts_.joints[joint_above_[at.link]];
      link.pose = above.origin;
      if (!above.is_fixed) {
        link.joints.push_back(above.joint);
        if (above.second) {
          link.joints.push_back(*above.second);
        }
      }
    }
    placed_[at.link] = static_cast<int>(model.links.size());
    model.links.push_back(std::move(link));
    const auto& joints = below_[at.link];
    for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
      open.push_back({numbers_.at(parts_.joints[*joint].child), placed_[at.link], at.level + 1});
    }
  }
  return true;
}

void TreeBuilder::hang_sensors(RobotModel& model) {
  for (UrdfSensor& sensor : parts_.sensors) {
    const auto link = numbers_.find(sensor.link);
    if (link == numbers_.end() || placed_[link->second] < 0) {
      losses_.push_back({sensor.sensor.where,
                         fmt::format("sensor '{}' has no link '{}' and is left out",
                                     sensor.sensor.name, sensor.link),
                         false});
      continue;
    }
    sensor.sensor.link = placed_[link->second];
    model.sensors.push_back(std::move(sensor.sensor));
  }
}

// Makes each mimic joint follow one that follows no other, or none if its leader cannot move it.
bool TreeBuilder::resolve_mimics(RobotModel& model) {
  std::set<std::string_view> still;
  for (const UrdfJoint& joint : parts_.joints) {
    if (joint.is_fixed) {
      still.insert(joint.joint.name);
    }
  }
  std::vector<RobotJoint*> moving;
  std::set<std::string_view> names;
  for (RobotLink& link : model.links) {
    for (RobotJoint& joint : link.joints) {
      moving.push_back(&joint);
      names.insert(joint.name);
    }
  }
  for (RobotJoint* const joint : moving) {
    if (joint->mimic && !names.contains(joint->mimic->leader)) {
      losses_.push_back(
          {joint->where,
           fmt::format("joint '{}' should follow joint '{}', which {}", joint->name,
                       joint->mimic->leader,
                       still.contains(joint->mimic->leader) ? "does not move" : "does not exist"),
           true});
      joint->mimic.reset();
    }
  }
  if (const RobotJoint* const joint = follow_last_leaders(moving)) {
    diagnostics_.error(joint->where,
                       fmt::format("joint '{}' follows itself by way of others: one of them must "
                                   "not mimic",
                                   joint->name));
    return false;
  }
  start_with_leaders(moving);
  return true;
}

// Drops a root `world` below which one link is free: that one is the root of a free robot. A world
// that is more than a frame stays, and the link is a body next to it.
void free_root(RobotModel& model) {
  if (!model.links[0].visuals.empty() || !model.links[0].collisions.empty() ||
      std::ranges::count(model.sensors, 0, &Sensor::link) > 0) {
    return;
  }
  const auto hangs_free = [](const RobotLink& link) {
    return link.parent == 0 && link.joints.size() == 1 &&
           link.joints[0].motion == JointMotion::Free;
  };
  const auto on_root = std::ranges::count(model.links, 0, &RobotLink::parent);
  if (on_root != 1 || !hangs_free(model.links[1])) {
    return;
  }
  model.fixed_base = false;
  model.links.erase(model.links.begin());
  model.links[0].joints.clear();
  for (RobotLink& link : model.links) {
    --link.parent;
  }
  model.links[0].parent = -1;
  for (Sensor& sensor : model.sensors) {
    --sensor.link;
  }
}

std::optional<RobotModel> TreeBuilder::build() {
  RobotModel model;
  model.name = parts_.name;
  model.where = parts_.where;
  if (!connect()) {
    return std::nullopt;
  }
  const int root = choose_root();
  if (root < 0 || !attach(root, model)) {
    return std::nullopt;
  }
  hang_sensors(model);
  if (!resolve_mimics(model)) {
    return std::nullopt;
  }
  const bool is_world = model.links[0].name == "world" && !model.links[0].inertial;
  model.fixed_base = is_world || parts_.is_static;
  if (is_world && !parts_.is_static) {
    free_root(model);
  }
  return model;
}

}  // namespace

std::optional<RobotModel> tree_of(UrdfParts parts, Diagnostics& diagnostics,
                                  std::vector<Loss>& losses) {
  return TreeBuilder(std::move(parts), diagnostics, losses).build();
}

}  // namespace servosim::robots
