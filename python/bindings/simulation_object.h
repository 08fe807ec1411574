// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bindings.h"
#include "exclusive.h"
#include "notice_sink.h"
#include "servosim/simulation.h"

namespace servosim {
class Fields;
}

namespace servosim::python {

/// What an array of a simulation holds: a row for each joint or Solid.
enum class Quantity : std::uint8_t {
  JointPositions,
  JointVelocities,
  JointEfforts,
  TargetPositions,
  TargetVelocities,
  TargetEfforts,
  SolidPoses,
  SolidVelocities,
};
inline constexpr std::size_t kQuantities = 8;

/// The elements of one kind by their names, which are unique.
struct Names {
  std::vector<std::string> all;
  std::unordered_map<std::string, int> by_name;
  /// By what follows the first '/'; -1: of several.
  std::unordered_map<std::string, int> by_part;

  explicit Names(std::vector<std::string> names);
  /// The index of a name, or of the part of one. @throws UnknownName of Python
  int find(const std::string& name, const char* kind) const;
};

/// The object behind servosim.Simulation. All members are called with Python's lock held.
///
/// While a call has let go of that lock, or a notice is given, every other call is refused: see Use
/// and idle().
class SimulationObject : public Exclusive {
 public:
  /// `notice`: a function of Python
  SimulationObject(Simulation made, std::string path, const py::object& notice);
  ~SimulationObject() override;

  /// The simulation, for reading and for changes that neither give notices nor take long.
  /// @throws InUseError of Python
  Simulation& idle() {
    check_idle();
    return simulation_;
  }
  void step(std::int64_t count);
  void restore(const py::bytes& state);
  void reset();

  /// The memory of a quantity as an array that cannot be written, up to date from now on: the same
  /// object until the number of elements changes.
  py::object array(Quantity quantity);
  /// Brings those arrays up to date that were asked for.
  void refresh();

  /// Names of what there is in the present tree.
  const Names& joints();
  const Names& solids();
  const Names& sensors();
  /// The device behind a name of sensors(); its parts live as long as the simulation.
  const Device& sensor(int index);

  Fields& fields();
  const std::string world;  ///< its path; empty: it was a text
  const py::object& notice() const { return sink_->function(); }

  // For Python's search for cycles: a program may keep the simulation in an attribute of an array.
  int traverse(visitproc visit, void* arg) const {
    for (const Memory& memory : memories_) {
      Py_VISIT(memory.array.ptr());
    }
    return sink_->traverse(visit, arg);
  }
  void clear() {
    memories_ = {};
    sink_->clear();
  }

  /// Marks the simulation as in use for as long as it lives. @throws InUseError of Python
  class Use {
   public:
    explicit Use(SimulationObject& object) : mark_(object), simulation_(object.simulation_) {}
    Simulation* operator->() const { return &simulation_; }
    Simulation& operator*() const { return simulation_; }

   private:
    Mark mark_;
    Simulation& simulation_;
  };

 private:
  struct Memory {
    std::shared_ptr<std::vector<double>> values;  // null: not asked for yet
    py::object array;                             // of it
  };

  // The names, also while it is in use.
  const Names& known_joints();
  const Names& known_solids();
  py::object with_names(const py::array& array, Quantity quantity);

  void fill(Quantity quantity);
  void resize(Quantity quantity);
  bool run(std::int64_t count);
  void write_files();
  void begin_episodes(double before);
  void follow_tree();

  Simulation simulation_;
  SharedSink sink_;
  bool has_arrays_ = false;
  std::array<Memory, kQuantities> memories_;
  std::optional<std::uint64_t> version_;  // of the tree that these are of
  std::optional<Names> joints_;
  std::optional<Names> solids_;
  std::optional<Names> sensors_;
  std::vector<const Device*> sensor_devices_;
  std::unique_ptr<Fields> fields_;
};

using SharedSimulation = std::shared_ptr<SimulationObject>;

/// A simulation that an object keeps, as an object of Python, which the search for cycles sees.
class Owner {
 public:
  explicit Owner(SimulationObject& object)
      : python_(py::cast(std::static_pointer_cast<SimulationObject>(object.shared_from_this()))),
        object_(&object) {}
  SimulationObject* operator->() const { return object_; }
  SimulationObject& operator*() const { return *object_; }
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(python_.ptr());
    return 0;
  }

 private:
  py::object python_;
  SimulationObject* object_;
};

/// Options from the keywords of Simulation. @throws py::type_error for another one
LoadOptions load_options(const py::dict& given);

/// Gives the notices of a simulation to a function of Python, whose sink is to be kept by an object
/// that Python's search for cycles sees.
SharedSink give_notices(Simulation& simulation, const py::object& function);

/// A value as a file has it: see the keyword `settings` of Simulation.
std::string value_as_text(const py::handle& value);

/// The motor of a joint; null without one.
Motor* motor_of(Simulation& simulation, int joint);

}  // namespace servosim::python
