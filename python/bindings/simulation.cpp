// SPDX-License-Identifier: Apache-2.0
// servosim.Simulation
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "classes.h"
#include "elements.h"
#include "recording/scene_record.h"
#include "servosim/joint_matrix.h"
#include "servosim/motor.h"
#include "simulation_object.h"
#include "step_file.h"

namespace servosim::python {

namespace {

using Paths = std::vector<std::filesystem::path>;

std::vector<std::string> strings_of(const Paths& paths) {
  std::vector<std::string> strings;
  for (const std::filesystem::path& path : paths) {
    strings.push_back(path.string());
  }
  return strings;
}

std::string in_quotes(const std::string& value) {
  std::string quoted = "\"";
  for (const char c : value) {
    quoted += c == '"' || c == '\\' ? "\\" : "";
    quoted += c;
  }
  return quoted + '"';
}

// The kind of value that contains a value. Lists contain no lists, and tuples neither lists nor
// tuples.
enum class Within { Nothing, List, Tuple };

std::string value_text(const py::handle& value, Within within);

std::string joined(const py::handle& items, Within within) {
  std::string all;
  for (const py::handle item : items) {
    all += (all.empty() ? "" : " ") +
           (py::isinstance<py::str>(item) ? in_quotes(utf8(item)) : value_text(item, within));
  }
  return all;
}

[[noreturn]] void refuse_setting(const py::handle& value, Within within) {
  const char* const where = within == Within::List    ? "a list with "
                            : within == Within::Tuple ? "a tuple with "
                                                      : "";
  throw py::type_error(
      "a setting is a number, a text, True, False, None, a tuple of numbers, or a list of these, "
      "not " +
      (where + shown(value)));
}

std::string scalar_text(const py::handle& value, Within within) {
  if (value.is_none()) {
    return "NULL";
  }
  if (py::isinstance<py::str>(value)) {
    return utf8(value);
  }
  if (py::isinstance<py::bool_>(value)) {
    return value.cast<bool>() ? "TRUE" : "FALSE";
  }
  if (py::isinstance<py::int_>(value)) {
    try {
      return utf8(py::str(value));
      // Python does not write an int of thousands of digits.
    } catch (py::error_already_set& raised) {
      if (!is_of_value(raised)) {
        throw;
      }
      refuse_setting(value, within);
    }
  }
  if (py::isinstance<py::float_>(value)) {  // it includes NumPy's floats, whose repr() differs
    return utf8(py::repr(py::float_(value.cast<double>())));
  }
  refuse_setting(value, within);
}

// A value as a world file has it: a tuple is one value of several numbers, and a list has brackets.
std::string value_text(const py::handle& value, Within within) {
  if (py::isinstance<py::tuple>(value) && within != Within::Tuple) {
    return joined(value, Within::Tuple);
  }
  if (py::isinstance<py::list>(value) && within == Within::Nothing) {
    return "[ " + joined(value, Within::List) + " ]";
  }
  if (!py::isinstance<py::float_>(value) && py::hasattr(value, "tolist")) {  // from NumPy
    const py::object plain = value.attr("tolist")();
    return py::isinstance<py::list>(plain) && within != Within::Tuple ? joined(plain, Within::Tuple)
                                                                      : scalar_text(plain, within);
  }
  return scalar_text(value, within);
}

std::vector<FieldSetting> settings_of(const py::object& given) {
  std::vector<FieldSetting> settings;
  if (given.is_none()) {
    return settings;
  }
  const auto refuse_unless = [&given](bool right) {
    if (!right) {
      throw py::type_error(
          "settings is a dict of values by path, such as {'HAND.physics.mass': 0.4}, not " +
          shown(given));
    }
  };
  refuse_unless(py::hasattr(given, "items"));
  for (const py::handle item : given.attr("items")()) {
    refuse_unless(py::isinstance<py::tuple>(item) && py::len(item) == 2);
    const auto pair = py::reinterpret_borrow<py::tuple>(item);
    refuse_unless(py::isinstance<py::str>(pair[0]));
    const std::string path = utf8(pair[0]);
    std::string as_text = value_text(pair[1], Within::Nothing);
    std::string place = "settings " + path + '=' + as_text;
    settings.push_back({path, std::move(as_text), std::move(place)});
  }
  return settings;
}

struct Arguments {
  std::optional<std::int64_t> seed;
  std::int64_t seed_offset;
  Paths proto_paths;
  Paths servo_paths;
  Paths assets;
  py::object settings;
  bool use_stand_ins;
  bool compat_webots;
  std::size_t step_memory;
  std::string solver;
  std::optional<std::string> integrator;
  std::optional<int> evaluations;
  std::optional<double> accuracy;
  bool floor = true;
  bool fixed_base = false;
  py::object notice;

  /// The function that gets the notices.
  py::object function() const {
    if (notice.is_none()) {
      return of_errors("log_notice");
    }
    if (PyCallable_Check(notice.ptr()) == 0) {
      throw py::type_error("notice is a function of one text or None, not " + shown(notice));
    }
    return notice;
  }

  LoadOptions options() const {
    if (seed.value_or(0) < 0 || seed_offset < 0) {
      throw py::value_error("a seed must not be negative");
    }
    if (solver != "tree" && solver != "ode") {
      throw py::value_error("solver is 'tree' or 'ode', not '" + solver + '\'');
    }
    if (integrator && *integrator != "ode" && *integrator != "joint") {
      throw py::value_error("integrator is 'ode', 'joint' or None, not '" + *integrator + '\'');
    }
    if (evaluations.value_or(0) < 0 || evaluations.value_or(0) > kMaxEvaluations) {
      throw py::value_error("evaluations is 0 to " + std::to_string(kMaxEvaluations) + " or None");
    }
    if (const double most = accuracy.value_or(0.0); !(most >= 0.0 && most <= kMaxAccuracy)) {
      throw py::value_error("accuracy is 0 to 1 or None");
    }
    LoadOptions made;
    made.proto_paths = strings_of(proto_paths);
    made.servo_paths = strings_of(servo_paths);
    made.assets = strings_of(assets);
    made.settings = settings_of(settings);
    made.use_stand_ins = use_stand_ins;
    made.random_seed = seed;
    made.random_seed_offset = seed_offset;
    made.compat_webots = compat_webots;
    made.step_memory = step_memory;
    made.solver = solver == "ode" ? Solver::Ode : Solver::Tree;
    if (integrator) {
      made.integrator = *integrator == "joint" ? Integrator::Joint : Integrator::Ode;
    }
    made.evaluations = evaluations;
    made.accuracy = accuracy;
    made.robot_file = {floor, fixed_base};
    made.notice = function_of(std::make_shared<NoticeSink>(function()));
    return made;
  }
};

template <typename Value>
Value taken(py::dict& given, const char* name, Value usual) {
  if (given.contains(name)) {
    const py::object value = given[name];
    if (!detail::fits<Value>(value)) {
      throw py::type_error(std::string(name) + " is " + detail::takes<Value>() + ", not " +
                           shown(value));
    }
    usual = value.cast<Value>();
    given.attr("pop")(name);
  }
  return usual;
}

// Sends the warnings of loading to the logger, and returns the simulation.
SharedSimulation told(Simulation made, std::string path, const py::object& notice) {
  auto object = std::make_shared<SimulationObject>(std::move(made), std::move(path), notice);
  py::list warnings;
  for (const Diagnostic& diagnostic : object->idle().diagnostics()) {
    if (diagnostic.severity == Severity::Warning && !diagnostic.only_looks) {
      warnings.append(text(to_string(diagnostic)));
    }
  }
  if (!warnings.empty()) {
    of_errors("log_warnings")(warnings);
  }
  return object;
}

SharedSimulation load(const std::filesystem::path& world, const Arguments& arguments) {
  LoadOptions options = arguments.options();
  std::optional<Simulation> made;
  {
    const Unlocked unlocked;
    made.emplace(world.string(), std::move(options));
  }
  return told(std::move(*made), world.string(), arguments.function());
}

SharedSimulation load_text(const std::string& world_text, const std::filesystem::path& folder,
                           const Arguments& arguments) {
  LoadOptions options = arguments.options();
  std::optional<Simulation> made;
  {
    const Unlocked unlocked;
    made.emplace(Simulation::from_text(world_text, std::move(options), folder.string()));
  }
  return told(std::move(*made), "", arguments.function());
}

// Returns the index of a robot by its name, or of the first one. Raises UnknownName or KeyError.
int robot_index(const Simulation& simulation, const std::optional<std::string>& name) {
  if (!name) {
    if (simulation.robots().empty()) {
      throw py::key_error("there is no robot");
    }
    return 0;
  }
  int index = 0;
  for (const Robot& robot : simulation.robots()) {
    if (robot.name() == *name) {
      return index;
    }
    ++index;
  }
  std::vector<std::string> names;  // for a part of a name, or for the error
  for (const Robot& robot : simulation.robots()) {
    names.push_back(robot.name());
  }
  return ElementNames(std::move(names)).find(*name, "robot");
}

py::array_t<double> array_of(const JointMatrix& matrix) {
  py::array_t<double> array({matrix.rows, matrix.columns});
  std::copy(matrix.values.begin(), matrix.values.end(), array.mutable_data());
  return array;
}

std::vector<std::string> coordinates_of(SimulationObject& self,
                                        const std::optional<std::string>& robot) {
  const SimulationObject::Use use(self);
  return use->coordinates(robot_index(*use, robot));
}

py::array_t<double> mass_matrix_of(SimulationObject& self,
                                   const std::optional<std::string>& robot) {
  const SimulationObject::Use use(self);
  return array_of(use->mass_matrix(robot_index(*use, robot)));
}

py::array_t<double> gravity_torques_of(SimulationObject& self,
                                       const std::optional<std::string>& robot) {
  const SimulationObject::Use use(self);
  const std::vector<double> torques = use->gravity_torques(robot_index(*use, robot));
  return py::array_t<double>(static_cast<py::ssize_t>(torques.size()), torques.data());
}

// Raises UnknownName, or ValueError for a Solid of no robot.
py::array_t<double> jacobian_of(SimulationObject& self, const std::string& solid,
                                const std::array<double, 3>& point) {
  const int index = self.solids().find(solid, "Solid");
  const SimulationObject::Use use(self);
  return array_of(use->jacobian(use->solid(index), {point[0], point[1], point[2]}));
}

SharedSimulation clone(SimulationObject& self) {
  const SimulationObject::Use use(self);
  return std::make_shared<SimulationObject>(use->clone(), self.world, self.notice());
}

std::shared_ptr<RecordingFile> record(SimulationObject& self,
                                      const std::optional<std::filesystem::path>& path, double rate,
                                      double images) {
  auto made = std::make_shared<RecordingFile>(self, self.idle(), self.world,
                                              path ? path->string() : "", rate, images);
  keep_open(self, made);
  self.recording = made;
  return made;
}

py::object replay(SimulationObject& self) {
  Simulation& simulation = self.idle();
  return replay_of(
      self.recording != nullptr ? self.recording->page() : page_of_state(simulation, self.world),
      self.world);
}

py::bytes save(SimulationObject& self) {
  const std::vector<std::byte> bytes = self.idle().save_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

py::list diagnostics_of(SimulationObject& self) {
  py::list list;
  for (const Diagnostic& diagnostic : self.idle().diagnostics()) {
    list.append(py::cast(diagnostic));
  }
  return list;
}

// Gives a command to each joint with a motor. A joint without one accepts only NaN, which reading
// gives for it.
using Command = void (Motor::*)(double);
void give(SimulationObject& self, const py::array_t<double, py::array::forcecast>& given,
          Command command) {
  Simulation& simulation = self.idle();
  const int count = simulation.joints().size();
  if (given.ndim() != 1 || given.shape(0) != count) {
    throw py::value_error("this array has the shape (" + std::to_string(count) +
                          ",), a number for each joint");
  }
  const auto numbers = given.unchecked<1>();
  for (int j = 0; j < count; ++j) {
    const bool has_motor = motor_of(simulation, j) != nullptr;
    if (has_motor == std::isnan(numbers(j))) {
      throw py::value_error("joint '" + simulation.joint(j).name() +
                            (has_motor ? "' would get NaN; nothing has changed"
                                       : "' has no motor: its number must be NaN; nothing has "
                                         "changed"));
    }
  }
  {
    const SimulationObject::Use use(self);
    for (int j = 0; j < count; ++j) {
      if (Motor* motor = motor_of(*use, j)) {
        (motor->*command)(numbers(j));
      }
    }
  }
  self.refresh();
}

template <Quantity quantity>
py::object array(SimulationObject& self) {
  return self.array(quantity);
}

template <Command command>
void give_all(SimulationObject& self, const py::array_t<double, py::array::forcecast>& given) {
  give(self, given, command);
}

// The number of steps: an argument `n`, or one. @throws error_already_set
std::int64_t steps_of(PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const Py_ssize_t named = names != nullptr ? PyTuple_GET_SIZE(names) : 0;
  if (count + named == 0) {
    return 1;
  }
  if (count + named > 1 ||
      (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "n") != 0)) {
    throw py::type_error("Simulation.step() takes one argument, n");
  }
  if (PyIndex_Check(arguments[0]) == 0) {
    throw py::type_error("Simulation.step(): n is a whole number from 0 on, not " +
                         shown(arguments[0]));
  }
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(arguments[0]));
  int overflow = 0;
  const long long steps = number ? PyLong_AsLongLongAndOverflow(number.ptr(), &overflow) : -1;
  if (overflow != 0) {
    throw py::value_error("Simulation.step(): n is a whole number from 0 to 2**63 - 1, not " +
                          shown(number));
  }
  if (steps == -1 && PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
  return steps;
}

// Python calls this function itself: what pybind11 does for each call takes longer than a step of a
// small world.
PyObject* step(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  try {
    static const py::detail::type_info* const type =
        py::detail::get_type_info(typeid(SimulationObject));
    auto* const instance = reinterpret_cast<py::detail::instance*>(self);
    void* const object = instance->get_value_and_holder(type).value_ptr();
    if (object == nullptr) {
      detail::refuse_empty(0);
    }
    static_cast<SimulationObject*>(object)->step(steps_of(arguments, count, names));
    Py_RETURN_NONE;
  } catch (...) {
    set_error(std::current_exception());
    return nullptr;
  }
}

void bind_step(const py::object& type) {
  static PyMethodDef definition{
      "step", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&step)),
      METH_FASTCALL | METH_KEYWORDS,
      "step($self, /, n=1)\n--\n\n"
      "Advances by `n` basic time steps, 0 or more.\n\n"
      "Raises StepFailed or Diverged; the simulation must then be restored or reset. Ctrl-C ends "
      "it after a whole step."};
  const auto method = py::reinterpret_steal<py::object>(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &definition));
  if (!method) {
    throw py::error_already_set();
  }
  type.attr("step") = method;
}

}  // namespace

LoadOptions load_options(const py::dict& given) {
  py::dict left = given.attr("copy")();
  const Arguments arguments{
      taken<std::optional<std::int64_t>>(left, "seed", std::nullopt),
      taken<std::int64_t>(left, "seed_offset", 0),
      taken<Paths>(left, "proto_paths", {}),
      taken<Paths>(left, "servo_paths", {}),
      taken<Paths>(left, "assets", {}),
      taken<py::object>(left, "settings", py::none()),
      taken(left, "use_stand_ins", true),
      taken(left, "compat_webots", false),
      taken<std::size_t>(left, "step_memory", 0),
      taken<std::string>(left, "solver", "tree"),
      taken<std::optional<std::string>>(left, "integrator", std::nullopt),
      taken<std::optional<int>>(left, "evaluations", std::nullopt),
      taken<std::optional<double>>(left, "accuracy", std::nullopt),
      taken(left, "floor", true),
      taken(left, "fixed_base", false),
      taken<py::object>(left, "notice", py::none()),
  };
  if (!left.empty()) {
    throw py::type_error("there is no keyword '" +
                         py::str(left.begin()->first).cast<std::string>() + "'");
  }
  return arguments.options();
}

std::string value_as_text(const py::handle& value) { return value_text(value, Within::Nothing); }

void bind_simulation(py::module_& module) {
  Class<SimulationObject, SharedSimulation> type(
      module, "Simulation",
      "A world that runs.\n\n"
      "One thread at a time may use it; another one gets an InUseError. A step lets go of Python's "
      "lock, so that several simulations run in several threads.");
  const auto loads = [](const std::filesystem::path& world, std::optional<std::int64_t> seed,
                        std::int64_t seed_offset, const Paths& proto_paths,
                        const Paths& servo_paths, const Paths& assets, const py::object& settings,
                        bool use_stand_ins, bool compat_webots, std::size_t step_memory,
                        const std::string& solver, const std::optional<std::string>& integrator,
                        std::optional<int> evaluations, std::optional<double> accuracy, bool floor,
                        bool fixed_base, const py::object& notice) {
    return load(world, {seed, seed_offset, proto_paths, servo_paths, assets, settings,
                        use_stand_ins, compat_webots, step_memory, solver, integrator, evaluations,
                        accuracy, floor, fixed_base, notice});
  };
  const auto reads =
      [](const std::string& world_text, const std::filesystem::path& folder,
         std::optional<std::int64_t> seed, std::int64_t seed_offset, const Paths& proto_paths,
         const Paths& servo_paths, const Paths& assets, const py::object& settings,
         bool use_stand_ins, bool compat_webots, std::size_t step_memory, const std::string& solver,
         const std::optional<std::string>& integrator, std::optional<int> evaluations,
         std::optional<double> accuracy, bool floor, bool fixed_base, const py::object& notice) {
        return load_text(world_text, folder,
                         {seed, seed_offset, proto_paths, servo_paths, assets, settings,
                          use_stand_ins, compat_webots, step_memory, solver, integrator,
                          evaluations, accuracy, floor, fixed_base, notice});
      };
  type.def_init(
          loads, py::arg("world"), py::arg("seed") = py::none(), py::kw_only(),
          py::arg("seed_offset") = 0, py::arg("proto_paths") = Paths{},
          py::arg("servo_paths") = Paths{}, py::arg("assets") = Paths{},
          py::arg("settings") = py::none(), py::arg("use_stand_ins") = true,
          py::arg("compat_webots") = false, py::arg("step_memory") = 0, py::arg("solver") = "tree",
          py::arg("integrator") = py::none(), py::arg("evaluations") = py::none(),
          py::arg("accuracy") = py::none(), py::arg("floor") = true, py::arg("fixed_base") = false,
          py::arg("notice") = py::none(),
          "Loads a world, or a robot's own file (.urdf, .sdf, .xml). Raises LoadError if it cannot "
          "be "
          "simulated.\n\n"
          "seed: in place of WorldInfo.randomSeed, 0 or more.\n"
          "seed_offset: added to either.\n"
          "proto_paths: folders searched for PROTO files.\n"
          "servo_paths: folders searched for servos, each as NAME.toml.\n"
          "assets: folders and archives of Webots' files, see the option --assets.\n"
          "settings: other values for fields, as --set: {'arm/shoulder.maxTorque': 30, "
          "'FOREARM.translation': (0, 0, 0.1)}. A tuple is a vector, a list a list of values, a "
          "text what would stand in the file.\n"
          "use_stand_ins: whether servosim's own PROTOs stand in for those that are not found.\n"
          "compat_webots: whether a known error of Webots' engine is reproduced.\n"
          "step_memory: what the solver may have for a step [bytes]; 0: half of what there is.\n"
          "solver: 'tree', or 'ode' for ODE's own alone.\n"
          "integrator: 'ode' as in Webots, or 'joint' in the coordinates of the joints; None: that "
          "of servosim.toml or of the world.\n"
          "evaluations: of a step of 'joint', 1 to 8, or 0 for as many as it needs; None: as for "
          "integrator.\n"
          "accuracy: the most error of a joint in a step of 'joint' [rad or m], up to 1: a step "
          "with "
          "more is divided; 0: any; None: as for integrator.\n"
          "floor: whether a robot's own file gets a floor.\n"
          "fixed_base: whether the root of the robot in such a file is held where it is.\n"
          "notice: a function that gets the texts of notices, such as that a command was "
          "clamped; by default they go to the logger 'servosim'.")
      .def_static("from_text", reads, py::arg("text"), py::arg("folder") = ".",
                  py::arg("seed") = py::none(), py::kw_only(), py::arg("seed_offset") = 0,
                  py::arg("proto_paths") = Paths{}, py::arg("servo_paths") = Paths{},
                  py::arg("assets") = Paths{}, py::arg("settings") = py::none(),
                  py::arg("use_stand_ins") = true, py::arg("compat_webots") = false,
                  py::arg("step_memory") = 0, py::arg("solver") = "tree",
                  py::arg("integrator") = py::none(), py::arg("evaluations") = py::none(),
                  py::arg("accuracy") = py::none(), py::arg("floor") = true,
                  py::arg("fixed_base") = false, py::arg("notice") = py::none(),
                  "Loads a world from a text; `folder` is where its file would stand.")
      .def("save", &save,
           "The whole state as bytes, for this process and those that it forks later.")
      .def("restore", &SimulationObject::restore, py::arg("state"),
           "Goes back to a state that this simulation or a clone of it has saved; it then goes on "
           "bit for bit as that did. Raises ValueError for any other bytes.")
      .def("reset", &SimulationObject::reset,
           "Goes back to what was loaded, random numbers included.")
      .def("clone", &clone, "A second simulation in the same state, independent of this one.")
      .def("__copy__", &clone)
      .def(
          "__deepcopy__", [](SimulationObject& self, const py::dict&) { return clone(self); },
          py::arg("memo"))
      .def(
          "state_hash", [](SimulationObject& self) { return self.idle().state_hash(); },
          "A hash of the mechanical state and of commands: equal after equal runs.")
      .def(
          "scene",
          [](SimulationObject& self) {
            const SimulationObject::Use use(self);
            DrawingStore store;
            const SceneRecord record = describe_scene(*use, {self.world, 0.0}, {}, store);
            return py::module_::import("json").attr("loads")(text(record.json));
          },
          "What it looks like, as a dict: the scene of docs/reference/recordings.md. `bodies` are "
          "the "
          "Solids in the order of `solid_poses`, then perhaps one for shapes that no Solid "
          "carries.")
      .def(
          "trace",
          [](SimulationObject& self, const std::filesystem::path& path,
             const std::vector<std::string>& watch) {
            auto trace =
                std::make_shared<TraceFile>(self, self.idle(), self.world, path.string(), watch);
            keep_open(self, trace);
            return trace;
          },
          py::arg("path"), py::arg("watch") = std::vector<std::string>{},
          "Writes a row to a .csv or .jsonl file after each step, until its close(), the end of a "
          "`with`, or the end of the simulation.\n\n"
          "watch: globs of joints ('arm/*') and of poses ('arm.pose'); all joints without any.")
      .def("record", &record, py::arg("path") = py::none(), py::kw_only(), py::arg("rate") = 25.0,
           py::arg("images") = 0.0,
           "Records what it looks like from now on, until the Recording's close(), the end of a "
           "`with`, or the end of the simulation.\n\n"
           "path: a .svt file, as `servosim run --record` writes; None: in memory, for replay().\n"
           "rate: frames per second of simulated time.\n"
           "images: pictures of each Camera and RangeFinder that is enabled, per second of "
           "simulated time; 0: none.")
      .def("replay", &replay,
           "What was recorded last, or without record() the present state, as a page for a "
           "browser, which a notebook shows: a Replay.")
      .def_property_readonly(
          "time", [](SimulationObject& self) { return self.idle().time(); }, "Simulated time [s].")
      .def_property_readonly(
          "time_step",
          [](SimulationObject& self) { return self.idle().basic_time_step_ms() / 1000.0; },
          "The basic time step [s].")
      .def_property_readonly(
          "step_count", [](SimulationObject& self) { return self.idle().step_count(); },
          "Steps since loading; a restored state has its own.")
      .def_property_readonly(
          "world", [](SimulationObject& self) { return text(self.world); },
          "The path of the world; '' if it was a text.")
      .def_property_readonly("diagnostics", &diagnostics_of,
                             "The messages of loading, a list of Diagnostic.")
      .def_property_readonly("joints", &joints_of, "All joints by name.")
      .def_property_readonly("solids", &solids_of, "All Solids by name.")
      .def_property_readonly("sensors", &sensors_of, "All sensors of robots by name.")
      .def_property_readonly("picture_sensors", &picture_sensors_of,
                             "All Cameras, RangeFinders and Lidars of robots by name.")
      .def_property_readonly("fields", &fields_of, "All fields of nodes by path.")
      .def("coordinates", &coordinates_of, py::arg("robot") = py::none(),
           "The names of the coordinates in which a robot moves: if nothing holds its base, 'base "
           "x' "
           "to 'base z' [m] and 'base turn x' to 'base turn z' [rad] along and about the world's "
           "axes; then its joints [rad or m].\n\n"
           "robot: its name; None: the first one.")
      .def("mass_matrix", &mass_matrix_of, py::arg("robot") = py::none(),
           "The mass matrix in the present pose, by coordinates() both ways [kg, kg m, kg m^2]. It "
           "has the armature of joints.")
      .def("gravity_torques", &gravity_torques_of, py::arg("robot") = py::none(),
           "The forces along coordinates() that hold a robot against gravity in its present pose "
           "[N, N m].")
      .def(
          "jacobian", &jacobian_of, py::arg("solid"), py::arg("point") = std::array<double, 3>{},
          "The motion of a point by the rates of coordinates() of its robot, 6 x n: velocity [m/s] "
          "and angular velocity [rad/s] in the world's axes.\n\n"
          "solid: a name of Simulation.solids.\n"
          "point: in the frame of the Solid [m].");
  bind_step(type);
  type.def_property_readonly("joint_positions", &array<Quantity::JointPositions>,
                             "[rad or m] of each joint: shape (joints,). Read-only memory of the "
                             "simulation, which every step and change brings up to date.")
      .def_property_readonly("joint_velocities", &array<Quantity::JointVelocities>,
                             "[rad/s or m/s] of each joint, measured: shape (joints,).")
      .def_property_readonly("joint_efforts", &array<Quantity::JointEfforts>,
                             "[N·m or N] of each joint in the last step: shape (joints,).")
      .def_property("joint_targets", &array<Quantity::TargetPositions>,
                    &give_all<&Motor::set_position>,
                    "[rad or m] the motors' targets: shape (joints,), NaN for a joint without a "
                    "motor. To assign an array commands all of them; items cannot be assigned.")
      .def_property("joint_target_velocities", &array<Quantity::TargetVelocities>,
                    &give_all<&Motor::set_velocity>,
                    "[rad/s or m/s] the same of Joint.target_velocity.")
      .def_property("joint_target_torques", &array<Quantity::TargetEfforts>,
                    &give_all<&Motor::set_force>,
                    "[N·m or N] the same of Joint.target_torque; NaN, too, where a motor is not in "
                    "torque control.")
      .def_property_readonly("solid_poses", &array<Quantity::SolidPoses>,
                             "x, y, z [m], qx, qy, qz, qw of each Solid: shape (solids, 7).")
      .def_property_readonly("solid_velocities", &array<Quantity::SolidVelocities>,
                             "[m/s], [rad/s] of each Solid, see Solid.velocity: shape (solids, 6).")
      .def("__repr__", [](const SimulationObject& self) {
        return text("<Simulation of " + described(self.world) + '>');
      });
}

}  // namespace servosim::python
