// SPDX-License-Identifier: Apache-2.0
#include "cli/joint_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cli/text_table.h"

namespace servosim {
namespace {

// A table for people shows rounding noise as what it is; the trace has every digit.
double without_noise(double value) { return std::abs(value) < 1e-9 ? 0.0 : value; }

}  // namespace

JointSummary::JointSummary(const Simulation& simulation) : simulation_(simulation) {
  for (int j = 0; j < simulation.joint_count(); ++j) {
    const double position = simulation.joint(j).position;
    joints_.push_back({position, position, position});
  }
}

void JointSummary::update() {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const JointReading reading = simulation_.joint(static_cast<int>(j));
    Extremes& e = joints_[j];
    e.min = std::min(e.min, reading.position);
    e.max = std::max(e.max, reading.position);
    e.velocity = std::max(e.velocity, std::abs(reading.velocity));
    e.effort = std::max(e.effort, std::abs(reading.effort));
  }
}

std::string JointSummary::table() const {
  if (joints_.empty()) {
    const int propellers = simulation_.propeller_count();
    return propellers == 0
               ? "the world has no joints\n"
               : fmt::format("the world has no joints, but {} propeller{}: see --trace\n",
                             propellers, propellers == 1 ? "" : "s");
  }
  std::size_t name_width = 5;
  for (int j = 0; j < simulation_.joint_count(); ++j) {
    name_width = std::max(name_width, display_width(simulation_.joint_name(j)));
  }
  std::string text = fmt::format("{}  {:<10} {:<13}", padded("joint", name_width), "type", "units");
  for (const char* column : {"start", "final", "min", "max", "|velocity|", "|effort|"}) {
    text += fmt::format(" {:>12}", column);
  }
  text += '\n';
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const int joint = static_cast<int>(j);
    const bool turns = simulation_.joint_type(joint) == JointType::Rotational;
    const Extremes& e = joints_[j];
    fmt::format_to(std::back_inserter(text), "{}  {:<10} {:<13}",
                   padded(simulation_.joint_name(joint), name_width),
                   turns ? "rotational" : "linear", turns ? "rad rad/s N m" : "m m/s N");
    for (const double value :
         {e.start, simulation_.joint(joint).position, e.min, e.max, e.velocity, e.effort}) {
      fmt::format_to(std::back_inserter(text), " {:>12.6g}", without_noise(value));
    }
    text += '\n';
  }
  return text;
}

}  // namespace servosim
