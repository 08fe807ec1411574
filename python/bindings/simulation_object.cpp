// SPDX-License-Identifier: Apache-2.0
#include "simulation_object.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <utility>

#include "batch/pictures.h"
#include "controller_api/server/supervisor/fields.h"
#include "devices/measuring.h"
#include "sim/report.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "step_file.h"

namespace servosim::python {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kPoseSize = 7;
constexpr std::size_t kVelocitySize = 6;

bool is_of_solids(Quantity quantity) {
  return quantity == Quantity::SolidPoses || quantity == Quantity::SolidVelocities;
}

std::size_t columns_of(Quantity quantity) {
  return quantity == Quantity::SolidPoses        ? kPoseSize
         : quantity == Quantity::SolidVelocities ? kVelocitySize
                                                 : 1;
}

double number_of(const Motor* motor, Quantity quantity) {
  if (motor == nullptr) {
    return kNoNumber;
  }
  switch (quantity) {
    case Quantity::TargetPositions:
      return motor->targets().position;
    case Quantity::TargetVelocities:
      return motor->targets().velocity;
    default:
      return motor->targets().force_control ? motor->targets().force : kNoNumber;
  }
}

double number_of(const Joint& joint, Quantity quantity) {
  switch (quantity) {
    case Quantity::JointPositions:
      return joint.position();
    case Quantity::JointVelocities:
      return joint.velocity();
    case Quantity::JointEfforts:
      return joint.effort();
    default:
      return number_of(joint.motor(), quantity);
  }
}

}  // namespace

Motor* motor_of(Simulation& simulation, int joint) {
  return WorldControl(simulation).motor_of(WorldInspector(simulation).joint_in_scene(joint));
}

ElementNames::ElementNames(std::vector<std::string> names) : all(std::move(names)) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int index = static_cast<int>(i);
    by_name.emplace(all[i], index);
    const std::string part = all[i].substr(all[i].find('/') + 1);
    const auto [found, is_first] = by_part.emplace(part, index);
    if (!is_first) {
      found->second = -1;
    }
  }
}

int ElementNames::find(const std::string& name, const char* kind) const {
  if (const auto found = by_name.find(name); found != by_name.end()) {
    return found->second;
  }
  const auto found = by_part.find(name);
  if (found != by_part.end() && found->second >= 0) {
    return found->second;
  }
  const std::string what = (found != by_part.end() ? "several " : "no ") + std::string(kind) +
                           (found != by_part.end() ? "s are called '" : " is called '") + name +
                           "'";
  py::list names;
  for (const std::string& known : all) {
    names.append(text(known));
  }
  const py::object error = of_errors("unknown_name")(text(what), text(name), names);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

SharedSink give_notices(Simulation& simulation, const py::object& function) {
  auto sink = std::make_shared<NoticeSink>(function);
  WorldControl(simulation).send_notices_to(Notices([sink](std::string_view notice) {
    sink->give(notice);
  }));
  return sink;
}

SimulationObject::SimulationObject(Simulation made, std::string path, const py::object& notice)
    : Exclusive("simulation"),
      world(std::move(path)),
      simulation_(std::move(made)),
      sink_(give_notices(simulation_, notice)) {}

SimulationObject::SimulationObject(Simulation of_batch, std::string path, SharedSink sink)
    : Exclusive("simulation"),
      world(std::move(path)),
      simulation_(std::move(of_batch)),
      sink_(std::move(sink)),
      is_of_batch_(true) {}

SimulationObject::~SimulationObject() { close_files(); }

Simulation SimulationObject::give_back() {
  check_idle();
  close_files();
  refuse_from_now_on(
      "was an instance of a batch, and its block has ended: begin another one by "
      "`with batch.simulation(i) as sim:`");
  return std::move(simulation_);
}

// Takes one or several steps with Python's lock released. @returns whether a signal has ended them
// early
bool SimulationObject::run(std::int64_t count) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPause{40};  // time between two looks at signals
  Unlocked unlocked;
  if (count == 1 && files().empty()) {
    simulation_.step();
    return false;
  }
  std::int64_t at_once = 1;
  auto looked = Clock::now();
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t now = std::min(at_once, count - done);
    if (files().empty()) {
      simulation_.step(now);
    } else {
      for (std::int64_t i = 0; i < now; ++i) {
        simulation_.step();
        write_files();
      }
    }
    done += now;
    const auto elapsed = Clock::now() - looked;
    if (elapsed < kPause) {
      at_once *= elapsed < kPause / 8 ? 2 : 1;
      continue;
    }
    at_once = std::max<std::int64_t>(1, at_once / 2);
    if (unlocked.interrupted()) {
      return true;
    }
    looked = Clock::now();
  }
  return false;
}

void SimulationObject::write_files() {
  for (const auto& file : files()) {
    file->row(simulation_);
  }
}

void SimulationObject::step(std::int64_t count) {
  if (count < 0) {
    throw py::value_error("the number of steps must not be negative");
  }
  const Use use(*this);
  check_files();
  bool interrupted = false;
  try {
    interrupted = run(count);
  } catch (...) {
    refresh();
    throw;
  }
  refresh();
  report_missing_pictures(simulation_);
  if (interrupted) {
    throw py::error_already_set();
  }
}

void SimulationObject::restore(const py::bytes& state) {
  const Use use(*this);
  const std::string_view bytes = state;
  const double before = use->time();
  use->restore_bytes(std::as_bytes(std::span(bytes)));
  begin_episodes(before);
  refresh();
}

void SimulationObject::reset() {
  const Use use(*this);
  const double before = use->time();
  use->reset();
  begin_episodes(before);
  refresh();
}

void SimulationObject::begin_episodes(double before) {
  for (const auto& file : files()) {
    if (simulation_.time() < before) {
      file->episode();
    }
  }
}

void SimulationObject::follow_tree() {
  const std::uint64_t version = WorldInspector(simulation_).tree_version();
  if (version_ == version) {
    return;
  }
  version_ = version;
  joints_.reset();
  solids_.reset();
  sensors_ = {};
  picture_sensors_ = {};
}

const ElementNames& SimulationObject::joints() {
  idle();
  return known_joints();
}

const ElementNames& SimulationObject::solids() {
  idle();
  return known_solids();
}

const ElementNames& SimulationObject::known_joints() {
  follow_tree();
  if (!joints_) {
    std::vector<std::string> names;
    for (const Joint joint : simulation_.joints()) {
      names.push_back(joint.name());
    }
    joints_.emplace(std::move(names));
  }
  return *joints_;
}

const ElementNames& SimulationObject::known_solids() {
  follow_tree();
  if (!solids_) {
    solids_.emplace(body_names(WorldInspector(simulation_).scene()));
  }
  return *solids_;
}

const ElementNames& SimulationObject::known(NamedDevices& list,
                                            bool (*belongs)(const DeviceNode& node)) {
  idle();
  follow_tree();
  if (!list.names) {
    std::vector<std::string> names;
    std::map<std::string, int> counts;
    for (const Robot& robot : simulation_.robots()) {
      for (const DeviceNode& device : robot.devices()) {
        if (device.detached || !belongs(device)) {
          continue;
        }
        const std::string name = robot.name() + '/' + device.name;
        const int count = ++counts[name];
        names.push_back(count == 1 ? name : name + " #" + std::to_string(count));
        list.devices.push_back(&device);
      }
    }
    list.names.emplace(std::move(names));
  }
  return *list.names;
}

const ElementNames& SimulationObject::sensors() {
  return known(sensors_, [](const DeviceNode& node) { return node.sensor() != nullptr; });
}

const DeviceNode& SimulationObject::sensor(int index) {
  sensors();
  return *sensors_.devices.at(static_cast<std::size_t>(index));
}

const ElementNames& SimulationObject::picture_sensors() {
  return known(picture_sensors_, &takes_pictures);
}

const DeviceNode& SimulationObject::picture_sensor(int index) {
  picture_sensors();
  return *picture_sensors_.devices.at(static_cast<std::size_t>(index));
}

Fields& SimulationObject::fields() {
  if (fields_ == nullptr) {
    fields_ = std::make_unique<Fields>(simulation_);
  }
  return *fields_;
}

// ---- arrays

py::object SimulationObject::array(Quantity quantity) {
  idle();
  Memory& memory = memories_[static_cast<std::size_t>(quantity)];
  has_arrays_ = true;
  if (memory.values == nullptr) {
    resize(quantity);
    fill(quantity);
  }
  return memory.array;
}

// Makes a new array with memory of its own, so that the former array keeps its values.
void SimulationObject::resize(Quantity quantity) {
  const std::size_t rows = static_cast<std::size_t>(
      is_of_solids(quantity) ? simulation_.solids().size() : simulation_.joints().size());
  const std::size_t columns = columns_of(quantity);
  Memory& memory = memories_[static_cast<std::size_t>(quantity)];
  memory.values = std::make_shared<std::vector<double>>(rows * columns);
  auto* owner = new std::shared_ptr<std::vector<double>>(memory.values);
  const py::capsule base(owner, [](void* shared) {
    delete static_cast<std::shared_ptr<std::vector<double>>*>(shared);
  });
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows)};
  if (columns > 1) {
    shape.push_back(static_cast<py::ssize_t>(columns));
  }
  const py::array_t<double> array(shape, memory.values->data(), base);
  array.attr("setflags")(py::arg("write") = false);
  memory.array = with_names(array, quantity);
}

py::object SimulationObject::with_names(const py::array& array, Quantity quantity) {
  py::list rows;
  for (const std::string& name : (is_of_solids(quantity) ? known_solids() : known_joints()).all) {
    rows.append(text(name));
  }
  py::object columns = py::none();
  if (quantity == Quantity::SolidPoses) {
    columns = py::make_tuple("x", "y", "z", "qx", "qy", "qz", "qw");
  } else if (quantity == Quantity::SolidVelocities) {
    columns = py::make_tuple("vx", "vy", "vz", "wx", "wy", "wz");
  }
  return labelled(array, rows, columns);
}

void SimulationObject::fill(Quantity quantity) {
  Memory& memory = memories_[static_cast<std::size_t>(quantity)];
  const int rows =
      is_of_solids(quantity) ? simulation_.solids().size() : simulation_.joints().size();
  if (memory.values->size() != static_cast<std::size_t>(rows) * columns_of(quantity)) {
    resize(quantity);
  }
  double* cell = memory.values->data();
  for (int i = 0; i < rows; ++i) {
    if (quantity == Quantity::SolidPoses) {
      const Pose pose = simulation_.solid(i).pose();
      const auto [x, y, z] = pose.translation;
      const std::array<double, 4> turn = quaternion_of(pose.rotation);
      cell = std::copy_n(std::array{x, y, z}.data(), 3, cell);
      cell = std::copy(turn.begin(), turn.end(), cell);
    } else if (quantity == Quantity::SolidVelocities) {
      const SolidVelocity velocity = simulation_.solid(i).velocity();
      for (const Vec3& vector : {velocity.linear, velocity.angular}) {
        cell = std::copy_n(std::array{vector.x, vector.y, vector.z}.data(), 3, cell);
      }
    } else {
      *cell++ = number_of(simulation_.joint(i), quantity);
    }
  }
}

void SimulationObject::refresh() {
  if (!has_arrays_) {
    return;
  }
  for (std::size_t q = 0; q < kQuantities; ++q) {
    if (memories_[q].values != nullptr) {
      fill(static_cast<Quantity>(q));
    }
  }
}

}  // namespace servosim::python
