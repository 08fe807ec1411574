// SPDX-License-Identifier: Apache-2.0
// Joints, Solids and sensors of a simulation, and the mappings that have them by name.
#include "elements.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/quaternion.h"
#include "bindings.h"
#include "classes.h"
#include "controller_api/server/supervisor/fields.h"
#include "devices/measuring.h"
#include "picture_sensors.h"
#include "servo.h"
#include "servosim/device.h"
#include "servosim/motor.h"
#include "sim/world_inspector.h"
#include "simulation_object.h"

namespace servosim::python {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

py::array array_of(std::span<const double> numbers) {
  return py::array_t<double>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

py::array array_of(const Vec3& v) { return array_of(std::array{v.x, v.y, v.z}); }

std::vector<double> numbers_of(const Numbers& given, std::size_t count, const char* what) {
  if (given.ndim() != 1 || static_cast<std::size_t>(given.size()) != count) {
    throw py::value_error(std::string(what) + " has the shape (" + std::to_string(count) + ",)");
  }
  return {given.data(), given.data() + count};
}

Vec3 vector_of(const Numbers& given, const char* what) {
  const std::vector<double> n = numbers_of(given, 3, what);
  return {n[0], n[1], n[2]};
}

Mat3 rotation_of(double x, double y, double z, double w) {
  const double size = std::sqrt(x * x + y * y + z * z + w * w);
  if (!(std::abs(size - 1.0) < 1e-3)) {
    throw py::value_error("a quaternion x, y, z, w has length 1");
  }
  return quaternion_matrix({x, y, z, w});
}

// A text for repr(), which is shown whatever it contains.
template <typename Name>
py::str repr_of(const Owner& owner, const char* type, const Name& name) {
  return text(std::string("<") + type + ' ' +
              (owner->is_in_use() ? "of a simulation in use" : name()) + '>');
}

// ---- joints

struct JointHandle {
  Owner owner;
  int index;

  int traverse(visitproc visit, void* arg) const { return owner.traverse(visit, arg); }

  Joint joint() const { return owner->idle().joint(index); }
  Motor* motor() const { return motor_of(owner->idle(), index); }
  /// @throws ValueError of Python if the joint has no motor
  Motor& own_motor() const {
    Motor* found = motor();
    if (found == nullptr) {
      throw py::value_error("joint '" + joint().name() +
                            (joint().exists() ? "' has no motor, which this is about"
                                              : "' is no longer in the world"));
    }
    return *found;
  }
  /// Gives a command to the motor of the joint.
  template <typename Command>
  void command(Command command) const {
    Motor& motor = own_motor();
    {
      const SimulationObject::Use use(*owner);
      command(motor);
    }
    owner->refresh();
  }
  template <typename Get>
  double of_motor(Get get) const {
    const Motor* found = motor();
    return found != nullptr ? get(*found) : kNaN;
  }
};

void set_state(const JointHandle& self, double position, double velocity) {
  self.owner->idle().joint(self.index).set_state(position, velocity);
  self.owner->refresh();
}

// Sets a field of the node of a joint's motor.
void set_motor_field(const JointHandle& self, const char* rotational, const char* linear,
                     double value) {
  const Motor& motor = self.own_motor();
  {
    const SimulationObject::Use use(*self.owner);
    if (const DeviceNode* const node = WorldInspector(*use).node_of(motor)) {
      const bool turns = motor.type() == JointType::Rotational && node->node_type != "Servo";
      self.owner->fields().set(node->spec->node, turns ? rotational : linear, value);
    }
  }
  self.owner->refresh();
}

void set_max_effort(const JointHandle& self, double value) {
  set_motor_field(self, "maxTorque", "maxForce", value);
}

double max_effort(const JointHandle& self) {
  return self.of_motor([](const Motor& m) { return m.limits().max_force; });
}

double target_effort(const JointHandle& self) {
  return self.of_motor(
      [](const Motor& m) { return m.targets().force_control ? m.targets().force : kNaN; });
}

void set_target_effort(const JointHandle& self, double value) {
  self.command([value](Motor& motor) { motor.set_force(value); });
}

double available_effort(const JointHandle& self) {
  return self.of_motor([](const Motor& m) { return m.targets().available_force; });
}

void set_available_effort(const JointHandle& self, double value) {
  self.command([value](Motor& motor) { motor.set_available_force(value); });
}

void bind_joint(py::module_& module) {
  Class<JointHandle>(module, "Joint",
                     "One degree of freedom of a joint node; see Simulation.joints.\n\n"
                     "Units are rad, rad/s and N·m of a rotational joint, m, m/s and N of a "
                     "linear one.")
      .def_readonly("index", &JointHandle::index, "Its place in the arrays of the simulation.")
      .def_property_readonly(
          "name", [](const JointHandle& self) { return text(self.joint().name()); },
          "'robot/joint', which no other joint has.")
      .def_property_readonly(
          "type",
          [](const JointHandle& self) {
            return py::str(self.joint().type() == JointType::Rotational ? "rotational" : "linear");
          },
          "'rotational' or 'linear'.")
      .def_property_readonly(
          "exists", [](const JointHandle& self) { return self.joint().exists(); },
          "False once an edit has taken it out of the world; it then reads NaN.")
      .def_property_readonly(
          "has_motor", [](const JointHandle& self) { return self.motor() != nullptr; },
          "Whether a motor drives it. Without one, what is about the motor reads NaN.")
      .def_property_readonly(
          "position", [](const JointHandle& self) { return self.joint().position(); },
          "[rad or m] of the endpoint.")
      .def_property_readonly(
          "velocity", [](const JointHandle& self) { return self.joint().velocity(); },
          "[rad/s or m/s], measured, of the endpoint relative to the parent.")
      .def_property_readonly(
          "effort", [](const JointHandle& self) { return self.joint().effort(); },
          "[N·m or N] all that the joint put on the endpoint along its axis in the last step.")
      .def("set_state", &set_state, py::arg("position"), py::arg("velocity") = 0.0,
           "Puts it to a position [rad or m] and velocity [rad/s or m/s].\n\n"
           "Everything behind it moves along as one rigid piece: set parents before children.")
      .def_property(
          "target",
          [](const JointHandle& self) {
            return self.of_motor([](const Motor& m) { return m.targets().position; });
          },
          [](const JointHandle& self, double target) {
            self.command([target](Motor& motor) { motor.set_position(target); });
          },
          "[rad or m] the position that the motor is to reach; inf or -inf: velocity control.")
      .def_property(
          "target_velocity",
          [](const JointHandle& self) {
            return self.of_motor([](const Motor& m) { return m.targets().velocity; });
          },
          [](const JointHandle& self, double velocity) {
            self.command([velocity](Motor& motor) { motor.set_velocity(velocity); });
          },
          "[rad/s or m/s] the speed limit on the way to `target`; in velocity control the speed "
          "to hold.")
      .def_property("target_torque", &target_effort, &set_target_effort,
                    "[N·m or N] the effort of torque control, which a command begins; NaN "
                    "otherwise.")
      .def_property("target_force", &target_effort, &set_target_effort,
                    "[N or N·m] the same as `target_torque`.")
      .def_property(
          "acceleration",
          [](const JointHandle& self) {
            return self.of_motor([](const Motor& m) { return m.targets().acceleration; });
          },
          [](const JointHandle& self, double acceleration) {
            self.command([acceleration](Motor& motor) { motor.set_acceleration(acceleration); });
          },
          "[rad/s² or m/s²] the motor's acceleration, 0 or more; -1: unlimited.")
      .def_property("available_torque", &available_effort, &set_available_effort,
                    "[N·m or N] the bound on the motor's effort, 0 to `max_torque`.")
      .def_property("available_force", &available_effort, &set_available_effort,
                    "[N or N·m] the same as `available_torque`.")
      .def_property("max_torque", &max_effort, &set_max_effort,
                    "[N·m or N] the field maxTorque or maxForce of the motor. To set it edits the "
                    "world, which takes as long as a part of loading it.")
      .def_property("max_force", &max_effort, &set_max_effort,
                    "[N or N·m] the same as `max_torque`.")
      .def_property(
          "max_velocity",
          [](const JointHandle& self) {
            return self.of_motor([](const Motor& m) { return m.limits().max_velocity; });
          },
          [](const JointHandle& self, double value) {
            set_motor_field(self, "maxVelocity", "maxVelocity", value);
          },
          "[rad/s or m/s] the field maxVelocity of the motor. To set it edits the world.")
      .def_property(
          "min_position",
          [](const JointHandle& self) {
            return self.of_motor([](const Motor& m) { return m.limits().min_position; });
          },
          [](const JointHandle& self, double value) {
            set_motor_field(self, "minPosition", "minPosition", value);
          },
          "[rad or m] the field minPosition of the motor; both it and `max_position` 0: no limits. "
          "To set it edits the world.")
      .def_property(
          "max_position",
          [](const JointHandle& self) {
            return self.of_motor([](const Motor& m) { return m.limits().max_position; });
          },
          [](const JointHandle& self, double value) {
            set_motor_field(self, "maxPosition", "maxPosition", value);
          },
          "[rad or m] the field maxPosition of the motor. To set it edits the world.")
      .def_property(
          "pid",
          [](const JointHandle& self) {
            const Motor* motor = self.motor();
            return motor != nullptr ? std::array{motor->targets().gains.p, motor->targets().gains.i,
                                                 motor->targets().gains.d}
                                    : std::array{kNaN, kNaN, kNaN};
          },
          [](const JointHandle& self, const std::array<double, 3>& gains) {
            self.command([&gains](Motor& motor) {
              motor.set_control_pid({gains[0], gains[1], gains[2]});
            });
          },
          "The gains p [1/s] > 0, i [1/s²] and d of position control; of a real servo, as its "
          "registers have them.")
      .def_property_readonly(
          "servo", [](const JointHandle& self) { return servo_of(self.owner, self.index); },
          "The real servo that its motor is, a Servo; None for a motor as in Webots.")
      .def("__repr__", [](const JointHandle& self) {
        return repr_of(self.owner, "Joint", [&self] { return '\'' + self.joint().name() + '\''; });
      });
}

// ---- Solids

// The indices of Solids change with the tree; the number of the node stays.
struct SolidHandle {
  Owner owner;
  std::uint32_t node;
  std::string name;
  mutable int known;
  mutable std::uint64_t version;

  int traverse(visitproc visit, void* arg) const { return owner.traverse(visit, arg); }

  /// @throws RuntimeError of Python if the Solid has left the tree
  int index() const {
    const WorldInspector inspector(owner->idle());
    if (version != inspector.tree_version()) {
      version = inspector.tree_version();
      const auto& all = inspector.scene().solids;
      const auto found = std::find_if(all.begin(), all.end(),
                                      [this](const SolidSpec& one) { return one.node == node; });
      known = found != all.end() ? static_cast<int>(found - all.begin()) : -1;
    }
    if (known < 0) {
      throw std::runtime_error("Solid '" + name + "' is no longer in the world");
    }
    return known;
  }
  Solid solid() const { return owner->idle().solid(index()); }
};

void set_pose(const SolidHandle& self, const Numbers& given) {
  const std::vector<double> n = numbers_of(given, 7, "a pose x, y, z, qx, qy, qz, qw");
  self.solid().set_pose({rotation_of(n[3], n[4], n[5], n[6]), {n[0], n[1], n[2]}});
  self.owner->refresh();
}

void set_velocity(const SolidHandle& self, const Numbers& given) {
  const std::vector<double> n = numbers_of(given, 6, "a velocity");
  self.solid().set_velocity({{n[0], n[1], n[2]}, {n[3], n[4], n[5]}});
  self.owner->refresh();
}

py::list contact_points(const SolidHandle& self, bool include_descendants) {
  const ElementNames& names = self.owner->solids();
  py::list points;
  for (const ContactPoint& point : self.solid().contact_points(include_descendants)) {
    points.append(py::make_tuple(
        array_of(point.point), array_of(point.normal),
        text(names.all[static_cast<std::size_t>(point.solid)]),
        point.other >= 0 ? py::object(text(names.all[static_cast<std::size_t>(point.other)]))
                         : py::none()));
  }
  return points;
}

void bind_solid(py::module_& module) {
  Class<SolidHandle>(module, "Solid",
                     "A node with a pose of its own that may have a body; see "
                     "Simulation.solids. All numbers are in the axes of the world.")
      .def_property_readonly(
          "index", [](const SolidHandle& self) { return self.index(); },
          "Its place in the arrays of the simulation, until an edit changes the world.")
      .def_property_readonly(
          "name", [](const SolidHandle& self) { return text(self.name); },
          "'robot', 'robot/Solid' or 'Solid', which no other Solid has.")
      .def_property(
          "pose",
          [](const SolidHandle& self) {
            const Pose pose = self.solid().pose();
            const auto [x, y, z] = pose.translation;
            const auto [qx, qy, qz, qw] = quaternion_of(pose.rotation);
            return array_of(std::array{x, y, z, qx, qy, qz, qw});
          },
          &set_pose,
          "x, y, z [m] and the unit quaternion qx, qy, qz, qw of its frame: shape (7,).\n\n"
          "To set it moves all that is below along; velocities stay.")
      .def_property_readonly(
          "position",
          [](const SolidHandle& self) { return array_of(self.solid().pose().translation); },
          "[m] of its origin: shape (3,).")
      .def_property_readonly(
          "rotation",
          [](const SolidHandle& self) {
            const Mat3 rotation = self.solid().pose().rotation;
            return py::array_t<double>({3, 3}, rotation.m.data());
          },
          "The matrix that turns its axes into the world's: shape (3, 3).")
      .def_property(
          "velocity",
          [](const SolidHandle& self) {
            const SolidVelocity v = self.solid().velocity();
            return array_of(std::array{v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y,
                                       v.angular.z});
          },
          &set_velocity,
          "[m/s] of its body's centre of mass, then the angular velocity [rad/s]: shape (6,).")
      .def_property_readonly(
          "center_of_mass",
          [](const SolidHandle& self) { return array_of(self.solid().center_of_mass()); },
          "[m] of the Solid and all below it: shape (3,).")
      .def_property_readonly(
          "has_body", [](const SolidHandle& self) { return self.solid().has_body(); },
          "Whether it moves by forces: a body of its own, or that of the Solid above.")
      .def(
          "add_force",
          [](const SolidHandle& self, const Numbers& force, const std::optional<Numbers>& point) {
            if (point) {
              self.solid().add_force(vector_of(force, "a force"), vector_of(*point, "a point"));
            } else {
              self.solid().add_force(vector_of(force, "a force"));
            }
          },
          py::arg("force"), py::arg("point") = py::none(),
          "Pushes it in the next step [N], at a point of the world [m] or at its centre of mass.")
      .def(
          "add_torque",
          [](const SolidHandle& self, const Numbers& torque) {
            self.solid().add_torque(vector_of(torque, "a torque"));
          },
          py::arg("torque"), "Turns it in the next step [N·m].")
      .def(
          "reset_physics",
          [](const SolidHandle& self) {
            self.solid().reset_physics();
            self.owner->refresh();
          },
          "Stops it and all below it.")
      .def("contact_points", &contact_points, py::arg("include_descendants") = true,
           "Where it touches others: a list of (point [m], normal into it, its name, the other's).")
      .def("__repr__", [](const SolidHandle& self) { return text("<Solid '" + self.name + "'>"); });
}

// ---- sensors

struct SensorHandle {
  Owner owner;
  std::string name;
  std::string node_type;
  Device* device;  // lives as long as the simulation

  int traverse(visitproc visit, void* arg) const { return owner.traverse(visit, arg); }

  const Sampler& sampler() const {
    owner->idle();
    return device->sampler();
  }
  std::vector<double> values() const {
    owner->idle();
    const auto values = device->values();
    return {values.begin(), values.end()};
  }
};

// A period of 0 disables the sensor.
void set_period(const SensorHandle& self, std::optional<int> period_ms) {
  Simulation& simulation = self.owner->idle();
  const int period =
      period_ms.value_or(static_cast<int>(std::ceil(simulation.basic_time_step_ms())));
  self.device->enable(period, 1000.0 * simulation.time());
}

void enable(const SensorHandle& self, std::optional<int> period_ms) {
  if (period_ms && *period_ms < 1) {
    throw py::value_error("period_ms is 1 or more, not " + std::to_string(*period_ms) +
                          "; disable() stops measuring");
  }
  set_period(self, period_ms);
}

void bind_sensor(py::module_& module) {
  Class<SensorHandle>(
      module, "Sensor",
      "A PositionSensor, Accelerometer, Gyro, Compass, GPS, InertialUnit, Altimeter, TouchSensor, "
      "DistanceSensor or LightSensor; see Simulation.sensors. It measures once it is enabled.")
      .def_property_readonly(
          "name", [](const SensorHandle& self) { return text(self.name); },
          "'robot/sensor', which no other sensor has.")
      .def_property_readonly(
          "type", [](const SensorHandle& self) { return text(self.node_type); },
          "The type of its node, such as 'Gyro'.")
      .def("enable", &enable, py::arg("period_ms") = py::none(),
           "Measures every `period_ms` [ms], 1 or more, by default each step.\n\n"
           "The first measurement comes one period later.")
      .def(
          "disable", [](const SensorHandle& self) { set_period(self, 0); },
          "Stops measuring; the last measurement stays.")
      .def_property_readonly(
          "sampling_period", [](const SensorHandle& self) { return self.sampler().period_ms(); },
          "[ms]; 0 while it does not measure.")
      .def_property_readonly(
          "value",
          [](const SensorHandle& self) -> py::object {
            const std::vector<double> values = self.values();
            return values.size() == 1 ? py::object(py::float_(values[0])) : array_of(values);
          },
          "The last measurement: a number, or an array where the sensor has several; NaN before "
          "the first. Units are Webots': a GPS has position [m], speed and velocity [m/s], an "
          "InertialUnit roll, pitch, yaw [rad] and the quaternion x, y, z, w.")
      .def_property_readonly(
          "values", [](const SensorHandle& self) { return array_of(self.values()); },
          "The same, always as an array.")
      .def("__repr__", [](const SensorHandle& self) {
        return text("<Sensor '" + self.name + "', " + self.node_type + ">");
      });
}

// ---- mappings

template <typename Element>
struct Mapping {
  Owner owner;

  int traverse(visitproc visit, void* arg) const { return owner.traverse(visit, arg); }
};

JointHandle made(SimulationObject& owner, int index, const JointHandle*) {
  return {Owner(owner), index};
}

SolidHandle made(SimulationObject& owner, int index, const SolidHandle*) {
  const std::string name = owner.solids().all.at(static_cast<std::size_t>(index));
  const WorldInspector inspector(owner.idle());
  return {Owner(owner), inspector.scene().solids[static_cast<std::size_t>(index)].node, name, index,
          inspector.tree_version()};
}

SensorHandle made(SimulationObject& owner, int index, const SensorHandle*) {
  const DeviceNode& device = owner.sensor(index);
  return {Owner(owner), owner.sensors().all[static_cast<std::size_t>(index)], device.node_type,
          device.sensor()};
}

PictureSensorHandle made(SimulationObject& owner, int index, const PictureSensorHandle*) {
  const DeviceNode& device = owner.picture_sensor(index);
  return {Owner(owner), owner.picture_sensors().all[static_cast<std::size_t>(index)], device};
}

const ElementNames& names(SimulationObject& owner, const JointHandle*) { return owner.joints(); }
const ElementNames& names(SimulationObject& owner, const SolidHandle*) { return owner.solids(); }
const ElementNames& names(SimulationObject& owner, const SensorHandle*) { return owner.sensors(); }
const ElementNames& names(SimulationObject& owner, const PictureSensorHandle*) {
  return owner.picture_sensors();
}

template <typename Element>
Element element_at(const Mapping<Element>& self, std::int64_t index, const py::handle& asked) {
  const auto count =
      static_cast<std::int64_t>(names(*self.owner, static_cast<Element*>(nullptr)).all.size());
  const std::int64_t at = index < 0 ? index + count : index;
  if (at < 0 || at >= count) {
    throw py::index_error("there are " + std::to_string(count) + ", so no number " + shown(asked));
  }
  return made(*self.owner, static_cast<int>(at), static_cast<Element*>(nullptr));
}

// Whether it is a str that can be encoded.
bool is_text(const py::object& value) {
  return py::isinstance<py::str>(value) && detail::fits<std::string>(value);
}

template <typename Element>
void bind_mapping(py::module_& module, const char* name, const char* kind) {
  using Map = Mapping<Element>;
  const auto all = [](const Map& self) -> const ElementNames& {
    return names(*self.owner, static_cast<Element*>(nullptr));
  };
  const auto keys = [all](const Map& self) {
    py::list list;
    for (const std::string& known : all(self).all) {
      list.append(text(known));
    }
    return list;
  };
  const auto values = [all](const Map& self) {
    py::list list;
    const std::size_t count = all(self).all.size();
    for (std::size_t i = 0; i < count; ++i) {
      list.append(py::cast(element_at(self, static_cast<std::int64_t>(i), py::int_(i))));
    }
    return list;
  };
  const auto is_known = [all](const Map& self, const std::string& asked) {
    const ElementNames& known = all(self);
    const auto part = known.by_part.find(asked);
    return known.by_name.contains(asked) || (part != known.by_part.end() && part->second >= 0);
  };
  const auto by_name = [all, kind](const Map& self, const std::string& asked) {
    return made(*self.owner, all(self).find(asked, kind), static_cast<Element*>(nullptr));
  };
  const auto item = [by_name, kind](const Map& self, const py::object& asked) {
    if (is_text(asked)) {
      return by_name(self, asked.cast<std::string>());
    }
    if (PyIndex_Check(asked.ptr()) == 0) {
      throw py::type_error(std::string("a ") + kind +
                           " is found by its name or its number, not by " + shown(asked));
    }
    // A number that does not fit is cut, and then out of range too.
    const Py_ssize_t number = PyNumber_AsSsize_t(asked.ptr(), nullptr);
    if (number == -1 && PyErr_Occurred() != nullptr) {
      throw py::error_already_set();
    }
    return element_at(self, number, asked);
  };
  const auto is_name = [is_known](const Map& self, const py::object& asked) {
    return is_text(asked) && is_known(self, asked.cast<std::string>());
  };
  const auto shown_names = [all, kind](const Map& self) {
    constexpr std::size_t kMost = 20;
    const std::vector<std::string>& known = all(self).all;
    std::string list = std::to_string(known.size()) + ' ' + kind + (known.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < std::min(known.size(), kMost); ++i) {
      list += (i == 0 ? ": '" : ", '") + known[i] + '\'';
    }
    return list + (known.size() > kMost ? ", ..." : "");
  };
  Class<Map> mapping(module, name, "By name, by the part behind its '/', or by number.");
  mapping.def("__getitem__", item)
      .def("__len__", [all](const Map& self) { return all(self).all.size(); })
      .def("__iter__", [keys](const Map& self) { return py::iter(keys(self)); })
      .def("__contains__", is_name)
      .def("keys", keys, "All names, a list.")
      .def("values", values, "All of them, a list.")
      .def(
          "items",
          [keys, values](const Map& self) {
            return py::list(py::module_::import("builtins").attr("zip")(keys(self), values(self)));
          },
          "Pairs of name and element, a list.")
      .def(
          "get",
          [is_known, by_name](const Map& self, const std::string& asked,
                              const py::object& otherwise) {
            return is_known(self, asked) ? py::cast(by_name(self, asked)) : otherwise;
          },
          py::arg("name"), py::arg("default") = py::none(), "The one of that name, or `default`.")
      .def("__repr__", [name, shown_names](const Map& self) {
        return repr_of(self.owner, name, [&] { return "of " + shown_names(self); });
      });
  py::module_::import("collections.abc").attr("Mapping").attr("register")(mapping);
}

}  // namespace

py::object joints_of(SimulationObject& owner) {
  return py::cast(Mapping<JointHandle>{Owner(owner)});
}
py::object solids_of(SimulationObject& owner) {
  return py::cast(Mapping<SolidHandle>{Owner(owner)});
}
py::object sensors_of(SimulationObject& owner) {
  return py::cast(Mapping<SensorHandle>{Owner(owner)});
}

py::object picture_sensors_of(SimulationObject& owner) {
  return py::cast(Mapping<PictureSensorHandle>{Owner(owner)});
}

void bind_elements(py::module_& module) {
  bind_servo(module);
  bind_joint(module);
  bind_solid(module);
  bind_sensor(module);
  bind_picture_sensor(module);
  bind_mapping<JointHandle>(module, "Joints", "joint");
  bind_mapping<SolidHandle>(module, "Solids", "Solid");
  bind_mapping<SensorHandle>(module, "Sensors", "sensor");
  bind_mapping<PictureSensorHandle>(module, "PictureSensors", "picture sensor");
}

}  // namespace servosim::python
