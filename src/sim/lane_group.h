// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/report_once.h"
#include "devices/motor_in_lane.h"
#include "devices/motor_reports.h"
#include "physics/lane_set.h"
#include "physics/tree/joint_lanes.h"

namespace servosim {

class Simulation;
struct Scene;

/// What one simulation is in a lane.
///
/// Threads: a plain value; it refers to the scene.
struct LaneMember {
  std::vector<double> numbers;  ///< of the state, one array after the other
  bool begins = false;          ///< there was no step before: see TreesForLanes::read()
  std::int64_t step_count = 0;
  // By motor.
  std::vector<MotorInLane> motors;
  std::vector<detail::VelocityNumbers<double>> laws;
};

/// What the simulations of one scene have in common while they are in lanes.
///
/// Threads: any number for reading.
class LaneWorld {
 public:
  /// Describes the world of a simulation; null if lanes cannot have it.
  /// @param notices  gets what motors in lanes report; any thread that steps lanes may call it
  /// @param why  gets the reason then
  static std::shared_ptr<const LaneWorld> of(Simulation& simulation, const Notices& notices,
                                             std::string& why);
  /// Reads what a simulation is in a lane; nothing if its next step needs more than lanes have:
  /// something has changed since its last step, a sensor is enabled, its scene is another one.
  std::optional<LaneMember> read(const Simulation& simulation) const;

  const JointLaneModel& model() const { return model_; }
  std::size_t axes() const { return axes_.size(); }
  std::size_t motors() const { return motors_; }
  /// Returns the index of the axis of a joint of the scene; -1 for none.
  int axis_of(int joint) const { return axis_of_[static_cast<std::size_t>(joint)]; }
  /// Returns the index of the motor of a joint of the scene; -1 for none.
  int motor_of(int joint) const;

 private:
  friend class LaneGroup;
  struct Axis {
    const JointLaneAxis* axis;
    int motor = -1;
    double friction = 0.0;   // of the joint [N·m|N]
    JointLaneMotor resists;  // the friction of a joint without a motor
  };

  std::shared_ptr<const Scene> scene_;
  std::unique_ptr<Notices> notices_;
  std::vector<MotorReports> reports_;  // by motor
  JointLaneModel model_;
  std::vector<Axis> axes_;
  std::vector<int> axis_of_;  // by joint of the scene
  std::size_t motors_ = 0;
  std::vector<double> friction_of_motor_;  // of its joint [N·m|N]
};

/// Simulations of one scene, each in a lane of a register. A lane has the state of the joints and
/// the numbers of the motors, and goes on without the objects of its simulation. It also has these
/// numbers as they were before the last step: to give a simulation back, that step is taken again
/// by its objects, so that all that a step leaves in them is there. The results are those of
/// Simulation::step(), bit for bit.
///
/// Threads: one at a time for each object.
class LaneGroup {
 public:
  /// `world` must outlive this object.
  LaneGroup(const LaneWorld& world, LaneSet lanes);

  /// Returns whether a lane has a simulation.
  bool has(std::size_t lane) const { return slots_[lane].is_in; }
  bool any() const { return in_ > 0; }
  bool is_full() const { return in_ == lanes_; }
  /// Takes over a simulation, in whose place any other one may have been.
  void take(std::size_t lane, const LaneMember& member);
  /// Gives a simulation back to its objects, which take its last step again. They must have the
  /// state in which it was taken over. @throws what Simulation::step() throws
  void give_back(std::size_t lane, Simulation& simulation);
  /// Forgets a simulation, whose objects get another state.
  void drop(std::size_t lane);

  /// Takes a basic step of all lanes that have a simulation. @returns whether any is stuck
  [[nodiscard]] bool step(JointLaneSolver& solver);
  /// Returns whether the last step needs more than lanes have, so that give_back() must follow. The
  /// lane has not changed otherwise.
  bool is_stuck(std::size_t lane) const { return slots_[lane].is_stuck; }

  /// Calls a function of a motor, which may command it.
  template <class Use>
  void use_motor(std::size_t lane, std::size_t motor, Use use) {
    take_number(lane, motor);
    use(motors_[lane * world_.motors() + motor]);
    read_motor(lane, motor);
  }
  using OneNumber = MotorInLane::OneNumber;
  /// Commands a motor, if this changes nothing but one number. A value beyond the limits is
  /// clamped. @returns false otherwise, and for NaN; then it does nothing
  bool change(std::size_t lane, std::size_t motor, OneNumber kind, double value) {
    const OneNumbers& numbers = one_numbers_[motor];
    if (numbers.kind[lane] != kind || !takes(kind, value)) {
      return false;
    }
    numbers_of(motor, kind)[lane] = clamped(numbers, lane, value);
    return true;
  }
  /// Does what change() does for all lanes. Their values are `stride` numbers from each other.
  /// @returns false if some of them have not changed
  template <class Number>
  bool change_all(std::size_t motor, OneNumber kind, const Number* values, std::size_t stride) {
    const OneNumbers& numbers = one_numbers_[motor];
    if (numbers.count[static_cast<std::size_t>(kind)] != lanes_) {
      return false;
    }
    double* const to = numbers_of(motor, kind);
    bool all = true;
    for (std::size_t l = 0; l < lanes_; ++l) {
      const auto value = static_cast<double>(values[l * stride]);
      if (takes(kind, value)) {
        to[l] = clamped(numbers, l, value);
      } else {
        all = false;
      }
    }
    return all;
  }
  /// The positions or the rates of all axes, by axis and lane.
  const double* positions() const { return block(0); }
  const double* rates() const { return block(1); }
  /// The number of basic steps of a simulation: see Simulation::step_count().
  std::int64_t step_count(std::size_t lane) const { return slots_[lane].begin + steps_; }

 private:
  struct alignas(64) Line {
    double numbers[8]{};
  };
  struct Slot {
    bool is_in = false;
    bool is_stuck = false;
    bool begins = false;     // see LaneMember
    std::int64_t begin = 0;  // its number of steps less `steps_`
    std::int64_t came = 0;   // `steps_` at that time
  };

  // Blocks of [axis][lane]: those of the state, and then those of the state before the last step.
  double* block(std::size_t number) { return &lines_[0].numbers[0] + number * block_size_; }
  const double* block(std::size_t number) const {
    return &lines_[0].numbers[0] + number * block_size_;
  }
  JointLaneState state() {
    const bool has_history = world_.model_.has_history();
    return {block(0), block(1), has_history ? block(2) : nullptr, has_history ? block(3) : nullptr};
  }
  double* state_before() { return block(blocks_); }
  // The numbers of one lane in blocks, and the other way round.
  void gather(const double* blocks, std::size_t lane, std::vector<double>& numbers) const;
  // Sets the numbers of one lane. Without any it is at rest.
  void scatter(const std::vector<double>& numbers, std::size_t lane);
  // Which number of a motor a command can change alone, and its limits, by lane.
  struct alignas(64) OneNumbers {
    double low[kMaxLanes]{};
    double high[kMaxLanes]{};
    OneNumber kind[kMaxLanes]{};
    std::size_t count[3]{};  // of the lanes, by kind
  };

  // An infinite position asks for velocity control.
  static bool takes(OneNumber kind, double value) {
    return kind == OneNumber::Force      ? !std::isnan(value)
           : kind == OneNumber::Position ? std::isfinite(value)
                                         : false;
  }
  static double clamped(const OneNumbers& numbers, std::size_t lane, double value) {
    const double high = numbers.high[lane];
    const double low = numbers.low[lane];
    return value < low ? low : high < value ? high : value;
  }
  double* numbers_of(std::size_t motor, OneNumber kind) {
    return kind == OneNumber::Force ? drives_[motor].force : laws_[motor].position;
  }
  // Gives a motor the number that was changed without it.
  void take_number(std::size_t lane, std::size_t motor);
  // Sets what a motor asks for, and which commands change only that.
  void read_motor(std::size_t lane, std::size_t motor);
  // Makes a motor ask for nothing.
  void stop_motor(std::size_t lane, std::size_t motor);
  void count_lanes(std::size_t motor);
  // After the first step of some lanes: takes its accelerations for those of the step before, too.
  void repeat_history();
  // Sets what an axis asks for in the next step.
  void set_demand(std::size_t a, JointLaneDemand& demand);

  const LaneWorld& world_;
  std::size_t lanes_;
  std::size_t blocks_;  // of the state
  std::size_t block_size_;
  std::size_t in_ = 0;
  std::size_t begins_ = 0;  // how many slots say so
  std::int64_t steps_ = 0;  // of the group
  std::vector<Line> lines_;
  std::vector<Slot> slots_;
  std::vector<MotorReports> reports_;  // by motor
  std::vector<MotorInLane> motors_;    // by lane
  // By motor. What each lane asks for follows from its MotorInLane, but for the numbers that were
  // changed without it.
  std::vector<JointLaneMotor> drives_;
  std::vector<JointLaneLaw> laws_;
  std::vector<OneNumbers> one_numbers_;
};

}  // namespace servosim
