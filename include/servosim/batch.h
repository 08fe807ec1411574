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
#include <utility>
#include <vector>

#include "servosim/math.h"
#include "servosim/simulation.h"

namespace servosim {

/// The type of the numbers in a batch's arrays.
///
/// Threads: a plain value.
enum class BatchNumber : std::uint8_t { Float32, Float64 };

/// How a Batch runs, in addition to LoadOptions.
///
/// Threads: a plain value.
struct BatchOptions {
  /// The number of threads that take part in step(), reset() and rollout(), which includes the
  /// calling one; 1 to 1024. They wait between the calls. Results do not depend on their number.
  std::size_t threads = 1;
  /// The simulated time of one step() of the batch [ms]: a multiple of the world's basicTimeStep. 0
  /// means one basicTimeStep.
  double control_step_ms = 0.0;
  /// The type of the numbers in all arrays.
  BatchNumber number = BatchNumber::Float64;
  /// Whether Batch::contacts() may be called.
  bool contacts = false;
};

/// A parameter that a batch draws uniformly from [low, high).
///
/// Threads: a plain value.
struct RandomRange {
  /// A name as for Batch::randomize().
  std::string name;
  double low = 0.0;
  double high = 0.0;
};

/// A contact of the last step of an instance.
///
/// Threads: a plain value.
struct BatchContact {
  std::int64_t instance = 0;
  /// An index in Simulation::solids(); -1: the world
  int solid = -1;
  /// What it touches, as `solid`.
  int other = -1;
  /// In the world [m].
  Vec3 point;
  /// The force on `solid`, in the world's axes [N]; NaN where it was not solved.
  Vec3 force;
};

/// A picture that a batch observes, of all its instances.
///
/// Threads: a plain value. The batch writes the array while it steps and resets.
struct BatchPicture {
  /// Such as "robot/camera.rgb".
  std::string name;
  std::size_t height = 0;  ///< rows; of a Lidar its layers
  std::size_t width = 0;   ///< columns; of a Lidar the points of a layer
  /// How many numbers a pixel has: 3 are red, green and blue, 1 is a distance [m].
  std::size_t channels = 0;
  bool is_float = false;  ///< whether its numbers are float; else they are std::uint8_t
  /// One picture after the other in the order of the instances, row by row from the upper left
  /// corner, aligned to 64 bytes.
  std::shared_ptr<const std::byte> data;
  /// The size of the picture of one instance [bytes].
  std::size_t bytes() const;
};

/// Where a rollout writes pictures.
///
/// Threads: a plain value.
struct BatchPictureRows {
  /// The index in Batch::pictures().
  std::size_t picture = 0;
  /// rows[instance][step]: BatchPicture::bytes() each.
  std::span<std::byte> rows;
};

/// How the instances of a batch are stepped: see Batch::lanes().
///
/// Threads: a plain value.
struct BatchLanes {
  /// How many instances one register has; 1 if none can be in a lane.
  std::size_t width = 1;
  /// How many instances are in lanes.
  std::size_t instances = 0;
  /// Why the others are not, each reason once, and how many instances have it.
  std::vector<std::pair<std::string, std::size_t>> alone;
};

/// Many instances of one world that run side by side, for training and tuning. Commands for all of
/// them come from one array, and what they measure goes to another one. Not copyable.
///
/// Instance i has the seed `seed + i`, which determines everything that is random in it: the noise
/// of its devices, and what randomize() draws for it. An instance therefore has the same bits
/// whatever the number of threads. They are also the same in one batch of 1024 as in several
/// smaller ones, each with its LoadOptions::random_seed_offset.
///
/// An instance whose step fails (Diverged, StepFailed) is marked in failed() and does not move
/// until it is reset; the others go on. Its observations remain those of its last good step.
///
/// LoadOptions::notice gets each text that instances report once. Texts that differ only in their
/// numbers count as one. Its calls do not overlap.
///
/// Threads: one at a time, also for reading. In a process that was forked from the batch's process
/// the calling thread does all the work.
class Batch {
 public:
  /// Ends a long call early. The calling thread calls it now and then, between two steps of
  /// options().control_step_ms of the several instances that this thread steps together. True ends
  /// the call. An exception of it ends the call too, and reaches the caller.
  ///
  /// Like LoadOptions::notice, it may use other batches, but not the one that is at work: bind(),
  /// step(), rollout(), reset(), save(), set(), randomize(), simulation(), failure() and contacts()
  /// of that one throw std::logic_error, and its arrays are being written.
  using Interrupt = std::function<bool()>;

  /// Gets an instance after its steps; see watch(). False: it is not called again.
  using Watch = std::function<bool(Simulation&)>;

  /// Loads a world `count` times. `interrupt` may end that.
  /// @param world_path  the world file
  /// @param count  the number of instances, 1 to 10 million
  /// @param load  as for one Simulation
  /// @param options  threads, the length of a step and the type of numbers
  /// @param interrupt  may be empty
  /// @throws LoadError if the world cannot be simulated
  /// @throws std::invalid_argument for a bad count or bad options
  /// @throws std::system_error with not_enough_memory if the instances would take more memory than
  ///   is free; it is not taken then
  /// @throws std::runtime_error if it was interrupted
  Batch(const std::string& world_path, std::size_t count, LoadOptions load = {},
        const BatchOptions& options = {}, const Interrupt& interrupt = {});
  /// Copies `original` `count` times. Instances begin, also after reset(), in its present state. It
  /// is not needed any more afterwards.
  /// @throws as the constructor above; std::invalid_argument also if `original` has diverged
  Batch(const Simulation& original, std::size_t count, const BatchOptions& options = {},
        const Interrupt& interrupt = {});
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  /// The number of instances.
  std::size_t size() const;
  /// The options with which it was made, and the step that they mean. The reference is valid as
  /// long as the batch.
  const BatchOptions& options() const;
  /// An instance, for reading, and for Joint::set_state() and the like between steps. The reference
  /// is valid as long as the batch, so that the instance steps alone from now on: see lanes().
  /// The next function does not have this price.
  /// @throws std::out_of_range
  const Simulation& simulation(std::size_t instance) const;
  /// Calls `use` with an instance, to read and to change it. It must not use the batch.
  /// @throws std::out_of_range for an instance that is not there; what `use` throws
  void simulation(std::size_t instance, const std::function<void(Simulation&)>& use) const;
  /// How many instances are stepped in lanes, and why others are not. With Integrator::Joint equal
  /// robots that nothing can touch share the registers of the processor, and a step needs no
  /// bodies. The results are the same bits.
  BatchLanes lanes() const;

  // ---- columns

  /// Chooses the columns of the arrays, one name or pattern after the other. In a pattern `*` means
  /// any text, as for `servosim run --watch`. Observations:
  ///
  ///     JOINT.position .velocity .effort            [rad|m], [rad/s|m/s], [N·m|N]
  ///     JOINT.current .voltage .duty .temperature   of a motor that is a real servo: see
  ///                                                 ServoReading; of the winding [°C]
  ///     SOLID.pose                                  x y z [m] and the quaternion qx qy qz qw
  ///     SOLID.linear_velocity .angular_velocity     x y z, in the world [m/s], [rad/s]
  ///     SOLID.contact_force                         x y z on it in the last basic step, in the
  ///                                                 world [N]
  ///     ROBOT/DEVICE.value                          the last sample of a sensor, which the batch
  ///                                                 enables
  ///     ROBOT/DEVICE.rgb .segmentation              pictures of a Camera: see pictures()
  ///     ROBOT/DEVICE.depth                          the picture of a RangeFinder
  ///     ROBOT/DEVICE.ranges                         that of a Lidar
  ///     time                                        [s]
  ///
  /// Actions:
  ///
  ///     JOINT.target_position    Motor::set_position(); ±infinity selects velocity control
  ///     JOINT.target_velocity    Motor::set_velocity(); in velocity control unless the joint has a
  ///                              target_position too
  ///     JOINT.target_force       Motor::set_force() [N·m|N]; also called target_effort
  ///     JOINT.servo_pulse        Motor::set_servo_pulse() [µs]
  ///
  /// JOINT is `robot/joint` or, where that is unique, `joint`; SOLID is a name or a DEF name. The
  /// arrays are new ones. Observations are then those of the present state; those of an instance
  /// that has failed are 0 until it is reset. Nothing changes if it throws. What a Camera cannot
  /// see, such as a picture file that is not found, is a notice.
  /// @throws std::invalid_argument for a name that matches nothing, with the closest names, for two
  ///   commands that exclude each other, and for a picture that has not the same size in all
  ///   instances
  /// @throws std::system_error with not_enough_memory for arrays that need more than is free
  /// @throws StepFailed if pictures are observed and the renderer cannot be loaded
  void bind(const std::vector<std::string>& observe, const std::vector<std::string>& act);
  /// The columns of the observations, such as "arm/shoulder.position" and "base.pose.qw". The
  /// reference is valid as long as the batch; bind() changes it.
  const std::vector<std::string>& observation_names() const;
  /// The columns of the actions, with the same lifetime.
  const std::vector<std::string>& action_names() const;
  /// The pictures among the observations, which are no columns. The batch enables their sensors,
  /// which take a picture at the end of each step and at the beginning of each episode, in the
  /// threads of the batch. It switches off the other sensors of pictures, also those that are
  /// enabled in a state. The reference has the lifetime of observation_names(). An array is valid
  /// as long as its owner; after bind() it is no longer filled.
  const std::vector<BatchPicture>& pictures() const;
  /// The smallest and the largest value that the motor of each column accepts; ±infinity without a
  /// limit. Values beyond are clamped, except for an infinite target_position. Valid until bind().
  std::span<const double> action_low() const;
  std::span<const double> action_high() const;

  /// size() rows of observation_names().size() numbers, one row after the other, aligned to 64
  /// bytes. The span is valid until bind() or the end of the batch, or as long as the owner that
  /// observation_data() returns.
  /// @tparam Number  float or double, by BatchOptions::number
  /// @throws std::invalid_argument for the other one
  template <typename Number>
  std::span<const Number> observations() const {
    return {static_cast<const Number*>(observation_data(kNumber<Number>).get()),
            size() * observation_names().size()};
  }
  /// The same for the actions: size() rows of action_names().size() numbers, 0 at first. The caller
  /// writes them before step(), which reads them. NaN leaves the motor its last command, and
  /// refused() counts it.
  template <typename Number>
  std::span<Number> actions() {
    return {static_cast<Number*>(action_data(kNumber<Number>).get()),
            size() * action_names().size()};
  }
  /// The beginning of the array of observations, and its owner.
  /// @throws std::invalid_argument if `number` is not BatchOptions::number
  std::shared_ptr<const void> observation_data(BatchNumber number) const;
  /// The same for the actions.
  std::shared_ptr<void> action_data(BatchNumber number);

  // ---- time

  /// Gives the actions to the motors, advances each instance by options().control_step_ms, and
  /// reads the observations. A failure of an instance does not throw: see failed().
  /// @returns false if it was interrupted: then some instances have not stepped, as their
  ///   Simulation::time() tells
  bool step(const Interrupt& interrupt = {});
  /// Takes `steps` steps with actions[instance][step][column] and fills
  /// observations[instance][step][column]. The last rows go to observations() too, and actions()
  /// stays as it is. From its failure on, the rows of an instance repeat its last observations.
  /// All observed pictures are taken in each step; `pictures` says which of them are kept, and
  /// where, and pictures() has the last ones of all.
  /// @returns false if it was interrupted: each instance is between two steps, some have taken
  ///   fewer steps, and the rows of the steps that they lack are unchanged
  /// @throws std::invalid_argument for arrays of another size or type
  template <typename Number>
  bool rollout(std::span<const Number> actions, std::size_t steps, std::span<Number> observations,
               const Interrupt& interrupt = {}, std::span<const BatchPictureRows> pictures = {}) {
    return rollout({kNumber<Number>, actions.data(), actions.size(), steps, observations.data(),
                    observations.size(), pictures},
                   interrupt);
  }
  /// Begins a new episode of some or all instances. Nothing changes if it throws.
  /// @param mask  empty: all instances begin. size() numbers: those begin whose number is not 0
  /// @param states  empty: they begin in the state in which the batch began. One: it is for all of
  ///   them. size(): one for each. Parameters of set() and randomize() are not part of a state.
  /// @param seeds  empty, or one >= 0 for each instance: its seed from now on
  /// @throws std::invalid_argument for another number of any of them, states of another world or
  ///   negative seeds
  void reset(std::span<const std::uint8_t> mask = {}, std::span<const SimulationState> states = {},
             std::span<const std::int64_t> seeds = {});
  /// Calls `watch` with the present state of an instance, and again after each of its basic steps,
  /// so that a program can record it. The thread that has taken the step makes the call. `watch`
  /// may read the simulation, and must not use the batch. An exception of it ends the call that
  /// steps, and reaches the caller.
  /// @throws std::out_of_range for an instance that is not there
  void watch(std::size_t instance, Watch watch);
  /// The present state of an instance, for reset().
  /// @throws std::out_of_range for an instance that is not there
  /// @throws std::invalid_argument if it has failed
  SimulationState save(std::size_t instance) const;

  // ---- parameters

  /// Gives a number in the tree of each instance another value, now and for all later episodes:
  ///
  ///     OWNER.field, OWNER.node.field, OWNER.list[0], OWNER.vector.x     see FieldSetting
  ///
  /// OWNER may also be a pattern ("arm/*.maxTorque"), which means all that match. A list without an
  /// index means everything in it. Each value makes a scene of its own, which takes memory and
  /// about the time of loading the world. Pictures show it from the next step or reset on. Nothing
  /// changes if it throws.
  /// @param name  as above; basicTimeStep and randomSeed are not allowed
  /// @param values  one for all, or one for each instance
  /// @throws std::invalid_argument for a name that matches nothing, with the closest names, and for
  ///   a value with which the world, with all parameters that were set before, cannot be simulated
  ///   or gets another value instead, or an observed picture is gone or gets another size
  void set(const std::string& name, std::span<const double> values);
  /// Sets what each instance draws at the start of each episode, from the next reset() on. Noise
  /// and delays are also drawn by the next bind(), for its columns. If the drawn values cannot be
  /// simulated with each other, the instance fails: failed(). Earlier ranges are replaced. Names
  /// are those of set() and these:
  ///
  ///     "sensor noise"               the standard deviation of what is added to each observation
  ///     "OBSERVATION noise"          the same for one pattern of bind(): "arm/*.position noise"
  ///     "action delay"               the number of steps of the batch by which actions come late:
  ///                                  a whole number; here `high` is included
  ///
  /// Nothing changes if it throws.
  /// @throws std::invalid_argument for a bad name, as set(), for a range that is empty, not finite
  ///   or of infinite width, and for one that changes the size of an observed picture
  void randomize(const std::vector<RandomRange>& ranges);

  // ---- what happened

  /// One number per instance: 1 after a step or a reset of it has failed, until its next reset;
  /// else 0. Valid as long as the batch.
  std::span<const std::uint8_t> failed() const;
  /// Why an instance has failed; empty if it has not.
  /// @throws std::out_of_range for an instance that is not there
  std::string failure(std::size_t instance) const;
  /// One number per instance: how many actions were NaN in this episode. Valid as long as the
  /// batch.
  std::span<const std::uint32_t> refused() const;
  /// The contacts of the last basic step, instance by instance.
  /// @throws std::invalid_argument without BatchOptions::contacts
  std::vector<BatchContact> contacts() const;

 private:
  template <typename Number>
  static constexpr BatchNumber kNumber = [] {
    static_assert(std::is_same_v<Number, float> || std::is_same_v<Number, double>);
    return std::is_same_v<Number, float> ? BatchNumber::Float32 : BatchNumber::Float64;
  }();
  struct Rows {
    BatchNumber number;
    const void* actions;
    std::size_t action_count;
    std::size_t steps;
    void* observations;
    std::size_t observation_count;
    std::span<const BatchPictureRows> pictures;
  };
  bool rollout(const Rows& rows, const Interrupt& interrupt);
  friend double time_of(const Batch& batch, std::size_t instance);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Returns Simulation::time() of an instance, wherever it is.
/// @throws std::out_of_range
double time_of(const Batch& batch, std::size_t instance);

}  // namespace servosim
