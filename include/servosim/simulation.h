// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/diagnostics.h"
#include "servosim/element_range.h"
#include "servosim/field_setting.h"
#include "servosim/joint.h"
#include "servosim/joint_matrix.h"
#include "servosim/math.h"
#include "servosim/robot.h"
#include "servosim/robot_file.h"
#include "servosim/solid.h"
#include "servosim/solver.h"

namespace servosim {

struct Scene;
class SimulationCore;
class StateFamily;

namespace wbt {
struct WorldFile;
}

/// How a world is loaded and simulated.
///
/// Threads: a plain value; `notice` is called in the thread that loads or steps.
struct LoadOptions {
  /// Folders in which PROTO files are looked for, with their subfolders and in this order, after
  /// those of the project.
  std::vector<std::string> proto_paths;
  /// Whether servosim's own PROTO files replace those that are not found.
  bool use_stand_ins = true;
  /// Where files are looked for that a world names by an address: folders that are filled as Webots
  /// fills its download cache, and zip archives of such folders. Nothing is downloaded.
  std::vector<std::string> assets;
  /// Folders in which servos are looked for as NAME.toml, after the folder of the world and before
  /// those that servosim.toml names and the catalogue of servosim.
  std::vector<std::string> servo_paths = {};
  /// Replaces WorldInfo.randomSeed; >= 0.
  std::optional<std::int64_t> random_seed;
  /// Added to whichever seed is used, for copies of a world; >= 0.
  std::int64_t random_seed_offset = 0;
  /// Reproduces a known error of Webots' engine, which adds the gyroscopic torque in a way that
  /// gains energy. See docs/explanation/deviations.md#gyroscopic-torque.
  bool compat_webots = false;
  /// The memory that ODE's solver may take for one step [bytes]; beyond it the step throws
  /// StepFailed. The solver takes about 19 bytes for each pair of rows of the bodies that touch
  /// each other, and a contact has three rows. 0 means half of the machine's memory. The limit is
  /// at most 16 GB, whatever is given.
  std::size_t step_memory = 0;
  /// What solves the equations of a step. ODE also gets what the tree solver cannot solve, or does
  /// not solve faster.
  Solver solver = Solver::Tree;
  /// How bodies move, in place of WorldInfo.integrator and of the integrator in servosim.toml.
  /// Integrator::Joint with Solver::Ode or compat_webots is a LoadError.
  std::optional<Integrator> integrator = std::nullopt;
  /// How often a step of Integrator::Joint finds the accelerations, in place of
  /// WorldInfo.evaluations and of servosim.toml: 1 to kMaxEvaluations, or 0 until they settle. Any
  /// other number is a LoadError, as is one with Integrator::Ode.
  std::optional<int> evaluations = std::nullopt;
  /// How large the estimated error of a joint in a step of Integrator::Joint may be [rad|m], in
  /// place of WorldInfo.accuracy and of servosim.toml: a step with more is divided. At most
  /// kMaxAccuracy; 0: any error. Any other number is a LoadError, as is one with Integrator::Ode.
  std::optional<double> accuracy = std::nullopt;
  /// Fields that get other values than in the file, one after the other. If a setting cannot be
  /// made, or its value is out of range, the diagnostic names the place of the setting.
  std::vector<FieldSetting> settings = {};
  /// What a robot gets around it if the file is a robot's own.
  RobotFileOptions robot_file = {};
  /// Receives messages of a running simulation, such as that a command was clamped. Without it they
  /// go to stderr. Clones share it: if they run in several threads, it is called from all of them,
  /// perhaps at once.
  std::function<void(std::string_view)> notice;
  /// Receives in the same way what is no warning, such as that a joint loses energy to the length
  /// of the step. Without it, `notice` gets that too.
  std::function<void(std::string_view)> remark = {};
};

/// A step could not be taken: its contacts need more memory to solve than there is, or than
/// LoadOptions::step_memory allows. what() names the place, the numbers and the time. The
/// simulation can go on only after it is restored or reset.
///
/// Threads: a plain value.
class StepFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The simulation has left the range of numbers in which ODE works. what() names the joint or Solid
/// and the time. The simulation can go on only after it is restored or reset.
///
/// Threads: a plain value.
class Diverged : public StepFailed {
 public:
  using StepFailed::StepFailed;
};

/// Everything that changes while a simulation runs; see Simulation::save(). It is
/// copyable, and valid in this process only.
///
/// Threads: a plain value; several threads may restore it at once.
class SimulationState {
 private:
  friend class Simulation;
  friend class SimulationCore;
  friend class StateFamily;
  std::shared_ptr<StateFamily> family_;  // a simulation and its clones share it
  std::shared_ptr<const wbt::WorldFile> file_;
  std::shared_ptr<const Scene> scene_;
  std::map<int, Pose> placed_;  // by the index of a Solid that Solid::set_pose() has moved
  std::vector<std::byte> block_;
};

/// A world that runs. It is not copyable; clone() makes a second one. Its joints, Solids and
/// propellers are handles: Joint, Solid, Propeller. Lengths are in metres, angles in radians, and
/// the axes of the world are those of the file.
///
/// Threads: one at a time, also for reading. Several simulations, also clones of each other, may be
/// used in several threads at once.
class Simulation {
 public:
  /// Loads a world file, or a robot's own file (.urdf, .sdf, .xml), of which it makes a world.
  /// @throws LoadError if it cannot be read or simulated; it has all messages
  explicit Simulation(const std::string& world_path, LoadOptions options = {});
  /// Loads a world from its text.
  /// @param world_text  what the world file would contain
  /// @param options  as for a file
  /// @param folder  the folder that the file would be in; PROTO and mesh files are looked for from
  ///   there
  /// @throws LoadError as the constructor
  static Simulation from_text(std::string world_text, LoadOptions options = {},
                              const std::string& folder = ".");
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// The warnings and infos of loading; errors throw. The reference is valid until the tree
  /// changes: by an edit of a supervisor, or by restoring a state of another tree.
  const std::vector<Diagnostic>& diagnostics() const;

  /// Advances by `count` basic time steps; 0 or less does nothing. After an exception the
  /// simulation must be restored or reset to go on.
  /// @throws StepFailed, Diverged
  /// @throws std::system_error, std::bad_alloc if memory runs out
  void step(std::int64_t count = 1);

  /// The simulated time [s]: step_count() basic time steps.
  double time() const;
  /// The field WorldInfo.basicTimeStep [ms].
  double basic_time_step_ms() const;
  /// The number of basic steps since the start or the last reset.
  std::int64_t step_count() const;

  /// All robots in the tree, in the order of the file.
  ElementRange<Robot&> robots() const;
  /// Robots and their devices keep their addresses as long as the simulation.
  /// @throws std::out_of_range
  Robot& robot(int index);
  /// The robot of that name. Names are unique: the second robot that the world calls "x" is "x#2".
  /// @throws std::out_of_range, with the names of the robots, if there is none
  Robot& robot(std::string_view name);

  /// All joints of the world. A joint that has left the tree keeps its index, and new joints get
  /// the next ones.
  ElementRange<Joint> joints() const;
  /// @throws std::out_of_range, such as "joint 99 of 15"
  Joint joint(int index) const;
  /// The joint with that Joint::name(), or with that last part of its name if only one joint has
  /// it.
  /// @throws std::out_of_range, with the closest names, if there is none or more than one
  Joint joint(std::string_view name) const;
  /// All propellers that a motor of a robot turns.
  ElementRange<Propeller> propellers() const;

  /// All Solids of the world, in the order of the file. Indices change when a Supervisor changes
  /// the tree.
  ElementRange<Solid> solids() const;
  /// @throws std::out_of_range
  Solid solid(int index) const;
  /// The first Solid of that name in the order of the file.
  /// @throws std::out_of_range, with the closest names, if there is none
  Solid solid(std::string_view name) const;

  /// The coordinates in which a robot moves, in this order:
  ///
  ///  * if no joint holds the Robot node to the world: `base x`, `base y`, `base z`, the motion of
  ///    its origin along the world's axes [m], and `base turn x` to `base turn z`, its turns about
  ///    the world's axes [rad];
  ///  * its joints that move bodies, in the order of joints(), by their names [rad|m]. Joints that
  ///    close loops, and those of other robots, are none of them.
  ///
  /// @param robot  index in robots()
  /// @throws std::out_of_range
  std::vector<std::string> coordinates(int robot = 0) const;
  /// The mass matrix M of a robot in its present pose, symmetric, by coordinates() both ways
  /// [kg, kg·m, kg·m²]: its kinetic energy is v·M·v/2 for the rates v of the coordinates. It has
  /// the armature of joints, and not that of servos. What others attach to the robot is not in it.
  /// @throws std::out_of_range
  JointMatrix mass_matrix(int robot = 0) const;
  /// The forces along coordinates() that hold a robot against gravity in its present pose
  /// [N, N·m]. Springs, contacts and attachments are not in them.
  /// @throws std::out_of_range
  std::vector<double> gravity_torques(int robot = 0) const;
  /// The motion of a point of a Solid by the rates of the coordinates() of its robot: six rows, the
  /// velocity of the point in the world's axes [m/s] and the angular velocity of the Solid [rad/s],
  /// by coordinates.
  /// @param solid  of a robot
  /// @param point  in the frame of the Solid [m]
  /// @throws std::invalid_argument if the Solid belongs to no robot
  JointMatrix jacobian(const Solid& solid, const Vec3& point = {}) const;

  /// The state between two steps: bodies, joints, sleeping, motors, sensors, brakes, batteries,
  /// random numbers and the time. A simulation that restores it goes on bit for bit as this one
  /// does. Controller programs are not part of it.
  /// @param reused  any state that is not needed any more; its memory is used again
  [[nodiscard]] SimulationState save(SimulationState reused = {}) const;
  /// Goes back to a state that was saved by this simulation, by one that cloned it, or by a clone
  /// of it. This also works after Diverged and StepFailed.
  /// @throws std::invalid_argument for a state of another simulation
  void restore(const SimulationState& state);
  /// The state as bytes with a checksum, for this process and for those that it forks later. The
  /// tree that belongs to the state, which a Supervisor may have changed, is kept as long as the
  /// simulation or a clone of it lives.
  std::vector<std::byte> save_bytes() const;
  /// Goes back to a state of save_bytes().
  /// @throws std::invalid_argument for bytes that are damaged, or of another simulation or process;
  ///   nothing has changed then
  void restore_bytes(std::span<const std::byte> bytes);
  /// Goes back to what was loaded, with its fields, nodes and random numbers. Sensors are off until
  /// they are enabled again. Notices that are printed once are not printed again.
  void reset();
  /// A second simulation in the same state, which is independent of this one, for instance to look
  /// ahead. It shares what was loaded, and sends its notices to the same function.
  Simulation clone() const;

  /// A hash of the mechanical state (bodies, joints), of the commands and control states of motors,
  /// and of packets that were not read. Equal runs of the same binary have equal hashes.
  std::uint64_t state_hash() const;

 private:
  friend class SimulationCore;
  explicit Simulation(std::unique_ptr<SimulationCore> core);
  std::unique_ptr<SimulationCore> core_;
};

}  // namespace servosim
