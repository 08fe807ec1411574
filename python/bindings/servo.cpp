// SPDX-License-Identifier: Apache-2.0
// The real servo of a joint.
#include "servo.h"

#include <cmath>
#include <limits>
#include <string>

#include "classes.h"
#include "devices/unmeasured.h"
#include "servosim/motor.h"
#include "servosim/servo_model.h"

namespace servosim::python {

namespace {

struct ServoHandle {
  Owner owner;
  int index;

  int traverse(visitproc visit, void* arg) const { return owner.traverse(visit, arg); }

  Joint joint() const { return owner->idle().joint(index); }
  /// All NaN once the motor is no servo any more.
  ServoReading reading() const { return joint().servo_reading().value_or(unmeasured_servo()); }
  std::string model() const {
    const ServoModel* const model = joint().servo_model();
    return model != nullptr ? model->name : std::string();
  }
};

template <double ServoReading::*number>
double read(const ServoHandle& self) {
  return self.reading().*number;
}

}  // namespace

py::object servo_of(const Owner& owner, int joint) {
  if (owner->idle().joint(joint).servo_model() == nullptr) {
    return py::none();
  }
  return py::cast(ServoHandle{owner, joint});
}

void bind_servo(py::module_& module) {
  Class<ServoHandle>(module, "Servo",
                     "The real servo of a joint's motor, as it measures itself in the last step; "
                     "see Joint.servo.\n\n"
                     "Numbers are NaN once an edit has made the motor one as in Webots.")
      .def_property_readonly(
          "model", [](const ServoHandle& self) { return text(self.model()); },
          "The name of the model, such as 'STS3215'; empty once the motor is no servo any more.")
      .def_property_readonly("current", &read<&ServoReading::current>,
                             "[A] of the motor; positive where it drives along the joint's axis.")
      .def_property_readonly("voltage", &read<&ServoReading::voltage>, "[V] of the supply.")
      .def_property_readonly("duty", &read<&ServoReading::duty>, "Of the bridge, from -1 to 1.")
      .def_property_readonly("max_duty", &read<&ServoReading::max_duty>,
                             "The PWM limit, which `duty` does not exceed; 0 without torque.")
      .def_property_readonly("temperature", &read<&ServoReading::temperature>,
                             "[°C] of the winding.")
      .def_property_readonly("case_temperature", &read<&ServoReading::case_temperature>,
                             "[°C] of the case.")
      .def_property_readonly("motor_torque", &read<&ServoReading::motor_torque>,
                             "[N·m or N] of the motor, behind the gear but for its friction.")
      .def_property_readonly("load_torque", &read<&ServoReading::load_torque>,
                             "[N·m or N] of all else on the shaft, as the friction reads it.")
      .def_property_readonly("target", &read<&ServoReading::target>,
                             "[rad or m] the target of its position loop, behind the profile.")
      .def_property_readonly(
          "is_shut_down", [](const ServoHandle& self) { return self.reading().is_shut_down; },
          "Whether its protection has ended the torque, or limits it.")
      .def_property(
          "pulse",
          [](const ServoHandle& self) {
            const Motor* const motor = self.joint().motor();
            return motor != nullptr ? motor->servo_pulse()
                                    : std::numeric_limits<double>::quiet_NaN();
          },
          [](const ServoHandle& self, double width) {
            Motor* const motor = motor_of(self.owner->idle(), self.index);
            if (motor == nullptr) {
              throw py::value_error("joint '" + self.joint().name() + "' has no motor any more");
            }
            {
              const SimulationObject::Use use(*self.owner);
              motor->set_servo_pulse(width);
            }
            self.owner->refresh();
          },
          "[µs] the width of the pulse that asks for the joint's `target`. To set it sets that "
          "target. Beyond the ends of the servo it counts as an end. NaN for a servo without "
          "pulses, which raises a ValueError where it is set.")
      .def("__repr__", [](const ServoHandle& self) {
        return text(self.owner->is_in_use()
                        ? "<Servo of a simulation in use>"
                        : "<Servo '" + self.model() + "' of '" + self.joint().name() + "'>");
      });
}

}  // namespace servosim::python
