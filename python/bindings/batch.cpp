// SPDX-License-Identifier: Apache-2.0
// servosim.Batch
#include "servosim/batch.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "devices/body_sensor_models.h"
#include "sim/simulation_core.h"
#include "sim/state_family.h"
#include "simulation_object.h"

namespace servosim::python {

namespace {

using Shape = std::vector<py::ssize_t>;

// An array over memory that lives as long as the array.
py::array view_of(const std::shared_ptr<const void>& memory, const py::dtype& type, Shape shape,
                  bool writable) {
  const py::capsule owner(new std::shared_ptr<const void>(memory), [](void* kept) {
    delete static_cast<std::shared_ptr<const void>*>(kept);
  });
  py::array array(type, std::move(shape), memory.get(), owner);
  if (!writable) {
    array.attr("flags").attr("writeable") = false;
  }
  return array;
}

// A copy.
template <typename Number>
py::array_t<Number> array_of(std::span<const Number> numbers) {
  return py::array_t<Number>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

std::string text_of_shape(const Shape& shape) {
  std::string text = "(";
  for (const py::ssize_t size : shape) {
    text += std::to_string(size) + ", ";
  }
  return text.substr(0, text.size() - (shape.size() > 1 ? 2 : 1)) + ")";
}

py::list strings(const std::vector<std::string>& names) {
  py::list list;
  for (const std::string& name : names) {
    list.append(text(name));
  }
  return list;
}

// The object behind servosim.Batch. All members are called with Python's lock held; while a call
// has let go of it, every other call is refused.
class BatchObject {
 public:
  BatchObject(const Simulation& world, std::size_t count, const BatchOptions& options) {
    const py::gil_scoped_release unlocked;  // notices of other threads take the lock
    batch_ = std::make_unique<Batch>(world, count, options);
  }
  BatchObject(const BatchObject&) = delete;
  BatchObject& operator=(const BatchObject&) = delete;
  ~BatchObject() {
    const py::gil_scoped_release unlocked;
    batch_.reset();
  }

  Batch& idle() const {
    if (in_use_) {
      in_use_.refuse("batch");
    }
    return *batch_;
  }

  // Calls an action with the batch, without Python's lock.
  template <typename Action>
  void unlocked(const Action& action) {
    idle();
    struct Mark {
      explicit Mark(InUse& the_flag) : flag(the_flag) { flag.begin(); }
      ~Mark() { flag.end(); }
      InUse& flag;
    } const mark(in_use_);
    const py::gil_scoped_release release;
    action(*batch_);
  }

  // The same; Ctrl-C and other signals end it, and what their handlers raise is raised.
  template <typename Action>
  void interruptible(const Action& action) {
    bool raised = false;
    const Batch::Interrupt interrupt = [&raised] {
      const py::gil_scoped_acquire lock;
      raised = PyErr_CheckSignals() != 0;
      return raised;
    };
    unlocked([&](Batch& batch) { action(batch, interrupt); });
    if (raised) {
      throw py::error_already_set();
    }
  }

  py::dtype type() const {
    return batch_->number() == BatchNumber::Float32 ? py::dtype::of<float>()
                                                    : py::dtype::of<double>();
  }
  py::ssize_t count() const { return static_cast<py::ssize_t>(batch_->size()); }
  py::ssize_t observed() const {
    return static_cast<py::ssize_t>(batch_->observation_names().size());
  }
  py::ssize_t commanded() const { return static_cast<py::ssize_t>(batch_->action_names().size()); }

 private:
  std::unique_ptr<Batch> batch_;
  InUse in_use_;
};

BatchNumber number_of(const py::object& type) {
  const py::dtype asked = py::dtype::from_args(type);
  if (asked.is(py::dtype::of<float>()) || asked.equal(py::dtype::of<float>())) {
    return BatchNumber::Float32;
  }
  if (asked.equal(py::dtype::of<double>())) {
    return BatchNumber::Float64;
  }
  throw py::type_error("dtype is numpy.float32 or numpy.float64, not " +
                       std::string(py::str(static_cast<const py::object&>(asked))));
}

std::unique_ptr<BatchObject> make_batch(const py::object& world, std::size_t count,
                                        std::size_t threads, std::optional<double> control_step_ms,
                                        const py::object& type, bool contacts,
                                        const py::kwargs& load) {
  BatchOptions options;
  options.threads = threads;
  options.control_step_ms = control_step_ms.value_or(0.0);
  options.number = number_of(type);
  options.contacts = contacts;
  py::object simulation = world;
  if (!py::isinstance<SimulationObject>(world)) {
    simulation = py::type::of<SimulationObject>()(world, **load);
  } else if (!load.empty()) {
    throw py::type_error(
        "these options are for a world that is loaded: the simulation has its own");
  }
  const SimulationObject::Use use(simulation.cast<SimulationObject&>());
  return std::make_unique<BatchObject>(*use, count, options);
}

py::array checked(const BatchObject& self, const py::object& given, const Shape& shape,
                  const char* name) {
  py::array array = py::array::ensure(given);
  if (!array) {
    PyErr_Clear();
    throw py::type_error(std::string(name) + " is no array");
  }
  if (!array.dtype().equal(self.type())) {
    throw py::type_error(std::string(name) + " has dtype " +
                         std::string(py::str(static_cast<const py::object&>(array.dtype()))) +
                         ", the batch " +
                         std::string(py::str(static_cast<const py::object&>(self.type()))) +
                         ": convert it by astype(batch.dtype)");
  }
  const Shape has(array.shape(), array.shape() + array.ndim());
  if (has != shape) {
    throw py::value_error(std::string(name) + " has the shape " + text_of_shape(has) +
                          "; it must be " + text_of_shape(shape));
  }
  return array;
}

template <typename Number>
void roll_out(BatchObject& self, const py::array& actions, std::size_t steps, py::array& rows) {
  const std::span<const Number> in(static_cast<const Number*>(actions.data()),
                                   static_cast<std::size_t>(actions.size()));
  const std::span<Number> out(static_cast<Number*>(rows.mutable_data()),
                              static_cast<std::size_t>(rows.size()));
  self.interruptible([&](Batch& batch, const Batch::Interrupt& interrupt) {
    static_cast<void>(batch.rollout<Number>(in, steps, out, interrupt));
  });
}

py::array rollout(BatchObject& self, const py::object& given, const py::object& into) {
  self.idle();
  const py::array any = py::array::ensure(given);
  if (!any || any.ndim() != 3) {
    PyErr_Clear();
    throw py::value_error("actions has no shape (n, t, k): (" + std::to_string(self.count()) +
                          ", steps, " + std::to_string(self.commanded()) + ")");
  }
  const py::ssize_t steps = any.shape(1);
  const py::array actions = py::module_::import("numpy").attr("ascontiguousarray")(
      checked(self, any, {self.count(), steps, self.commanded()}, "actions"));
  const Shape shape{self.count(), steps, self.observed()};
  py::array rows =
      into.is_none() ? py::array(self.type(), shape) : checked(self, into, shape, "observations");
  if ((rows.flags() & py::array::c_style) == 0 || !rows.writeable() ||
      (!into.is_none() && !rows.is(into))) {
    throw py::value_error("observations must be a C-contiguous array that can be written");
  }
  const auto count = static_cast<std::size_t>(steps);
  if (self.idle().number() == BatchNumber::Float32) {
    roll_out<float>(self, actions, count, rows);
  } else {
    roll_out<double>(self, actions, count, rows);
  }
  return rows;
}

// Those of instances that `mask` leaves out are empty; an empty mask leaves out none.
std::vector<SimulationState> states_of(const BatchObject& self, const py::object& given,
                                       const std::vector<std::uint8_t>& mask) {
  const auto state = [&self](const py::handle& one) {
    if (!py::isinstance<py::bytes>(one)) {
      throw py::type_error("a state is what save() gives: bytes");
    }
    const auto bytes = one.cast<std::string_view>();
    return core_of(self.idle().simulation(0))
        .family->state_of(std::as_bytes(std::span(bytes.data(), bytes.size())));
  };
  std::vector<SimulationState> states;
  if (py::isinstance<py::bytes>(given)) {
    states.push_back(state(given));
  } else if (!given.is_none()) {
    const py::list all(given);
    const bool by_instance = all.size() == mask.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_used = !by_instance || mask[i] != 0;
      states.push_back(is_used ? state(all[i]) : SimulationState());
    }
  }
  return states;
}

void reset(BatchObject& self, const py::object& given_mask, const py::object& given_states,
           const py::object& given_seeds) {
  std::vector<std::uint8_t> mask;
  if (!given_mask.is_none()) {
    const auto array = py::array_t<bool, py::array::c_style>::ensure(given_mask);
    if (!array || py::array::ensure(given_mask).dtype().kind() != 'b' || array.ndim() != 1 ||
        array.shape(0) != self.count()) {
      PyErr_Clear();
      throw py::value_error("mask is an array of bool of the shape " +
                            text_of_shape({self.count()}));
    }
    mask.assign(array.data(), array.data() + array.size());
  }
  std::vector<std::int64_t> seeds;
  if (!given_seeds.is_none()) {
    seeds = given_seeds.cast<std::vector<std::int64_t>>();
    if (seeds.empty()) {
      throw py::value_error("0 seeds for " + std::to_string(self.count()) + " instances");
    }
  }
  const std::vector<SimulationState> states = states_of(self, given_states, mask);
  if (!given_states.is_none() && states.empty()) {
    throw py::value_error("0 states for " + std::to_string(self.count()) + " instances");
  }
  self.unlocked([&](Batch& batch) { batch.reset(mask, states, seeds); });
}

void set(BatchObject& self, const std::string& name,
         const py::array_t<double, py::array::c_style | py::array::forcecast>& values) {
  if (values.ndim() > 1) {
    throw py::value_error("values is a number, or an array of the shape " +
                          text_of_shape({self.count()}));
  }
  const std::span<const double> numbers(values.data(), static_cast<std::size_t>(values.size()));
  self.unlocked([&](Batch& batch) { batch.set(name, numbers); });
}

void randomize(BatchObject& self, const py::dict& given) {
  std::vector<RandomRange> ranges;
  for (const auto& [name, range] : given) {
    if (!py::isinstance<py::sequence>(range) || py::len(range) != 2) {
      throw py::type_error("\"" + std::string(py::str(name)) + "\": a range is (low, high)");
    }
    const auto ends = range.cast<std::pair<double, double>>();
    ranges.push_back({name.cast<std::string>(), ends.first, ends.second});
  }
  self.unlocked([&](Batch& batch) { batch.randomize(ranges); });
}

py::dict contacts(const BatchObject& self) {
  const std::vector<BatchContact> all = self.idle().contacts();
  const auto rows = static_cast<py::ssize_t>(all.size());
  py::array_t<std::int64_t> instance(rows);
  py::array_t<std::int32_t> solid(rows);
  py::array_t<std::int32_t> other(rows);
  py::array_t<double> point(Shape{rows, 3});
  py::array_t<double> force(Shape{rows, 3});
  for (py::ssize_t i = 0; i < rows; ++i) {
    const BatchContact& contact = all[static_cast<std::size_t>(i)];
    instance.mutable_at(i) = contact.instance;
    solid.mutable_at(i) = contact.solid;
    other.mutable_at(i) = contact.other;
    const auto put = [i](py::array_t<double>& into, const Vec3& v) {
      into.mutable_at(i, 0) = v.x;
      into.mutable_at(i, 1) = v.y;
      into.mutable_at(i, 2) = v.z;
    };
    put(point, contact.point);
    put(force, contact.force);
  }
  return py::dict(py::arg("instance") = instance, py::arg("solid") = solid,
                  py::arg("other") = other, py::arg("point") = point, py::arg("force") = force);
}

py::bytes save(const BatchObject& self, std::size_t instance) {
  if (self.idle().failed().size() > instance && self.idle().failed()[instance] != 0) {
    throw py::value_error("instance " + std::to_string(instance) + " has failed: reset it first");
  }
  const std::vector<std::byte> bytes = self.idle().simulation(instance).save_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

py::array times(const BatchObject& self) {
  py::array_t<double> all(self.count());
  for (py::ssize_t i = 0; i < self.count(); ++i) {
    all.mutable_at(i) = self.idle().time(static_cast<std::size_t>(i));
  }
  return all;
}

py::array solid_poses(const BatchObject& self, std::size_t instance) {
  const auto solids = self.idle().simulation(instance).solids();
  py::array_t<double> poses(Shape{static_cast<py::ssize_t>(solids.size()), 7});
  py::ssize_t row = 0;
  for (const Solid solid : solids) {
    const Pose pose = solid.pose();
    const std::array<double, 4> turn = quaternion_of(pose.rotation);
    const std::array<double, 7> numbers{pose.translation.x,
                                        pose.translation.y,
                                        pose.translation.z,
                                        turn[0],
                                        turn[1],
                                        turn[2],
                                        turn[3]};
    for (py::ssize_t i = 0; i < 7; ++i) {
      poses.mutable_at(row, i) = numbers[static_cast<std::size_t>(i)];
    }
    ++row;
  }
  return poses;
}

void bind_columns(py::class_<BatchObject>& batch) {
  batch
      .def(
          "bind",
          [](BatchObject& self, const std::vector<std::string>& observe,
             const std::vector<std::string>& act) {
            self.unlocked([&](Batch& b) { b.bind(observe, act); });
          },
          py::arg("observe") = py::tuple(), py::arg("act") = py::tuple(),
          "Choose the columns of `observations` and `actions` by names and patterns with `*`.\n\n"
          "Observations: 'JOINT.position', '.velocity', '.effort' [rad|m, rad/s|m/s, N·m|N]; "
          "'SOLID.pose' (x y z [m], quaternion x y z w), '.linear_velocity', '.angular_velocity', "
          "'.contact_force' (x y z, in the world); 'ROBOT/DEVICE.value'; 'time' [s].\n"
          "Actions: 'JOINT.target_position', '.target_velocity', '.target_force'.\n"
          "Both arrays are new afterwards. ValueError for a name that matches nothing.")
      .def_property_readonly(
          "observations",
          [](BatchObject& self) {
            return view_of(self.idle().observation_data(self.idle().number()), self.type(),
                           {self.count(), self.observed()}, false);
          },
          "Shape (n, number of observation_names); the batch's own memory, read-only. It stays "
          "valid after the batch is gone; after bind() it is no longer filled.")
      .def_property(
          "actions",
          [](BatchObject& self) {
            return view_of(self.idle().action_data(self.idle().number()), self.type(),
                           {self.count(), self.commanded()}, true);
          },
          [](BatchObject& self, const py::object& given) {
            py::array own = view_of(self.idle().action_data(self.idle().number()), self.type(),
                                    {self.count(), self.commanded()}, true);
            own[py::ellipsis()] = given;
          },
          "Shape (n, number of action_names); the batch's own memory, which step() reads. NaN: the "
          "motor keeps its last command, and `refused` counts it. Beyond the limits: clamped.")
      .def_property_readonly(
          "observation_names",
          [](const BatchObject& self) { return strings(self.idle().observation_names()); },
          "Of each column, such as 'arm/shoulder.position'.")
      .def_property_readonly(
          "action_names",
          [](const BatchObject& self) { return strings(self.idle().action_names()); },
          "Of each column, such as 'arm/shoulder.target_velocity'.")
      .def_property_readonly(
          "action_low", [](const BatchObject& self) { return array_of(self.idle().action_low()); },
          "Of each column: the least that the motor takes; -inf without a limit.")
      .def_property_readonly(
          "action_high",
          [](const BatchObject& self) { return array_of(self.idle().action_high()); },
          "Of each column: the most that the motor takes; inf without a limit.");
}

void bind_time(py::class_<BatchObject>& batch) {
  batch
      .def(
          "step",
          [](BatchObject& self) {
            self.interruptible([](Batch& b, const Batch::Interrupt& interrupt) {
              static_cast<void>(b.step(interrupt));
            });
          },
          "Give `actions` to the motors, advance each instance by control_step_ms, and fill "
          "`observations`. Without Python's lock. After Ctrl-C some instances have stepped: "
          "`times` "
          "tells which.")
      .def("rollout", &rollout, py::arg("actions"), py::arg("observations") = py::none(),
           "Take t steps with actions[n, t, k]; returns observations[n, t, m], in the array "
           "`observations` if that is given. Rows of an instance from its failure on repeat its "
           "last "
           "ones. After Ctrl-C each instance is between two steps, and `times` tells where.")
      .def("reset", &reset, py::arg("mask") = py::none(), py::arg("states") = py::none(),
           py::arg("seeds") = py::none(),
           "Begin a new episode of the instances whose `mask` is True, or of all.\n\n"
           "states: bytes of save() for all, or a list with those of each instance; by default the "
           "state in which the batch was made. seeds: an int >= 0 for each instance.")
      .def("save", &save, py::arg("instance"), "The state of an instance, for reset().");
}

void bind_parameters(py::class_<BatchObject>& batch) {
  batch
      .def("set", &set, py::arg("name"), py::arg("values"),
           "Give a number of the world, such as 'POLE.physics.mass' or 'arm/*.maxTorque', another "
           "value: one for all instances, or an array of the shape (n,).")
      .def("randomize", &randomize, py::arg("ranges"),
           "Draw numbers at the start of each episode, from the next reset() on: a dict of names, "
           "as "
           "for set(), and (low, high); also 'sensor noise', 'OBSERVATION noise' and 'action "
           "delay' in steps. Replaces earlier ranges.");
}

void bind_results(py::class_<BatchObject>& batch) {
  batch
      .def_property_readonly(
          "failed",
          [](const BatchObject& self) {
            return array_of(self.idle().failed()).attr("astype")(py::dtype::of<bool>());
          },
          "Shape (n,), bool: whether the instance has diverged or could not be reset. It stands "
          "still until its next reset().")
      .def(
          "failure",
          [](const BatchObject& self, std::size_t i) { return text(self.idle().failure(i)); },
          py::arg("instance"), "Why it has failed; '' if it has not.")
      .def_property_readonly(
          "refused", [](const BatchObject& self) { return array_of(self.idle().refused()); },
          "Shape (n,): how many actions were NaN in this episode.")
      .def("solid_poses", &solid_poses, py::arg("instance"),
           "Shape (Solids, 7): where the Solids of an instance are, as Simulation.solid_poses.")
      .def_property_readonly("times", &times, "Shape (n,): simulated time of each [s].")
      .def("contacts", &contacts,
           "Of the last basic step, as a dict of arrays with a row for each contact: 'instance', "
           "'solid' and 'other' (-1: the world), 'point' [m] and 'force' on `solid` [N], in the "
           "world. Needs contacts=True.");
}

}  // namespace

void bind_batch(py::module_& module) {
  py::class_<BatchObject> batch(
      module, "Batch",
      "Many instances of one world that run beside each other.\n\n"
      "Instance i has the seed `seed + i`: its bits do not depend on the number of threads, nor on "
      "the size of the batch.");
  batch
      .def(py::init(&make_batch), py::arg("world"), py::arg("n"), py::kw_only(),
           py::arg("threads") = 1, py::arg("control_step_ms") = py::none(),
           py::arg("dtype") = py::dtype::of<double>(), py::arg("contacts") = false,
           "world: a path, loaded with further keywords as those of Simulation; or a Simulation, "
           "in whose present state all instances begin. control_step_ms: a multiple of "
           "basicTimeStep, which is the default. dtype: of the arrays, float64 or float32.")
      .def("__len__", &BatchObject::count)
      .def_property_readonly("n", &BatchObject::count, "How many instances.")
      .def_property_readonly("dtype", &BatchObject::type, "Of `observations` and `actions`.")
      .def_property_readonly(
          "control_step_ms", [](const BatchObject& self) { return self.idle().control_step_ms(); },
          "What one step() is [ms].");
  bind_columns(batch);
  bind_time(batch);
  bind_parameters(batch);
  bind_results(batch);
}

}  // namespace servosim::python
