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
