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
#include "classes.h"
#include "devices/measuring.h"
#include "sim/world_inspector.h"
#include "simulation_object.h"
#include "step_file.h"

namespace servosim::python {

namespace {

using Shape = std::vector<py::ssize_t>;

// An array over memory, which lives as long as the array.
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

// An array with a copy of the numbers.
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

// Looks whether handlers of signals have raised an exception, which ends the work.
class Signals {
 public:
  Batch::Interrupt interrupt() {
    return [this] {
      if (Unlocked::is_over()) {
        return true;
      }
      const Locked lock;
      raised_ = lock && PyErr_CheckSignals() != 0;
      return raised_;
    };
  }
  /// @throws what the handlers have raised
  void rethrow() const {
    if (raised_) {
      throw py::error_already_set();
    }
  }

 private:
  bool raised_ = false;
};

// The object behind servosim.Batch. All members are called with Python's lock held. While a call
// has released the lock, every other call is refused.
class BatchObject : public Exclusive {
 public:
  // @param path  the path of the world
  // @param notice  a function of Python
  BatchObject(const Simulation& original, std::size_t count, const BatchOptions& options,
              std::string path, const py::object& notice)
      : Exclusive("batch"), world(std::move(path)), has_contacts_(options.contacts) {
    Simulation own = original.clone();
    sink_ = give_notices(own, notice);
    Signals signals;
    try {
      const Unlocked unlocked;  // notices of other threads take the lock
      batch_ = std::make_unique<Batch>(own, count, options, signals.interrupt());
    } catch (const std::runtime_error&) {
      signals.rethrow();
      throw;
    }
  }
  ~BatchObject() override {
    close_files();
    const Unlocked unlocked;
    batch_.reset();
  }

  Batch& idle() const {
    check_idle();
    return *batch_;
  }
  // The batch, which must have columns, or something else that shows its steps. @throws
  // RuntimeError of Python
  Batch& bound() const {
    if (!is_bound_ && !has_contacts_) {
      throw std::runtime_error(
          "this batch has no columns yet: bind(observe=['arm/*.position'], "
          "act=['arm/*.target_position']) chooses them, and bind() that there are none");
    }
    return idle();
  }
  void bind(const std::vector<std::string>& observe, const std::vector<std::string>& act) {
    unlocked([&](Batch& batch) { batch.bind(observe, act); });
    observation_names = strings(batch_->observation_names());
    action_names = strings(batch_->action_names());
    is_bound_ = true;
  }

  // Calls an action with the batch, with Python's lock released.
  template <typename Action>
  void unlocked(const Action& action) {
    const Mark mark(*this);
    const Unlocked without_lock;
    action(*batch_);
  }

  // Does the same for steps. Ctrl-C and other signals end the action, and what their handlers raise
  // is raised.
  template <typename Action>
  void interruptible(const Action& action) {
    bound();
    check_files();
    Signals signals;
    unlocked([&](Batch& batch) { action(batch, signals.interrupt()); });
    signals.rethrow();
  }

  py::dtype type() const {
    return batch_->options().number == BatchNumber::Float32 ? py::dtype::of<float>()
                                                            : py::dtype::of<double>();
  }
  py::ssize_t count() const { return static_cast<py::ssize_t>(batch_->size()); }
  py::ssize_t observed() const {
    return static_cast<py::ssize_t>(batch_->observation_names().size());
  }
  py::ssize_t commanded() const { return static_cast<py::ssize_t>(batch_->action_names().size()); }
  // @throws IndexError of Python
  std::size_t index(std::int64_t instance) const {
    if (instance < 0 || instance >= count()) {
      throw py::index_error("instance " + std::to_string(instance) + " of " +
                            std::to_string(count()));
    }
    return static_cast<std::size_t>(instance);
  }

  // Takes the simulation of an instance away until put() brings it back. Meanwhile the batch must
  // be marked as in use.
  std::shared_ptr<SimulationObject> take(std::size_t index) {
    std::shared_ptr<SimulationObject> taken;
    // Copies come first: where memory is short, the simulation must not have left its place.
    std::string path = world;
    SharedSink sink = sink_;
    batch_->simulation(index, [&](Simulation& simulation) {
      taken = std::make_shared<SimulationObject>(std::move(simulation), std::move(path),
                                                 std::move(sink));
    });
    return taken;
  }
  void put(std::size_t index, Simulation back) {
    batch_->simulation(index, [&back](Simulation& simulation) { simulation = std::move(back); });
  }

  // Python's search for cycles of references calls it.
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(observation_names.ptr());
    Py_VISIT(action_names.ptr());
    return sink_->traverse(visit, arg);
  }
  void clear() { sink_->clear(); }

  const std::string world;  // its path; empty: it was a text
  py::list observation_names;
  py::list action_names;

 private:
  std::unique_ptr<Batch> batch_;
  SharedSink sink_;
  bool is_bound_ = false;
  const bool has_contacts_;
};

using BatchClass = Class<BatchObject, std::shared_ptr<BatchObject>>;

// The object behind a `with` block that has an instance of a batch as a Simulation.
class BorrowedInstance {
 public:
  BorrowedInstance(BatchObject& batch, std::size_t index)
      : python_batch_(py::cast(std::static_pointer_cast<BatchObject>(batch.shared_from_this()))),
        batch_(batch),
        index_(index) {}
  BorrowedInstance(const BorrowedInstance&) = delete;
  BorrowedInstance& operator=(const BorrowedInstance&) = delete;
  // A program that calls __enter__() alone may have another thread step the simulation now. Then it
  // cannot go back, and the batch stays in use.
  ~BorrowedInstance() {
    if (simulation_ != nullptr && simulation_->is_in_use()) {
      static_cast<void>(mark_.release());
    } else {
      end();
    }
  }

  py::object begin() {
    if (simulation_ != nullptr || has_ended_) {
      throw std::runtime_error("a block of Batch.simulation() begins once: call it again");
    }
    auto mark = std::make_unique<Exclusive::Mark>(
        batch_, "is in use: a block `with batch.simulation(i)` has one of its instances; end it");
    simulation_ = batch_.take(index_);
    mark_ = std::move(mark);
    python_simulation_ = py::cast(simulation_);
    return python_simulation_;
  }
  void end() {
    if (simulation_ != nullptr) {
      batch_.put(index_, simulation_->give_back());
      simulation_ = nullptr;
      python_simulation_ = py::object();
      mark_ = nullptr;
    }
    has_ended_ = true;
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(python_batch_.ptr());
    Py_VISIT(python_simulation_.ptr());
    return 0;
  }

 private:
  py::object python_batch_;
  BatchObject& batch_;
  std::size_t index_;
  bool has_ended_ = false;
  std::unique_ptr<Exclusive::Mark> mark_;
  std::shared_ptr<SimulationObject> simulation_;  // null outside of the block
  py::object python_simulation_;
};

BatchNumber number_of(const py::object& type) {
  const auto refuse = [&type] {
    throw py::type_error("dtype is numpy.float32 or numpy.float64, not " + shown(type));
  };
  py::dtype asked = py::dtype::of<double>();
  try {
    asked = py::dtype::from_args(type);
    // NumPy's message for something that is no type is used.
  } catch (py::error_already_set& raised) {
    if (!is_of_value(raised) && !raised.matches(PyExc_SyntaxError)) {  // it is raised for 'f4,,'
      throw;
    }
    refuse();
  }
  if (asked.is(py::dtype::of<float>()) || asked.equal(py::dtype::of<float>())) {
    return BatchNumber::Float32;
  }
  if (asked.equal(py::dtype::of<double>())) {
    return BatchNumber::Float64;
  }
  refuse();
  return BatchNumber::Float64;
}

std::shared_ptr<BatchObject> make_batch(const py::object& world, std::int64_t count,
                                        std::size_t threads, std::optional<double> control_step_ms,
                                        const py::object& type, bool contacts,
                                        const py::kwargs& load) {
  if (count < 1) {
    throw py::value_error("Batch(): n is a number of instances, 1 or more, not " +
                          std::to_string(count));
  }
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
  auto& original = simulation.cast<SimulationObject&>();
  const SimulationObject::Use use(original);
  return std::make_shared<BatchObject>(*use, static_cast<std::size_t>(count), options,
                                       original.world, original.notice());
}

py::array checked(const BatchObject& self, const py::object& given, const Shape& shape,
                  const char* name) {
  py::array array = py::array::ensure(given);
  if (!array) {
    PyErr_Clear();
    throw py::type_error(std::string(name) + " is no array");
  }
  if (!array.dtype().equal(self.type())) {
    throw py::type_error("Batch.rollout(): " + std::string(name) + " is an array of " +
                         utf8(py::str(static_cast<const py::object&>(self.type()))) +
                         ", the dtype of this batch, not of " +
                         utf8(py::str(static_cast<const py::object&>(array.dtype()))) +
                         ": convert it by astype(batch.dtype)");
  }
  const Shape has(array.shape(), array.shape() + array.ndim());
  if (has != shape) {
    throw py::value_error(std::string(name) + " has the shape " + text_of_shape(has) +
                          "; it must be " + text_of_shape(shape));
  }
  return array;
}

py::dtype type_of(const BatchPicture& picture) {
  return picture.is_float ? py::dtype::of<float>() : py::dtype::of<std::uint8_t>();
}

// The shape of an array of pictures; `leading` has its first sizes.
Shape shape_of(const BatchPicture& picture, Shape leading) {
  leading.push_back(static_cast<py::ssize_t>(picture.height));
  leading.push_back(static_cast<py::ssize_t>(picture.width));
  if (picture.channels > 1) {
    leading.push_back(static_cast<py::ssize_t>(picture.channels));
  }
  return leading;
}

py::object as_pictures(const py::dict& arrays) {
  return py::module_::import("servosim._pictures").attr("Pictures")(arrays);
}

py::object pictures(const BatchObject& self) {
  py::dict arrays;
  for (const BatchPicture& picture : self.bound().pictures()) {
    arrays[text(picture.name)] =
        view_of(picture.data, type_of(picture), shape_of(picture, {self.count()}), false);
  }
  return as_pictures(arrays);
}

// The index of a picture by its name, or by a part of it. @throws UnknownName of Python
std::size_t picture_called(const BatchObject& self, const std::string& name) {
  std::vector<std::string> names;
  for (const BatchPicture& picture : self.bound().pictures()) {
    names.push_back(picture.name);
  }
  return static_cast<std::size_t>(ElementNames(std::move(names)).find(name, "picture"));
}

template <typename Number>
void roll_out(BatchObject& self, const py::array& actions, std::size_t steps, py::array& rows,
              std::span<const BatchPictureRows> pictures) {
  const std::span<const Number> in(static_cast<const Number*>(actions.data()),
                                   static_cast<std::size_t>(actions.size()));
  const std::span<Number> out(static_cast<Number*>(rows.mutable_data()),
                              static_cast<std::size_t>(rows.size()));
  self.interruptible([&](Batch& batch, const Batch::Interrupt& interrupt) {
    static_cast<void>(batch.rollout<Number>(in, steps, out, interrupt, pictures));
  });
}

py::object rollout(BatchObject& self, const py::object& given, const py::object& into,
                   const std::optional<std::vector<std::string>>& wanted) {
  self.bound();
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
  py::dict arrays;
  std::vector<BatchPictureRows> picture_rows;
  for (const std::string& name : wanted.value_or(std::vector<std::string>())) {
    const std::size_t index = picture_called(self, name);
    const BatchPicture& picture = self.idle().pictures()[index];
    if (arrays.contains(text(picture.name))) {
      continue;
    }
    py::array array(type_of(picture), shape_of(picture, {self.count(), steps}));
    arrays[text(picture.name)] = array;
    picture_rows.push_back({index,
                            {static_cast<std::byte*>(array.mutable_data()),
                             static_cast<std::size_t>(array.nbytes())}});
  }
  const auto count = static_cast<std::size_t>(steps);
  if (self.idle().options().number == BatchNumber::Float32) {
    roll_out<float>(self, actions, count, rows, picture_rows);
  } else {
    roll_out<double>(self, actions, count, rows, picture_rows);
  }
  return wanted ? py::object(py::make_tuple(rows, as_pictures(arrays))) : py::object(rows);
}

// The states of the instances. Those that `mask` leaves out are empty; an empty mask leaves out
// none.
std::vector<SimulationState> states_of(const BatchObject& self, const py::object& given,
                                       const std::vector<std::uint8_t>& mask) {
  const auto state = [&self](const py::handle& one) {
    if (!py::isinstance<py::bytes>(one)) {
      throw py::type_error("a state is what save() gives: bytes");
    }
    const auto bytes = one.cast<std::string_view>();
    SimulationState found;
    self.idle().simulation(0, [&](const Simulation& simulation) {
      found =
          WorldInspector(simulation).state_of(std::as_bytes(std::span(bytes.data(), bytes.size())));
    });
    return found;
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

// @throws ValueError of Python for a seed that is out of range
std::vector<std::int64_t> seeds_of(const BatchObject& self, const py::object& given) {
  std::vector<std::int64_t> seeds;
  if (given.is_none()) {
    return seeds;
  }
  if (!py::isinstance<py::iterable>(given)) {
    throw py::type_error("Batch.reset(): seeds is a whole number for each of " +
                         std::to_string(self.count()) + " instances, not " + shown(given));
  }
  for (const py::handle seed : py::iter(given)) {
    const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(seed.ptr()));
    if (!number) {
      PyErr_Clear();
      throw py::type_error("Batch.reset(): a seed is a whole number, not " + shown(seed));
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) {
      throw py::value_error("Batch.reset(): seed " + shown(seed) + " of instance " +
                            std::to_string(seeds.size()) +
                            " is out of range: it is a whole number from 0 to 2**63 - 1");
    }
    seeds.push_back(value);
    if (seeds.size() > static_cast<std::size_t>(self.count())) {
      throw py::value_error("Batch.reset(): there are more seeds than the " +
                            std::to_string(self.count()) + " instances");
    }
  }
  if (seeds.empty()) {
    throw py::value_error("0 seeds for " + std::to_string(self.count()) + " instances");
  }
  return seeds;
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
  const std::vector<std::int64_t> seeds = seeds_of(self, given_seeds);
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
    if (!detail::fits<std::string>(name)) {
      throw py::type_error("Batch.randomize(): a parameter is named by a text, not by " +
                           shown(name));
    }
    if (!detail::fits<std::pair<double, double>>(range)) {
      throw py::type_error("Batch.randomize(): \"" + name.cast<std::string>() +
                           "\": a range is (low, high), two numbers, not " + shown(range));
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

py::bytes save(const BatchObject& self, std::int64_t instance) {
  const std::size_t index = self.index(instance);
  if (self.idle().failed()[index] != 0) {
    throw py::value_error("instance " + std::to_string(instance) + " has failed: reset it first");
  }
  std::vector<std::byte> bytes;
  self.idle().simulation(
      index, [&bytes](const Simulation& simulation) { bytes = simulation.save_bytes(); });
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

py::array times(const BatchObject& self) {
  py::array_t<double> all(self.count());
  for (py::ssize_t i = 0; i < self.count(); ++i) {
    all.mutable_at(i) = time_of(self.idle(), static_cast<std::size_t>(i));
  }
  return all;
}

py::array_t<double> poses_of(const Simulation& simulation) {
  const auto solids = simulation.solids();
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

py::array solid_poses(const BatchObject& self, std::int64_t instance) {
  py::array_t<double> poses;
  self.idle().simulation(self.index(instance),
                         [&poses](const Simulation& simulation) { poses = poses_of(simulation); });
  return poses;
}

py::dict lanes(const BatchObject& self) {
  const BatchLanes lanes = self.idle().lanes();
  py::dict alone;
  for (const auto& [why, count] : lanes.alone) {
    alone[py::str(why)] = count;
  }
  return py::dict(py::arg("width") = lanes.width, py::arg("instances") = lanes.instances,
                  py::arg("alone") = alone);
}

// An array over the batch's memory, whose columns have names where it is shown.
py::object columns_of(const std::shared_ptr<const void>& memory, const BatchObject& self,
                      py::ssize_t columns, const py::list& names, bool writable) {
  const Shape shape{self.count(), columns};
  return labelled(view_of(memory, self.type(), shape, writable), py::none(), names);
}

py::object observations(const BatchObject& self) {
  const Batch& batch = self.bound();
  return columns_of(batch.observation_data(batch.options().number), self, self.observed(),
                    self.observation_names, false);
}

py::object actions(const BatchObject& self) {
  Batch& batch = self.bound();
  return columns_of(batch.action_data(batch.options().number), self, self.commanded(),
                    self.action_names, true);
}

std::shared_ptr<RecordingFile> record(BatchObject& self,
                                      const std::optional<std::filesystem::path>& path,
                                      std::int64_t instance, double rate) {
  const std::size_t index = self.index(instance);
  std::shared_ptr<RecordingFile> made;
  self.idle().watch(index, [&](Simulation& simulation) {
    if (made == nullptr) {
      made = std::make_shared<RecordingFile>(self, simulation, self.world,
                                             path ? path->string() : "", rate);
    }
    return false;
  });
  self.idle().watch(index, [made, is_first = true](Simulation& simulation) mutable {
    if (!std::exchange(is_first, false)) {
      made->row(simulation);
    }
    return !made->is_closed();
  });
  keep_open(self, made);
  self.recording = made;
  return made;
}

py::object replay(BatchObject& self) {
  Batch& batch = self.idle();
  if (self.recording != nullptr) {
    return replay_of(self.recording->page(), self.world);
  }
  std::string page;
  batch.watch(0, [&](Simulation& simulation) {
    page = page_of_state(simulation, self.world);
    return false;
  });
  return replay_of(page, self.world);
}

void bind_columns(BatchClass& batch) {
  batch
      .def(
          "bind",
          [](BatchObject& self, const std::vector<std::string>& observe,
             const std::vector<std::string>& act) { self.bind(observe, act); },
          py::arg("observe") = py::tuple(), py::arg("act") = py::tuple(),
          "Choose the columns of `observations` and `actions` by names and patterns with `*`.\n\n"
          "Observations: 'JOINT.position', '.velocity', '.effort' [rad|m, rad/s|m/s, N·m|N]; "
          "'SOLID.pose' (x y z [m], quaternion x y z w), '.linear_velocity', '.angular_velocity', "
          "'.contact_force' (x y z, in the world); 'ROBOT/DEVICE.value'; 'time' [s].\n"
          "Pictures, which are in `pictures`: 'ROBOT/CAMERA.rgb', '.segmentation', "
          "'ROBOT/RANGEFINDER.depth', 'ROBOT/LIDAR.ranges'.\n"
          "Actions: 'JOINT.target_position', '.target_velocity', '.target_force'.\n"
          "Both arrays are new afterwards. ValueError for a name that matches nothing.")
      .def_property_readonly(
          "observations", &observations,
          "Shape (n, number of observation_names); the batch's own memory, read-only. It stays "
          "valid after the batch is gone; after bind() it is no longer filled.")
      .def_property_readonly(
          "pictures", &pictures,
          "The pictures that are observed, by name: a dict of arrays of the batch's own memory, "
          "read-only. '.rgb' and '.segmentation': uint8 (n, height, width, 3), red, green, blue; "
          "'.depth' and '.ranges': float32 (n, height, width) [m], a Lidar's (n, layers, points).")
      .def_property(
          "actions", &actions,
          [](BatchObject& self, const py::object& given) { actions(self)[py::ellipsis()] = given; },
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

void bind_time(BatchClass& batch) {
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
           py::kw_only(), py::arg("pictures") = py::none(),
           "Take t steps with actions[n, t, k]; returns observations[n, t, m], in the array "
           "`observations` if that is given. Rows of an instance from its failure on repeat its "
           "last "
           "ones. After Ctrl-C each instance is between two steps, and `times` tells where.\n\n"
           "pictures: names of observed pictures; then it returns (observations, a dict of arrays "
           "(n, t, height, width, ...)). `batch.pictures` has the last ones of all. All observed "
           "pictures are taken in each step, also those that are not asked for.")
      .def("reset", &reset, py::arg("mask") = py::none(), py::arg("states") = py::none(),
           py::arg("seeds") = py::none(),
           "Begin a new episode of the instances whose `mask` is True, or of all.\n\n"
           "states: bytes of save() for all, or a list with those of each instance; by default the "
           "state in which the batch was made. seeds: an int >= 0 for each instance.")
      .def("save", &save, py::arg("instance"), "The state of an instance, for reset().")
      .def("record", &record, py::arg("path") = py::none(), py::arg("instance") = 0, py::kw_only(),
           py::arg("rate") = 25.0,
           "Records an instance, as Simulation.record() does; episodes follow each other.")
      .def("replay", &replay,
           "What was recorded last, or without record() the present state of the first instance, "
           "as a page for a browser, which a notebook shows: a Replay.");
}

void bind_parameters(BatchClass& batch) {
  batch
      .def("set", &set, py::arg("name"), py::arg("values"),
           "Give a number of the world, such as 'POLE.physics.mass' or 'arm/*.maxTorque', another "
           "value: one for all instances, or an array of the shape (n,). Pictures show it from the "
           "next step or reset on.")
      .def("randomize", &randomize, py::arg("ranges"),
           "Draw numbers at the start of each episode, from the next reset() on: a dict of names, "
           "as "
           "for set(), and (low, high); also 'sensor noise', 'OBSERVATION noise' and 'action "
           "delay' in steps. Replaces earlier ranges.");
}

void bind_results(BatchClass& batch) {
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
          [](const BatchObject& self, std::int64_t i) {
            return text(self.idle().failure(self.index(i)));
          },
          py::arg("instance"), "Why it has failed; '' if it has not.")
      .def_property_readonly(
          "refused", [](const BatchObject& self) { return array_of(self.idle().refused()); },
          "Shape (n,): how many actions were NaN in this episode.")
      .def("solid_poses", &solid_poses, py::arg("instance"),
           "Shape (Solids, 7): where the Solids of an instance are, as Simulation.solid_poses.")
      .def(
          "simulation",
          [](BatchObject& self, std::int64_t instance) {
            const std::size_t index = self.index(instance);
            self.check_idle();
            return std::make_unique<BorrowedInstance>(self, index);
          },
          py::arg("instance"),
          "An instance as a Simulation, to read and to change, in a `with` block: `with "
          "batch.simulation(3) as sim:`. Until the end of the block the batch is in use, and "
          "afterwards the Simulation is. `observations` show a change after the next step.")
      .def_property_readonly("times", &times, "Shape (n,): simulated time of each [s].")
      .def("contacts", &contacts,
           "Of the last basic step, as a dict of arrays with a row for each contact: 'instance', "
           "'solid' and 'other' (-1: the world), 'point' [m] and 'force' on `solid` [N], in the "
           "world. Needs contacts=True.")
      .def("lanes", &lanes,
           "How instances are stepped: 'instances' of them are in lanes, of which a register has "
           "'width'; 'alone' is a dict of why the others are not, and how many.");
}

}  // namespace

void bind_batch(py::module_& module) {
  Class<BorrowedInstance>(module, "BatchSimulation",
                          "A `with` block that has an instance of a batch: Batch.simulation().")
      .def("__enter__", &BorrowedInstance::begin)
      .def("__exit__", [](BorrowedInstance& self, const py::object&, const py::object&,
                          const py::object&) { self.end(); });
  BatchClass batch(
      module, "Batch",
      "Many instances of one world that run beside each other.\n\n"
      "Instance i has the seed `seed + i`: its bits do not depend on the number of threads, nor on "
      "the size of the batch.");
  batch
      .def_init(
          &make_batch, py::arg("world"), py::arg("n"), py::kw_only(), py::arg("threads") = 1,
          py::arg("control_step_ms") = py::none(), py::arg("dtype") = py::dtype::of<double>(),
          py::arg("contacts") = false,
          "world: a path, loaded with further keywords as those of Simulation; or a Simulation, "
          "in whose present state all instances begin. control_step_ms: a multiple of "
          "basicTimeStep, which is the default. dtype: of the arrays, float64 or float32.")
      .def("__len__", &BatchObject::count)
      .def("__repr__",
           [](const BatchObject& self) {
             return text("<Batch of " + std::to_string(self.count()) + " instances of " +
                         described(self.world) + '>');
           })
      .def_property_readonly("n", &BatchObject::count, "How many instances.")
      .def_property_readonly("dtype", &BatchObject::type, "Of `observations` and `actions`.")
      .def_property_readonly(
          "control_step_ms",
          [](const BatchObject& self) { return self.idle().options().control_step_ms; },
          "What one step() is [ms].");
  bind_columns(batch);
  bind_time(batch);
  bind_parameters(batch);
  bind_results(batch);
}

}  // namespace servosim::python
