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

/// The contents of an array of a simulation, which has a row for each joint or Solid.
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
struct ElementNames {
  std::vector<std::string> all;
  std::unordered_map<std::string, int> by_name;
  /// Keyed by the part of the name after the first '/'; -1: several elements have that part.
  std::unordered_map<std::string, int> by_part;

  explicit ElementNames(std::vector<std::string> names);
  /// The index of a name, or of the last part of one. @throws UnknownName of Python
  int find(const std::string& name, const char* kind) const;
};

/// Devices of one kind in the present tree.
struct NamedDevices {
  std::optional<ElementNames> names;  // none until they are asked for
  std::vector<const DeviceNode*> devices;
};

/// The object behind servosim.Simulation. All members are called with Python's lock held.
///
/// While a call has released that lock, or gives a notice, every other call is refused: see Use and
/// idle().
class SimulationObject : public Exclusive {
 public:
  /// @param notice  a function of Python
  SimulationObject(Simulation made, std::string path, const py::object& notice);
  /// An instance of a batch, which goes back by give_back(). @param sink  of the batch
  SimulationObject(Simulation of_batch, std::string path, SharedSink sink);
  ~SimulationObject() override;

  /// The simulation, for reading, and for changes that neither give notices nor take long. @throws
  /// InUseError of Python
  Simulation& idle() {
    check_idle();
    return simulation_;
  }
  void step(std::int64_t count);
  void restore(const py::bytes& state);
  void reset();
  /// Closes the files, and gives the simulation away. Every later use is refused. @throws
  /// InUseError of Python
  Simulation give_back();

  /// The memory of a quantity as an array that cannot be written. It is kept up to date from now
  /// on, and is the same object until the number of elements changes.
  py::object array(Quantity quantity);
  /// Brings the arrays up to date that were asked for.
  void refresh();

  /// The names of what is in the present tree.
  const ElementNames& joints();
  const ElementNames& solids();
  const ElementNames& sensors();
  /// The device behind a name of sensors(); its parts live as long as the simulation.
  const DeviceNode& sensor(int index);
  const ElementNames& picture_sensors();
  /// The same for picture_sensors().
  const DeviceNode& picture_sensor(int index);

  Fields& fields();
  const std::string world;  ///< its path; empty: it was a text
  const py::object& notice() const { return sink_->function(); }

  // Python's search for cycles calls it: a program may keep the simulation in an attribute of an
  // array.
  int traverse(visitproc visit, void* arg) const {
    for (const Memory& memory : memories_) {
      Py_VISIT(memory.array.ptr());
    }
    return is_of_batch_ ? 0 : sink_->traverse(visit, arg);
  }
  void clear() {
    memories_ = {};
    if (!is_of_batch_) {
      sink_->clear();
    }
  }

  /// Marks the simulation as in use as long as the object exists. @throws InUseError of Python
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
    std::shared_ptr<std::vector<double>> values;  // null until it is asked for
    py::object array;                             // over these values
  };

  // The names; they may be read while the simulation is in use.
  const ElementNames& known_joints();
  const ElementNames& known_solids();
  py::object with_names(const py::array& array, Quantity quantity);

  void fill(Quantity quantity);
  void resize(Quantity quantity);
  bool run(std::int64_t count);
  void write_files();
  void begin_episodes(double before);
  void follow_tree();
  const ElementNames& known(NamedDevices& list, bool (*belongs)(const DeviceNode& node));

  Simulation simulation_;
  SharedSink sink_;
  bool is_of_batch_ = false;  // the sink belongs to the batch
  bool has_arrays_ = false;
  std::array<Memory, kQuantities> memories_;
  std::optional<std::uint64_t> version_;  // the version of the tree that has these names
  std::optional<ElementNames> joints_;
  std::optional<ElementNames> solids_;
  NamedDevices sensors_;
  NamedDevices picture_sensors_;
  std::unique_ptr<Fields> fields_;
};

using SharedSimulation = std::shared_ptr<SimulationObject>;

/// An object of Python keeps a simulation by it, so that Python's search for cycles sees it.
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

/// The options from the keywords of Simulation. @throws py::type_error for another keyword
LoadOptions load_options(const py::dict& given);

/// Gives the notices of a simulation to a function of Python. An object that Python's search for
/// cycles sees must keep the sink.
SharedSink give_notices(Simulation& simulation, const py::object& function);

/// A value as a world file has it: see the keyword `settings` of Simulation.
std::string value_as_text(const py::handle& value);

/// The motor of a joint; null if it has none.
Motor* motor_of(Simulation& simulation, int joint);

}  // namespace servosim::python
