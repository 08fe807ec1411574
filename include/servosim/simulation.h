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
#include "servosim/math.h"
#include "servosim/robot.h"

namespace servosim {

struct NodeState;
struct NodeStates;
struct RigidBody;
struct RobotSpec;
struct Scene;
struct SimulationCore;

namespace wbt {
struct WorldFile;
}

/// Threads: a plain value; `notice` is called in the thread that loads or steps.
struct LoadOptions {
  std::vector<std::string> proto_paths;     ///< folders searched for PROTO files
  std::optional<std::int64_t> random_seed;  ///< over WorldInfo.randomSeed; >= 0
  std::int64_t random_seed_offset = 0;      ///< added to either, for copies of a world; >= 0
  /// Where Webots' engine does what nobody wants, do the same: it adds the gyroscopic torque in a
  /// way that gains energy. See docs/explanation/deviations.md.
  bool compat_webots = false;
  /// What the solver may have for one step [bytes]; it takes about 19 for each pair of rows of the
  /// bodies that touch each other, and a contact is three rows. 0: half of the memory there is; at
  /// most 16 GB, also of a greater number.
  std::size_t step_memory = 0;
  /// Receives messages of a running simulation, such as a clamped command; stderr by default.
  /// Clones share it: when they run in several threads it is called from all of them, perhaps at
  /// once.
  std::function<void(std::string_view)> notice;
};

/// A step could not be taken: what touches takes more memory to solve than there is, or than
/// LoadOptions::step_memory. what() names the place, the numbers and the time. The simulation must
/// be restored or reset to go on.
///
/// Threads: a plain value.
class StepFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The simulation left the range in which ODE works; what() names the joint or solid and the time.
///
/// Threads: a plain value.
class Diverged : public StepFailed {
 public:
  using StepFailed::StepFailed;
};

/// Shapes that overlap each other, the one the next and so on.
/// Threads: a plain value.
struct OverlappingShapes {
  int count = 0;   ///< of shapes of Solids with Physics
  int solid = -1;  ///< of one of them, as in solid_pose(); -1: none overlap
};

/// What a joint does, for reading. Units are rad or m, N·m or N.
/// Threads: a plain value.
struct JointReading {
  double position = 0.0;            ///< of the endpoint; a motor with backlash may be elsewhere
  double velocity = 0.0;            ///< measured, of the endpoint relative to the parent
  double commanded_velocity = 0.0;  ///< by its motor; 0 without one or in force control
  double effort = 0.0;  ///< all the joint put on the endpoint along +axis in the last step
};

/// A muscle of a joint's motor, for reading.
/// Threads: a plain value.
struct MuscleReading {
  /// How hard it pulls, from -1 to 1: force control by the force, else by the force feedback, each
  /// as a share of the maximum (a slider's feedback with the opposite sign); without Physics by the
  /// velocity. 0 when set_joint_state() was called since the last step.
  double status = 0.0;
  double length = 0.0;  ///< [m]
  double radius = 0.0;  ///< [m], in the middle; infinite at length 0
};

/// What a propeller does, for reading.
/// Threads: a plain value.
struct PropellerReading {
  double speed = 0.0;   ///< of its shaft [rad/s]
  double thrust = 0.0;  ///< along its axis in the last step [N]
  double torque = 0.0;  ///< that turned the blades in the last step, about the axis [N·m]
};

/// How a Solid moves, in the world's axes.
/// Threads: a plain value.
struct SolidVelocity {
  Vec3 linear;   ///< of its body's centre of mass [m/s]
  Vec3 angular;  ///< [rad/s]
};

/// A place where two Solids touch.
/// Threads: a plain value.
struct ContactPoint {
  Vec3 point;      ///< in the world [m]
  Vec3 normal;     ///< in the world, length one; out of `other`, into `solid`
  int solid = -1;  ///< the one that was asked for, or one below it
  int other = -1;  ///< what it touches
};

/// Everything that changes while a simulation runs; see Simulation::save(). Copyable; meant for
/// this process only.
///
/// Threads: a plain value; several may be restoring it at once.
class SimulationState {
 private:
  friend class Simulation;
  friend struct SimulationCore;
  std::shared_ptr<const void> family_;  // of a simulation and its clones
  std::shared_ptr<const wbt::WorldFile> file_;
  std::shared_ptr<const Scene> scene_;
  std::map<int, Pose> placed_;  // Solids that were put elsewhere
  std::vector<std::byte> block_;
};

/// A world that runs. Not copyable.
///
/// Threads: one at a time, also for reading. Several simulations in several threads do not disturb
/// each other, clones neither.
class Simulation {
 public:
  /// Loads a world. @throws LoadError if it cannot be simulated.
  explicit Simulation(const std::string& world_path, LoadOptions options = {});
  /// The same for a text; `folder` is where the file would stand, for PROTO look-up.
  static Simulation from_text(std::string world_text, LoadOptions options = {},
                              const std::string& folder = ".");
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// What loading had to say; warnings only, for errors throw.
  const std::vector<Diagnostic>& diagnostics() const;

  /// Advances by one basic time step. @throws StepFailed, Diverged, std::system_error and
  /// std::bad_alloc for want of memory; the simulation must then be restored or reset to go on.
  void step();
  /// Advances by `count` basic time steps.
  void step(std::int64_t count);

  double time() const;  ///< simulated time [s]
  double basic_time_step_ms() const;
  std::int64_t step_count() const;

  int robot_count() const;
  /// @throws std::out_of_range
  Robot& robot(int index);
  /// By its name, which is unique: the second robot that the world calls "x" is "x#2".
  /// @throws std::out_of_range naming the robots there are.
  Robot& robot(std::string_view name);

  int joint_count() const;
  /// `robot/joint`, unique in the world; the joint part is the motor's name, else the sensor's,
  /// else the DEF, else the endpoint's name, with ` axis 1` to ` axis 3` in joints of several axes.
  const std::string& joint_name(int joint) const;
  /// @throws std::out_of_range, as every function that takes the index of a joint.
  JointType joint_type(int joint) const;
  /// Where it stands in scene().joints, which is elsewhere once the tree has changed; -1: it is
  /// gone.
  int joint_in_scene(int joint) const;
  JointReading joint(int joint) const;
  /// The motor that drives the joint, with its target and limits; nullptr for none. Lives as long
  /// as the simulation.
  const Motor* joint_motor(int joint) const;
  /// How many muscles the joint's motor has; 0 for a joint without an endPoint, where they end.
  int muscle_count(int joint) const;
  /// @throws std::out_of_range
  MuscleReading muscle(int joint, int index) const;
  /// Index of that joint_name(), or of the only joint whose last part it is.
  /// @throws std::out_of_range
  int joint_index(std::string_view name) const;
  /// Puts a joint to a position and velocity. Position [rad|m], velocity [rad/s|m/s]. Everything
  /// behind it moves along as one rigid piece: the joints there keep their positions but lose their
  /// speeds, so set parents before children. Joints of a closed loop must be set so that it stays
  /// closed. @throws std::invalid_argument if not finite, or if the joint closes a loop by a
  /// SolidReference.
  void set_joint_state(int joint, double position, double velocity = 0.0);

  /// How many propellers there are that a robot's motor turns.
  int propeller_count() const;
  /// `robot/motor`; not unique where motors of one robot are called the same. @throws
  /// std::out_of_range
  const std::string& propeller_name(int propeller) const;
  /// @throws std::out_of_range
  PropellerReading propeller(int propeller) const;

  /// The state between two steps: bodies, joints, sleeping, motors, sensors, brakes, batteries,
  /// random numbers and the time. A simulation that restores it goes on bit for bit as this one
  /// does. Not part of it: controller programs.
  SimulationState save() const;
  /// The same into a state that is there already, whose memory is used again.
  void save(SimulationState& into) const;
  /// Goes back to a state saved by this simulation, or by one that cloned it or that it was cloned
  /// from; also after Diverged. @throws std::invalid_argument for a state of another simulation.
  void restore(const SimulationState& state);
  /// Goes back to what was loaded, random numbers included.
  void reset();
  /// Goes back to the start of the world as it is by now, as Webots' Supervisor does: time, places,
  /// velocities, joints, motors, brakes, locks, packets, charges and random numbers are those of
  /// loading it, and nodes that Supervisors brought in are gone. All other fields stay as they are,
  /// and removed nodes stay away; sensors go on measuring with their periods. Where the world
  /// cannot be simulated so, it goes back to what was loaded, which a notice says.
  void restart();
  /// A second simulation in the same state, independent of this one, for instance to look ahead.
  /// It shares what was loaded and sends its notices to the same place.
  Simulation clone() const;

  /// Hash of the mechanical state (bodies, joints), of what the motors are told and remember, and
  /// of packets that have not been read: equal hashes after equal runs of the same binary.
  std::uint64_t state_hash() const;

  /// What stands now; for the parts of this program that need more than robots and joints. Valid
  /// until the tree changes.
  const Scene& scene() const;
  /// Likewise: what moves as one piece, with the masses it moves with.
  const std::vector<RigidBody>& bodies() const;
  /// Fixes a robot's base to the world where it is, or lets it go. @throws std::out_of_range
  void pin_robot(int robot, bool pinned);

  // ---- the tree, for a Supervisor

  /// The tree of nodes that the world is made of now. Places and positions in it are those that it
  /// was read with or that were written into it, not the present ones.
  const std::shared_ptr<const wbt::WorldFile>& world_file() const;
  /// The texts that its nodes were read from: who reads more of them adds theirs, so that messages
  /// about these name the right place.
  SourceMap& sources();
  /// Makes the world anew of another tree, with every check of loading. What remains, by Node::id,
  /// goes on as it was: where it is, how it moves, what it was told and has measured. New values of
  /// its fields count from now on. A Solid that remains is moved only if the tree gives it another
  /// place than at the last rebuild and than set_solid_pose() did since.
  ///
  /// Robot, Motor and all other devices keep their addresses. Those that are gone stay as objects
  /// that do nothing; Robot::index() is then -1. Joints keep their indices, too, new ones follow
  /// behind; those that are gone read NaN. Indices of Solids and robots are those of the new
  /// scene().
  ///
  /// What the checks have to say for the first time goes to the notices. Where they put another
  /// value in the place of a bad one, world_file() has that value, as after loading.
  /// @throws LoadError if the tree cannot be simulated; nothing has changed then.
  void rebuild(std::shared_ptr<const wbt::WorldFile> file);
  /// Replaces the tree by one that differs only in what nothing is made of (appearances, names of
  /// groups), or in what was told by set_solid_pose() already. Costs nothing.
  void replace_world_file(std::shared_ptr<const wbt::WorldFile> file);
  /// Grows by one each time rebuild(), restore() or reset() made the world anew: indices of Solids
  /// and robots, and what scene() and bodies() gave, are then of no use any more.
  std::uint64_t tree_version() const;

  /// Where all Solids and joints are, and how they move: what a Supervisor keeps under a name.
  NodeState node_state() const;
  /// Those that Supervisors keep, and where all were when they came. They belong to the loaded
  /// world: neither restore() nor reset() touches them.
  NodeStates& node_states();

  // ---- Solids, by their index in scene().solids. All throw std::out_of_range for another one, and
  // std::invalid_argument for numbers that are not finite.

  int solid_count() const;
  const std::string& solid_name(int solid) const;
  /// The first one of that name in file order. @throws std::out_of_range
  int solid_index(std::string_view name) const;
  Pose solid_pose(int solid) const;  ///< in the world
  /// Puts a Solid elsewhere, and all below it along with it; velocities stay, and bodies wake up.
  /// Joints to what does not move along pull it back. The endpoint of a joint without Physics has
  /// its new place at the present position of the joint.
  /// @throws std::invalid_argument for a rigid part of the body of the Solid above: change the tree
  void set_solid_pose(int solid, const Pose& in_world);
  /// Whether it has a body: its own, or that of the Solid above, which it is a rigid part of.
  bool solid_has_body(int solid) const;
  /// Of its body at the centre of mass; without one, that by which it moves at each step.
  SolidVelocity solid_velocity(int solid) const;
  /// Of its body, at the centre of mass of that. A Solid without one keeps it, and moves by it at
  /// each step with all that is below it and has no body either; the endpoint of a joint besides
  /// what the joint does.
  void set_solid_velocity(int solid, const SolidVelocity& velocity);
  /// Pushes its body in the next step [N], in the world's axes, at a point of the world; adds to
  /// what was said before. Nothing happens without a body.
  void add_force(int solid, const Vec3& force, const Vec3& point);
  /// The same at the body's centre of mass or, for a Solid that is a rigid part of the body of the
  /// one above, at its own.
  void add_force(int solid, const Vec3& force);
  /// Likewise [N·m].
  void add_torque(int solid, const Vec3& torque);
  /// Stops all that moves: velocities and forces are 0, and motors start from rest.
  void reset_physics();
  /// The same for a Solid and all below it.
  void reset_physics(int solid);
  /// Where it touches others in the present pose, perhaps with all below it; in a fixed order.
  std::vector<ContactPoint> contact_points(int solid, bool include_descendants) const;
  /// Of the Solid and all below it, in the world [m]; its origin if there is no mass.
  Vec3 center_of_mass(int solid) const;
  /// Whether that stands, along gravity, above the convex hull of the points where they touch
  /// others. False without gravity.
  bool static_balance(int solid) const;
  /// The most that overlap now. What the solver needs grows with their square.
  OverlappingShapes overlapping_shapes() const;

  /// World pose of a Solid by name, the first one in file order. @throws std::out_of_range
  Pose solid_pose(std::string_view solid_name) const;

 private:
  explicit Simulation(std::unique_ptr<SimulationCore> core);
  std::unique_ptr<SimulationCore> core_;
};

}  // namespace servosim
