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
#include "servosim/math.h"
#include "servosim/robot.h"
#include "servosim/solid.h"
#include "servosim/solver.h"

namespace servosim {

struct Scene;
struct SimulationCore;
class StateFamily;

namespace wbt {
struct WorldFile;
}

/// Threads: a plain value; `notice` is called in the thread that loads or steps.
struct LoadOptions {
  std::vector<std::string> proto_paths;  ///< folders searched for PROTO files
  bool use_stand_ins = true;             ///< servosim's own PROTOs for those that are not found
  /// Folders filled as Webots fills its download cache, and zip archives of such, in which files
  /// are looked for that a world names by an address.
  std::vector<std::string> assets;
  std::optional<std::int64_t> random_seed;  ///< over WorldInfo.randomSeed; >= 0
  std::int64_t random_seed_offset = 0;      ///< added to either, for copies of a world; >= 0
  /// Reproduces a known error of Webots' engine: it adds the gyroscopic torque in a way that gains
  /// energy. See docs/explanation/deviations.md.
  bool compat_webots = false;
  /// What ODE's solver may have for one step [bytes]; it takes about 19 for each pair of rows of
  /// the bodies that touch each other, and a contact is three rows. 0: half of the memory there is;
  /// at most 16 GB, also of a greater number.
  std::size_t step_memory = 0;
  /// What solves a step; ODE has what the tree solver cannot, or gains nothing from.
  Solver solver = Solver::Tree;
  /// Fields with other values than in the file, one after the other. Diagnostics of a setting that
  /// cannot be made, or of a value that is out of range, name its place.
  std::vector<FieldSetting> settings = {};
  /// Receives messages of a running simulation, such as a clamped command; stderr by default.
  /// Clones share it: when they run in several threads it is called from all of them, perhaps at
  /// once.
  std::function<void(std::string_view)> notice;
};

/// A step could not be taken: the contacts need more memory to solve than there is, or than
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

/// Everything that changes while a simulation runs; see Simulation::save(). Copyable; meant for
/// this process only.
///
/// Threads: a plain value; several may be restoring it at once.
class SimulationState {
 private:
  friend class Simulation;
  friend struct SimulationCore;
  friend class StateFamily;
  std::shared_ptr<StateFamily> family_;  // a simulation and its clones
  std::shared_ptr<const wbt::WorldFile> file_;
  std::shared_ptr<const Scene> scene_;
  std::map<int, Pose> placed_;  // Solids that were put elsewhere
  std::vector<std::byte> block_;
};

/// A world that runs. Not copyable. Joints, Solids and propellers of it are handles: Joint, Solid,
/// Propeller.
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

  /// The warnings of loading; errors throw. The reference is valid until the tree changes: by an
  /// edit of a supervisor, or by a state of another tree.
  const std::vector<Diagnostic>& diagnostics() const;

  /// Advances by `count` basic time steps. @throws StepFailed, Diverged, std::system_error and
  /// std::bad_alloc for want of memory; the simulation must then be restored or reset to continue.
  void step(std::int64_t count = 1);

  double time() const;  ///< simulated time [s]
  double basic_time_step_ms() const;
  std::int64_t step_count() const;

  ElementRange<Robot&> robots() const;
  /// Robots and their devices keep their addresses as long as the simulation.
  /// @throws std::out_of_range
  Robot& robot(int index);
  /// By its name, which is unique: the second robot that the world calls "x" is "x#2".
  /// @throws std::out_of_range naming the robots there are.
  Robot& robot(std::string_view name);

  /// All joints of the world. A joint that has left the tree keeps its index, and new ones follow
  /// behind.
  ElementRange<Joint> joints() const;
  /// @throws std::out_of_range, e.g. "joint 99 of 15"
  Joint joint(int index) const;
  /// By Joint::name(), or by its last part if only one joint has it.
  /// @throws std::out_of_range
  Joint joint(std::string_view name) const;
  /// Propellers that a robot's motor turns.
  ElementRange<Propeller> propellers() const;

  /// All Solids of the world in the order of the file.
  ElementRange<Solid> solids() const;
  /// @throws std::out_of_range
  Solid solid(int index) const;
  /// The first one of that name in the order of the file. @throws std::out_of_range
  Solid solid(std::string_view name) const;

  /// The state between two steps: bodies, joints, sleeping, motors, sensors, brakes, batteries,
  /// random numbers and the time. A simulation that restores it goes on bit for bit as this one
  /// does. Not part of it: controller programs. The memory of `reused`, any state that is not
  /// needed any more, is used again.
  [[nodiscard]] SimulationState save(SimulationState reused = {}) const;
  /// Goes back to a state saved by this simulation, or by one that cloned it or that it was cloned
  /// from; also after Diverged. @throws std::invalid_argument for a state of another simulation.
  void restore(const SimulationState& state);
  /// The state as bytes, which have a checksum, for this process and those that it forks later.
  /// The tree that the state belongs to, which a Supervisor may have changed, is kept for them as
  /// long as one of the simulation and its clones lives.
  std::vector<std::byte> save_bytes() const;
  /// Goes back to such a state. @throws std::invalid_argument for bytes that are damaged, or of
  /// another simulation or process; nothing has changed then.
  void restore_bytes(std::span<const std::byte> bytes);
  /// Goes back to what was loaded, random numbers included.
  void reset();
  /// A second simulation in the same state, independent of this one, for instance to look ahead.
  /// It shares what was loaded and sends its notices to the same place.
  Simulation clone() const;

  /// Hash of the mechanical state (bodies, joints), of the commands and control states of motors,
  /// and of packets that have not been read: equal hashes after equal runs of the same binary.
  std::uint64_t state_hash() const;

 private:
  friend SimulationCore& core_of(Simulation& simulation);
  friend const SimulationCore& core_of(const Simulation& simulation);
  friend Simulation simulation_of(std::unique_ptr<SimulationCore> core);
  explicit Simulation(std::unique_ptr<SimulationCore> core);
  std::unique_ptr<SimulationCore> core_;
};

}  // namespace servosim
