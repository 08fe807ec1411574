// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/trees_for_lanes.h"

#include <algorithm>

#include "base/limits.h"
#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "physics/tree/trees.h"

namespace servosim {

namespace {

// Returns the size of positions and rates up to which no body of these trees is out of range. A
// point of n links is at most as far as all links are long, and as sliders are moved; its speed is
// at most n times the fastest rate, times that distance or 1. The place of the base is not in it.
double most_of(const std::vector<JointLaneTree>& trees, double most_spin) {
  double length = 1.0;
  double axes = 1.0;
  double sliders = 0.0;
  for (const JointLaneTree& tree : trees) {
    for (const TreeLink& link : tree.links.links()) {
      length += norm(link.anchor) + norm(link.arm);
      axes += 1.0;
      sliders += link.kind == LinkKind::Slider ? 1.0 : 0.0;
    }
  }
  double most = 1e5;  // beyond it sines lose digits
  while (axes * most * (length + sliders * most) > kMaxCoordinate || axes * most > most_spin) {
    most *= 0.5;
  }
  return most;
}

}  // namespace

const char* TreesForLanes::describe(JointLaneModel& model) const {
  const IntegratorRule& rule = of_.integrator_;
  if (!rule.is_joint || rule.accuracy > 0.0) {
    return "lanes need the integrator joint without an accuracy";
  }
  model.settings = of_.settings_;
  model.evaluations = rule.evaluations;
  model.trees.clear();
  double most_spin = kMaxCoordinate;
  if (!of_.couplings_.empty()) {
    return "joints are coupled";
  }
  for (const Trees::Tree& tree : of_.trees_) {
    if (tree.coordinates == nullptr || tree.has_loops()) {
      return "a tree has joints with several axes or closes a loop";
    }
    JointLaneTree& in_lanes = model.trees.emplace_back();
    in_lanes.links = tree.coordinates->model();
    in_lanes.reference = tree.coordinates->reference();
    if (in_lanes.links.links().size() != in_lanes.links.rates()) {
      return "a body hangs on no hinge or slider";
    }
    for (std::size_t r = 0; r < in_lanes.links.rates(); ++r) {
      const HingeRows* const rows = tree.coordinates->rows(r);
      if (rows == nullptr || rows->number < 0 || rows->gap != nullptr || rows->servo != nullptr) {
        return "a joint has backlash or a real servo";
      }
      in_lanes.axes.push_back({rows->number, rows->offset, rows->axis.stops, rows->axis.spring});
    }
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      most_spin = std::min(most_spin, of_.forest_.bodies[i].limits.max_spin);
    }
  }
  model.most = most_of(model.trees, most_spin);
  return model.axes() > 0 ? nullptr : "nothing moves";
}

namespace {

// Returns whether a step of length h that goes on from such a history is one of lanes.
bool suits_lanes(const StepHistory& history, double h) {
  return history.steps == 0.0 ||
         (history.last_h == h && (history.steps == 1.0 || history.before_h == h));
}

}  // namespace

bool TreesForLanes::read(const JointLaneModel& model, const JointLaneState& state,
                         bool& begins) const {
  std::size_t axis = 0;
  std::vector<double> positions;
  begins = model.has_history() && of_.trees_.front().coordinates->history().steps == 0.0;
  for (std::size_t t = 0; t < of_.trees_.size(); ++t) {
    const Trees::Tree& tree = of_.trees_[t];
    const StepHistory& history = tree.coordinates->history();
    if ((model.has_history() &&
         (!suits_lanes(history, model.settings.h) || begins != (history.steps == 0.0))) ||
        !of_.is_all_awake(static_cast<int>(t))) {
      return false;
    }
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      const TreeBody& body = of_.forest_.bodies[i];
      if (to_vec3(body.force) != Vec3{} || to_vec3(body.torque) != Vec3{}) {
        return false;
      }
    }
    for (std::size_t r = 0; r < model.trees[t].axes.size(); ++r) {
      const JointLaneAxis& of = model.trees[t].axes[r];
      const HingeRows& rows = *tree.coordinates->rows(r);
      const SpringRow& spring = rows.axis.spring;
      if (rows.offset != of.offset || spring.active != of.spring.active ||
          spring.cfm != of.spring.cfm || spring.gain != of.spring.gain) {
        return false;
      }
      positions.push_back(state.positions[axis + r] - of.offset);
    }
    if (!tree.coordinates->read_start(positions, state.rates + axis)) {
      return false;
    }
    for (std::size_t r = 0; model.has_history() && r < positions.size(); ++r) {
      state.last[axis + r] = begins ? 0.0 : history.last[r];
      state.before[axis + r] = history.steps < 2.0 ? state.last[axis + r] : history.before[r];
    }
    axis += positions.size();
    positions.clear();
  }
  return true;
}

void TreesForLanes::put(const JointLaneState& state) {
  std::size_t axis = 0;
  for (Trees::Tree& tree : of_.trees_) {
    const std::size_t count = tree.coordinates->model().rates();
    const auto part = [axis, count](const double* all) {
      return all != nullptr ? std::span(all + axis, count) : std::span<const double>();
    };
    tree.coordinates->put(
        {part(state.positions), part(state.rates), part(state.last), part(state.before)});
    axis += count;
  }
}

}  // namespace servosim
