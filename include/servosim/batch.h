// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "servosim/math.h"
#include "servosim/simulation.h"

namespace servosim {

/// The type of the numbers in a batch's arrays.
/// Threads: a plain value.
enum class BatchNumber : std::uint8_t { Float32, Float64 };

/// Threads: a plain value.
struct BatchOptions {
  /// That take part in step(), reset() and rollout(), the calling one among them; 1 to 1024. They
  /// wait between the calls. The results do not depend on their number.
  std::size_t threads = 1;
  /// What one step() of the batch is [ms]: a multiple of the world's basicTimeStep; 0: that.
  double control_step_ms = 0.0;
  BatchNumber number = BatchNumber::Float64;
  /// Batch::contacts() are known.
  bool contacts = false;
};

/// What a batch draws a parameter from: uniformly in [low, high).
/// Threads: a plain value.
struct RandomRange {
  std::string name;
  double low = 0.0;
  double high = 0.0;
};

/// A contact of the last step of an instance.
/// Threads: a plain value.
struct BatchContact {
  std::int64_t instance = 0;
  int solid = -1;  ///< as in Simulation::solids(); -1: the world
  int other = -1;
  Vec3 point;  ///< in the world [m]
  Vec3 force;  ///< on `solid`, in the world's axes [N]; NaN where it was not solved
};

/// Many instances of one world that run beside each other, for training and tuning: commands for
/// all of them come from one array, and what they measure goes to another one. Not copyable.
///
/// Instance i has the seed `seed + i`, and all that is random in it follows from that: the noise of
/// its devices, and what randomize() draws for it. So each instance has the same bits whatever the
/// number of threads, and whether it stands in a batch of 1024 or in one of several parts, each
/// with its LoadOptions::random_seed_offset.
///
/// An instance whose step fails (Diverged, StepFailed) is marked in failed() and stands still until
/// it is reset; the others go on. Its observations stay those of its last good step.
///
/// Of what instances report, LoadOptions::notice gets each text once, without regard to numbers in
/// it; calls of it do not overlap.
///
/// Threads: one at a time, also for reading. In a process that was forked from the batch's the
/// calling thread does all.
class Batch {
 public:
  /// Asked now and then in the calling thread, between two steps of the instances that it steps
  /// together (several, of control_step_ms() each), during long calls: true ends the call. What it
  /// throws ends the call, too, and reaches the caller. Like LoadOptions::notice, it may use other
  /// batches, but not the one that is at work: bind(), step(), rollout(), reset(), save(), set(),
  /// randomize(), simulation(), failure(), time() and contacts() of that one throw
  /// std::logic_error, and its arrays are being written.
  using Interrupt = std::function<bool()>;

  /// Called with an instance; false: not again.
  using Watch = std::function<bool(Simulation&)>;

  /// Loads a world `count` times, 1 to 10 million. `interrupt` may end that.
  /// @throws LoadError, std::invalid_argument; std::system_error with not_enough_memory if the
  ///   instances would take more memory than is free, before it is taken; std::runtime_error if it
  ///   was interrupted
  Batch(const std::string& world_path, std::size_t count, LoadOptions load = {},
        const BatchOptions& options = {}, const Interrupt& interrupt = {});
  /// Instances begin, and begin again, in the present state of `original`, which is not needed any
  /// more afterwards. @throws as above, std::invalid_argument also if it has diverged
  Batch(const Simulation& original, std::size_t count, const BatchOptions& options = {},
        const Interrupt& interrupt = {});
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  std::size_t size() const;  ///< instances
  BatchNumber number() const;
  double control_step_ms() const;
  /// For reading, and for Joint::set_state() and the like between steps.
  /// @throws std::out_of_range
  const Simulation& simulation(std::size_t instance) const;

  // ---- columns

  /// Chooses what the arrays have, one name or pattern after the other; `*` stands for any text, as
  /// for `servosim run --watch`. Observations:
  ///
  ///     JOINT.position .velocity .effort            [rad|m], [rad/s|m/s], [N·m|N]
  ///     SOLID.pose                                  x y z [m] and the quaternion qx qy qz qw
  ///     SOLID.linear_velocity .angular_velocity     x y z, in the world [m/s], [rad/s]
  ///     SOLID.contact_force                         x y z on it, in the world [N]; of the last
  ///                                                 basic step
  ///     ROBOT/DEVICE.value                          what a sensor has measured last; the batch
  ///                                                 enables it
  ///     time                                        [s]
  ///
  /// Actions:
  ///
  ///     JOINT.target_position    Motor::set_position(); ±infinity selects velocity control
  ///     JOINT.target_velocity    Motor::set_velocity(); in velocity control unless the joint has a
  ///                              target_position too
  ///     JOINT.target_force       Motor::set_force() [N·m|N]; also called target_effort
  ///
  /// JOINT is `robot/joint` or, where that is unique, `joint`; SOLID is a name or a DEF name.
  /// Observations are those of the present state afterwards; 0 of an instance that has failed,
  /// until it is reset.
  /// @throws std::invalid_argument for a name that matches nothing, with the closest names, and for
  ///   two commands that exclude each other; std::system_error with not_enough_memory for arrays
  ///   that need more than is free; nothing has changed then
  void bind(const std::vector<std::string>& observe, const std::vector<std::string>& act);
  /// e.g. "arm/shoulder.position", "base.pose.qw"
  const std::vector<std::string>& observation_names() const;
  const std::vector<std::string>& action_names() const;
  /// By column: what the motor accepts; ±infinity without a limit. Values beyond are clamped, but
  /// not an infinite target_position.
  std::span<const double> action_low() const;
  std::span<const double> action_high() const;

  /// size() rows of observation_names().size() numbers, one row after the other; aligned to 64
  /// bytes. Valid until bind() or the end of the batch, or as long as the owner that
  /// observation_data() gives. @throws std::invalid_argument if `Number`
  /// is not number()
  template <typename Number>
  std::span<const Number> observations() const {
    return {static_cast<const Number*>(observation_data(kNumber<Number>).get()),
            size() * observation_names().size()};
  }
  /// The same of action_names(); to be written before step(), which reads it. 0 at first. NaN: the
  /// motor keeps its last command, and refused() counts it.
  template <typename Number>
  std::span<Number> actions() {
    return {static_cast<Number*>(action_data(kNumber<Number>).get()),
            size() * action_names().size()};
  }
  std::shared_ptr<const void> observation_data(BatchNumber number) const;
  std::shared_ptr<void> action_data(BatchNumber number);

  // ---- time

  /// Gives the actions to the motors, advances each instance by control_step_ms(), and reads the
  /// observations. @returns false if it was interrupted: then some instances have not stepped, as
  /// their time() tells
  bool step(const Interrupt& interrupt = {});
  /// Takes `steps` steps with actions[instance][step][column] and fills
  /// observations[instance][step][column]; the last rows go to observations() too, and actions()
  /// stays as it is. Rows of an instance from its failure on repeat its last observations. @returns
  /// false if it was interrupted: each instance is between two steps, some have taken fewer, and
  /// the rows that they lack are unchanged. @throws std::invalid_argument for arrays of another
  /// size or type
  template <typename Number>
  bool rollout(std::span<const Number> actions, std::size_t steps, std::span<Number> observations,
               const Interrupt& interrupt = {}) {
    return rollout(kNumber<Number>, actions.data(), actions.size(), steps, observations.data(),
                   observations.size(), interrupt);
  }
  /// Begins a new episode of instances.
  /// @param mask  none: of all. size(): of those whose number is not 0
  /// @param states  none: where the batch began. One: for all of them. size(): one for each.
  ///   Parameters of set() and randomize() are not part of a state.
  /// @param seeds  none, or one >= 0 for each instance: its seed from now on
  /// @throws std::invalid_argument for another number of them, states of another world or negative
  ///   seeds; nothing has changed then
  void reset(std::span<const std::uint8_t> mask = {}, std::span<const SimulationState> states = {},
             std::span<const std::int64_t> seeds = {});
  /// Calls `watch` with the present state of an instance, and again after each basic step of it, in
  /// the thread that has taken the step: to record it. It may read the simulation, and must not use
  /// the batch. What it throws ends the call that steps, and reaches the caller.
  /// @throws std::out_of_range
  void watch(std::size_t instance, Watch watch);
  /// A state for reset(). @throws std::out_of_range; std::invalid_argument if it has failed
  SimulationState save(std::size_t instance) const;

  // ---- parameters

  /// Gives a number in the tree of each instance another value, now and for all later episodes:
  ///
  ///     OWNER.field, OWNER.node.field, OWNER.list[0], OWNER.vector.x     as FieldSetting has it
  ///
  /// OWNER may also be a pattern ("arm/*.maxTorque"), which means all that match, and a list
  /// without an index means all that is in it. Each value makes a scene of its own, which takes
  /// memory and about the time of loading it.
  /// @param name  as above
  /// @param values  one for all, or one for each instance
  /// @throws std::invalid_argument for a name that matches nothing, with the closest names, and for
  ///   a value that the world cannot be simulated with, or only with another one in its place, also
  ///   beside those that were set before; nothing has changed then. basicTimeStep and randomSeed
  ///   are no parameters of instances
  void set(const std::string& name, std::span<const double> values);
  /// What each instance draws at the start of each episode, from the next reset() on; of noise and
  /// delays also from the next bind() on, which draws them for its columns. Values that cannot be
  /// simulated with each other fail its instance: failed(). Replaces earlier ranges. Names are
  /// those of set() and
  ///
  ///     "sensor noise"               the standard deviation of what is added to each observation
  ///     "OBSERVATION noise"          the same, of one pattern of bind(): "arm/*.position noise"
  ///     "action delay"               by how many steps of the batch actions come late: a whole
  ///                                  number, `high` included
  ///
  /// @throws std::invalid_argument for such a name or a range that is empty, not finite or of
  ///   infinite width; nothing has changed then
  void randomize(const std::vector<RandomRange>& ranges);

  // ---- what happened

  /// By instance: 1 since a step or a reset of it failed, until its next reset.
  std::span<const std::uint8_t> failed() const;
  /// Why; empty if it has not. @throws std::out_of_range
  std::string failure(std::size_t instance) const;
  /// By instance: how many actions were NaN in this episode.
  std::span<const std::uint32_t> refused() const;
  double time(std::size_t instance) const;  ///< simulated [s]. @throws std::out_of_range
  /// Of the last basic step, instance by instance. @throws std::invalid_argument without
  /// BatchOptions::contacts
  std::vector<BatchContact> contacts() const;

 private:
  template <typename Number>
  static constexpr BatchNumber kNumber = [] {
    static_assert(std::is_same_v<Number, float> || std::is_same_v<Number, double>);
    return std::is_same_v<Number, float> ? BatchNumber::Float32 : BatchNumber::Float64;
  }();
  bool rollout(BatchNumber number, const void* actions, std::size_t action_count, std::size_t steps,
               void* observations, std::size_t observation_count, const Interrupt& interrupt);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace servosim
